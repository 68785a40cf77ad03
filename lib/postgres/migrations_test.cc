#include "lib/postgres/migrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "lib/base/error.h"
#include "naval/migrations_test/migrations.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::postgres {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// The files of testdata/, as a service has its own.
const Schema& kSchema = migrations_test::kSchema;

class MigrationsTest : public ::testing::Test {
 protected:
  Schema FirstOnly() { return {kSchema.name, kSchema.migrations.subspan(0, 1)}; }

  std::string Text(absl::string_view sql) {
    return pool_
        .Transact([&](Transaction& transaction) -> absl::StatusOr<std::string> {
          const auto rows = transaction.Execute(sql);
          if (!rows.ok()) return rows.status();
          return (*rows)[0].Get<std::string>("text");
        })
        .value();
  }

  testing::TestDatabase database_;
  Pool pool_{database_.PoolOptions()};
};

TEST_F(MigrationsTest, AreEmbeddedAsTheyStandInTheirFiles) {
  ASSERT_EQ(kSchema.name, "migrations_test");
  ASSERT_EQ(kSchema.migrations.size(), 2u);
  EXPECT_EQ(kSchema.migrations[1].version, 2);
  EXPECT_EQ(kSchema.migrations[1].name, "0002_add_boat_length.sql");
  ASSERT_THAT(Migrate(pool_, kSchema), IsOk());
  EXPECT_EQ(Text("SELECT name AS text FROM migrations_test.boat"),
            "semi;colon [bracket] \\ $1 \"q\"");
}

TEST_F(MigrationsTest, AreAppliedOnce) {
  ASSERT_THAT(Migrate(pool_, kSchema), IsOk());
  ASSERT_THAT(Migrate(pool_, kSchema), IsOk());
  EXPECT_EQ(Text("SELECT string_agg(version || ' ' || name, ', ' ORDER BY version) AS text"
                 " FROM migrations_test.schema_migration"),
            "1 0001_create_boat.sql, 2 0002_add_boat_length.sql");
  EXPECT_EQ(Text("SELECT count(*)::text AS text FROM migrations_test.boat"), "1");
}

TEST_F(MigrationsTest, GoOnWhereTheLastReleaseStopped) {
  ASSERT_THAT(Migrate(pool_, FirstOnly()), IsOk());
  const absl::Status too_old = RequireSchema(pool_, kSchema);
  EXPECT_THAT(too_old, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(too_old, HasReason("SCHEMA_TOO_OLD"));
  EXPECT_THAT(std::string(too_old.message()), HasSubstr("--migrate"));
  EXPECT_THAT(base::MetadataOf(too_old), ElementsAre(Pair("present", "1"), Pair("required", "2")));
  ASSERT_THAT(Migrate(pool_, kSchema), IsOk());
  EXPECT_THAT(RequireSchema(pool_, kSchema), IsOk());
}

TEST_F(MigrationsTest, LetThePreviousReleaseStartOnANewerSchema) {
  ASSERT_THAT(Migrate(pool_, kSchema), IsOk());
  EXPECT_THAT(RequireSchema(pool_, FirstOnly()), IsOk());
  EXPECT_THAT(Migrate(pool_, FirstOnly()), IsOk());
}

TEST_F(MigrationsTest, AreMissedInAnEmptyDatabase) {
  EXPECT_THAT(RequireSchema(pool_, kSchema), HasReason("SCHEMA_TOO_OLD"));
}

TEST_F(MigrationsTest, MayNotChangeOnceApplied) {
  ASSERT_THAT(Migrate(pool_, kSchema), IsOk());
  const Migration edited[] = {{1, "0001_create_boat.sql", "SELECT 1"}};
  const absl::Status status = Migrate(pool_, {kSchema.name, edited});
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(status, HasReason("MIGRATION_CHANGED"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("0001_create_boat.sql"));
}

TEST_F(MigrationsTest, LeaveNothingBehindWhenTheyFail) {
  const Migration broken[] = {
      {1, "0001_broken.sql", "CREATE TABLE migrations_test.a (x int); SELECT no_such_column"}};
  EXPECT_THAT(Migrate(pool_, {kSchema.name, broken}), StatusIs(absl::StatusCode::kInternal));
  EXPECT_EQ(Text("SELECT coalesce(to_regclass('migrations_test.a')::text, 'none') AS text"),
            "none");
  EXPECT_THAT(Migrate(pool_, kSchema), IsOk());
}

TEST_F(MigrationsTest, AreAppliedOnceByManyProcessesAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      Pool pool(database_.PoolOptions());
      EXPECT_THAT(Migrate(pool, kSchema), IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Text("SELECT count(*)::text AS text FROM migrations_test.boat"), "1");
}

TEST_F(MigrationsTest, RunAsARoleThatOwnsItsSchemaAndNothingElse) {
  Pool match(database_.PoolOptions("match"));
  const Migration create[] = {{1, "0001_create.sql", "CREATE TABLE match.a (x int)"}};
  EXPECT_THAT(Migrate(match, {"match", create}), IsOk());
  EXPECT_THAT(RequireSchema(match, {"match", create}), IsOk());
}

}  // namespace
}  // namespace naval::postgres
