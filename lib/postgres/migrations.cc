#include "lib/postgres/migrations.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "lib/base/error.h"
#include "lib/base/log.h"
#include "lib/base/status_macros.h"

namespace naval::postgres {
namespace {

// What surrounds a migration; most of it is the wait for another process that migrates.
constexpr absl::Duration kMaxPreparationDuration = absl::Minutes(2);

// An index on a large table takes its time.
constexpr absl::Duration kMaxMigrationDuration = absl::Hours(1);

// Lets one process at a time change `schema`, until the transaction ends. Afterwards a statement
// waits for a lock for a short time only, because everyone queues behind it.
absl::Status LockSchema(Transaction& transaction, const Schema& schema) {
  NAVAL_RETURN_IF_ERROR(transaction.ExtendTo(kMaxPreparationDuration));
  NAVAL_RETURN_IF_ERROR(
      transaction.Execute("SELECT set_config('lock_timeout', '60s', true)").status());
  NAVAL_RETURN_IF_ERROR(
      transaction
          .Execute("SELECT pg_advisory_xact_lock(hashtextextended('migrations of ' || $1, 0))",
                   {schema.name})
          .status());
  return transaction.Execute("SELECT set_config('lock_timeout', '5s', true)").status();
}

// Asks before it creates: CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even where
// there is nothing to do, and a service's role does not have it.
absl::Status MakeSchema(Transaction& transaction, const Schema& schema) {
  NAVAL_ASSIGN_OR_RETURN(
      const Rows found,
      transaction.Execute("SELECT 1 FROM pg_namespace WHERE nspname = $1", {schema.name}));
  if (found.empty()) {
    NAVAL_RETURN_IF_ERROR(
        transaction.Execute(absl::StrCat("CREATE SCHEMA ", schema.name)).status());
  }
  return transaction
      .Execute(absl::Substitute("CREATE TABLE IF NOT EXISTS $0.schema_migration ("
                                " version integer PRIMARY KEY,"
                                " name text NOT NULL,"
                                " checksum text NOT NULL,"
                                " apply_time timestamptz NOT NULL DEFAULT now())",
                                schema.name))
      .status();
}

absl::Status CheckUnchanged(const Schema& schema, const Migration& migration, const Row& row) {
  if (row.Get<bool>("unchanged")) return absl::OkStatus();
  return base::Error(
      absl::StatusCode::kFailedPrecondition, "MIGRATION_CHANGED",
      absl::Substitute("the migration $0 of schema $1 was applied with another content (as $2); "
                       "restore it and put the change into a new migration",
                       migration.name, schema.name, row.Get<std::string>("name")));
}

absl::Status Apply(Transaction& transaction, const Schema& schema, const Migration& migration) {
  NAVAL_RETURN_IF_ERROR(LockSchema(transaction, schema));
  NAVAL_RETURN_IF_ERROR(MakeSchema(transaction, schema));
  NAVAL_ASSIGN_OR_RETURN(
      const Rows applied,
      transaction.Execute(
          absl::Substitute("SELECT name, checksum = encode(sha256(convert_to($$2, 'UTF8')), 'hex')"
                           " AS unchanged FROM $0.schema_migration WHERE version = $$1",
                           schema.name),
          {migration.version, migration.sql}));
  if (!applied.empty()) return CheckUnchanged(schema, migration, applied[0]);
  NAVAL_RETURN_IF_ERROR(transaction.ExtendTo(kMaxMigrationDuration));
  NAVAL_RETURN_IF_ERROR(transaction.ExecuteScript(migration.sql));
  NAVAL_RETURN_IF_ERROR(
      transaction
          .Execute(
              absl::Substitute("INSERT INTO $0.schema_migration (version, name, checksum)"
                               " VALUES ($$1, $$2, encode(sha256(convert_to($$3, 'UTF8')), 'hex'))",
                               schema.name),
              {migration.version, migration.name, migration.sql})
          .status());
  base::Log(base::LogLevel::kInfo, "migration_applied",
            {{"schema", schema.name}, {"migration", migration.name}});
  return absl::OkStatus();
}

absl::StatusOr<int64_t> VersionInDatabase(Transaction& transaction, const Schema& schema) {
  const std::string table = absl::StrCat(schema.name, ".schema_migration");
  NAVAL_ASSIGN_OR_RETURN(
      const Rows exists,
      transaction.Execute("SELECT to_regclass($1) IS NOT NULL AS exists", {table}));
  if (!exists[0].Get<bool>("exists")) return 0;
  NAVAL_ASSIGN_OR_RETURN(const Rows newest,
                         transaction.Execute(absl::StrCat(
                             "SELECT coalesce(max(version), 0) AS version FROM ", table)));
  return newest[0].Get<int64_t>("version");
}

}  // namespace

absl::Status Migrate(Pool& pool, const Schema& schema) {
  for (const Migration& migration : schema.migrations) {
    NAVAL_RETURN_IF_ERROR(pool.Transact(
        [&](Transaction& transaction) { return Apply(transaction, schema, migration); }));
  }
  return absl::OkStatus();
}

absl::Status RequireSchema(Pool& pool, const Schema& schema) {
  NAVAL_ASSIGN_OR_RETURN(const int64_t present, pool.Transact([&](Transaction& transaction) {
    return VersionInDatabase(transaction, schema);
  }));
  const int64_t required = schema.migrations.empty() ? 0 : schema.migrations.back().version;
  if (present >= required) return absl::OkStatus();
  return base::Error(absl::StatusCode::kFailedPrecondition, "SCHEMA_TOO_OLD",
                     absl::Substitute("the database schema $0 is at version $1 and version $2 is "
                                      "needed; start once with --migrate",
                                      schema.name, present, required),
                     {{"present", absl::StrCat(present)}, {"required", absl::StrCat(required)}});
}

}  // namespace naval::postgres
