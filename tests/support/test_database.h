#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "lib/postgres/pool.h"

namespace naval::testing {

// A fresh database on the tests' Postgres cluster, with the schemas and roles of production:
// "lobby", "match" and "ranking", each owned by the role naval_lobby, ... and closed to the others.
// Dropped, with whatever is connected to it, when the object goes.
//
// The cluster is named by NAVAL_TEST_POSTGRES, the libpq connection string of a superuser, with the
// passwords in the file that PGPASSFILE names (a test declared with POSTGRES in CMake gets both).
// Without it the process ends with a clear message: a test that cannot run has failed, it was not
// skipped.
class TestDatabase {
 public:
  TestDatabase();
  ~TestDatabase();
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  // For a connection as the role of `service` ("match"), or as the superuser when it is empty.
  std::string ConnectionString(absl::string_view service = "") const;

  // Options for a pool of that role, with two connections.
  postgres::Pool::Options PoolOptions(absl::string_view service = "") const;

  // The port of the cluster on 127.0.0.1, for a test that puts something before it.
  static int port();

  // Ends every connection to this database, as a restart of Postgres would.
  void DisconnectAll();

  // As above, and lets no new connection in until AllowConnections: the database is away.
  void RefuseConnections();
  void AllowConnections();

 private:
  std::string name_;
};

}  // namespace naval::testing
