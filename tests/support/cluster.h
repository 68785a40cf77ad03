#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/base/log.h"
#include "tests/support/reserved_port.h"
#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_database.h"

namespace naval::testing {

// kOtherMatch is a second process of the match service.
enum class Service { kLobby, kMatch, kRanking, kOtherMatch };

// Those that every cluster has.
inline constexpr std::array<Service, 3> kServices = {Service::kLobby, Service::kMatch,
                                                     Service::kRanking};

// "lobby", "match", "ranking"; "match" for kOtherMatch, too.
absl::string_view ServiceName(Service service);

// "lobby", "match-0", "ranking", "match-1". Under the latter two the match service owns matches.
// The database knows the process that speaks to it: current_setting('naval.process').
absl::string_view ProcessName(Service service);

// The three real services as processes of their own, and a second one of the match service where it
// is started, with their keys in a temporary folder, on a fresh database of the tests' Postgres.
// They die with the object, and with the test program however that ends. When the test has failed,
// the ends of their logs are shown.
//
// For the test's main thread: a process dies with the thread that started it.
class Cluster {
 public:
  // Starts all three and waits until they serve. Ends the test program when that fails.
  explicit Cluster(base::LogLevel log_level = base::LogLevel::kInfo);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // "127.0.0.1:PORT" of the public port, the same however often the service is started.
  std::string Address(Service service) const;

  // The port of the page /metrics of a service that runs, another one after each start.
  int MetricsPort(Service service);

  // Starts a service that is not running and waits until it serves. Given a port, it reaches the
  // database through that one of 127.0.0.1.
  void Start(Service service, std::optional<int> database_port = std::nullopt);

  // SIGKILL; returns when the process is gone.
  void Kill(Service service);

  // Sends a signal, such as SIGTERM or SIGSTOP, without waiting.
  void Signal(Service service, int signal);

  // Waits for the end and gives the exit code, see Subprocess::Wait.
  int Wait(Service service);

  // All that the service has put out, over all its processes.
  std::string Log(Service service) const;

  TestDatabase& database() { return database_; }

  // Secrets of the services, for tests that look for them where they must not be.
  std::string service_token() const;
  std::string signing_key() const;
  std::string sealing_key() const;

 private:
  struct Process {
    ReservedPort public_port;
    ReservedPort internal_port;
    std::unique_ptr<Subprocess> running;
    // What earlier processes put out.
    std::string earlier_log;
  };

  Process& ProcessOf(Service service) { return processes_[static_cast<size_t>(service)]; }
  const Process& ProcessOf(Service service) const {
    return processes_[static_cast<size_t>(service)];
  }
  std::vector<std::string> Command(Service service, const std::vector<std::string>& flags,
                                   std::optional<int> database_port = std::nullopt) const;
  std::vector<std::string> Flags(Service service) const;
  std::string KeyFile(absl::string_view name) const;
  void MakeKeys();
  void Migrate(Service service);
  void Forget(Service service);
  void ShowLogs() const;

  const base::LogLevel log_level_;
  TemporaryFolder folder_;
  TestDatabase database_;
  std::array<Process, kServices.size() + 1> processes_;
};

// Whether the server at `address` says SERVING by the standard health protocol.
bool IsServing(const std::string& address);

}  // namespace naval::testing
