#include "services/match/test_stores.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/postgres/migrations.h"
#include "naval/match/migrations.h"

namespace naval::match {

PgTestStore::PgTestStore() : pool_(database_.PoolOptions("match")), store_(pool_) {
  const absl::Status migrated = postgres::Migrate(pool_, kSchema);
  EXPECT_TRUE(migrated.ok()) << migrated;
}

// The clock of Postgres cannot be set: all that it wrote down is made older.
void PgTestStore::Age(absl::Duration duration) {
  for (const char* const table : {"partition_lease", "member"}) {
    const absl::Status aged = pool_.Transact([&](postgres::Transaction& tx) {
      return tx
          .Execute(absl::StrCat("UPDATE match.", table,
                                " SET renew_time = renew_time - $1 * interval '1 s'"),
                   {absl::ToDoubleSeconds(duration)})
          .status();
    });
    EXPECT_TRUE(aged.ok()) << aged;
  }
}

}  // namespace naval::match
