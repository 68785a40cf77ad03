#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/postgres/pool.h"

namespace naval::postgres {

// One numbered SQL file, "0007_add_table_invites.sql". It is embedded in the binary by the CMake
// function naval_migrations(), so that a binary and the schema it needs cannot part.
struct Migration {
  // 1, 2, 3, ... without a gap.
  int version;
  // The file's name.
  absl::string_view name;
  absl::string_view sql;
};

// The tables of one service: a Postgres schema and what makes it, in order of version.
struct Schema {
  // "match": owned by the role of the same name; nobody else reads it.
  absl::string_view name;
  absl::Span<const Migration> migrations;
};

// Brings the database up to the last migration of `schema`, each in a transaction of its own
// together with its row in <schema>.schema_migration (version, name, checksum, apply_time). An
// advisory lock lets one process at a time do it; the others wait. Makes the Postgres schema if it
// does not exist. A migration may take an hour, what surrounds it 2 minutes; then UNAVAILABLE.
// FAILED_PRECONDITION (reason MIGRATION_CHANGED) when a file that was applied has another content
// now: a landed migration is never edited. Versions in the database that are newer than the last
// one known here are left alone, so that the previous release can still start.
absl::Status Migrate(Pool& pool, const Schema& schema);

// OK when the database has every migration of `schema`, or more. Else FAILED_PRECONDITION (reason
// SCHEMA_TOO_OLD) with both versions and what to do. Changes nothing.
absl::Status RequireSchema(Pool& pool, const Schema& schema);

}  // namespace naval::postgres
