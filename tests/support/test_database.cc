#include "tests/support/test_database.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/ids.h"
#include "lib/base/random.h"

namespace naval::testing {
namespace {

[[noreturn]] void Die(absl::string_view problem) {
  absl::FPrintF(stderr, "TestDatabase: %s\n", problem);
  std::exit(1);
}

std::string Cluster() {
  const char* const cluster = std::getenv("NAVAL_TEST_POSTGRES");
  if (cluster == nullptr) {
    Die("NAVAL_TEST_POSTGRES is not set: run this test by ctest, or by "
        "`tools/dev/postgres exec DIR` with the cluster of DIR started");
  }
  return cluster;
}

// Runs `statement` in the cluster's main database, outside a transaction where `alone` is set:
// whole databases are made and dropped in none.
void RunOnCluster(absl::string_view statement, bool alone = false) {
  postgres::Pool pool({.connection_string = Cluster(),
                       .application_name = "test",
                       .statement_timeout = absl::Minutes(1)});
  const absl::Status status = pool.Transact([&](postgres::Transaction& transaction) {
    // A script of one statement ends the transaction that Transact began before it runs.
    if (alone) {
      absl::Status ended = transaction.ExecuteScript("COMMIT");
      if (!ended.ok()) return ended;
    }
    return transaction.ExecuteScript(statement);
  });
  if (!status.ok()) Die(absl::StrCat(statement, ": ", status.ToString()));
}

std::string NewName() {
  base::SystemClock clock;
  base::SecureRandom random;
  return absl::StrCat("test_", absl::StrReplaceAll(base::NewId(clock, random), {{"-", ""}}));
}

}  // namespace

// The cluster's database "naval" was set up as in production and holds no tables: a copy of it has
// the same schemas with the same owners.
TestDatabase::TestDatabase() : name_(NewName()) {
  RunOnCluster(absl::StrCat("CREATE DATABASE ", name_, " TEMPLATE naval"), /*alone=*/true);
}

TestDatabase::~TestDatabase() {
  RunOnCluster(absl::Substitute("DROP DATABASE $0 WITH (FORCE)", name_), /*alone=*/true);
}

std::string TestDatabase::ConnectionString(absl::string_view service) const {
  // The later of two values for the same key counts.
  std::string text = absl::StrCat(Cluster(), " dbname=", name_);
  if (!service.empty()) absl::StrAppend(&text, " user=naval_", service);
  return text;
}

// The string is made by tools/dev/postgres.
int TestDatabase::port() {
  for (const absl::string_view setting : absl::StrSplit(Cluster(), ' ')) {
    int port = 0;
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(setting, '=');
    if (parts.first == "port" && absl::SimpleAtoi(parts.second, &port)) return port;
  }
  Die("NAVAL_TEST_POSTGRES names no port");
}

postgres::Pool::Options TestDatabase::PoolOptions(absl::string_view service) const {
  return {.connection_string = ConnectionString(service),
          .application_name = "test",
          .max_connections = 2};
}

void TestDatabase::DisconnectAll() {
  // Waits for the ends: a connection that is being ended could still answer.
  RunOnCluster(absl::Substitute(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '$0'", name_));
}

void TestDatabase::RefuseConnections() {
  RunOnCluster(absl::Substitute("ALTER DATABASE $0 ALLOW_CONNECTIONS false", name_));
  DisconnectAll();
}

void TestDatabase::AllowConnections() {
  RunOnCluster(absl::Substitute("ALTER DATABASE $0 ALLOW_CONNECTIONS true", name_));
}

}  // namespace naval::testing
