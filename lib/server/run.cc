#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/synchronization/mutex.h"
#include "lib/base/log.h"
#include "lib/base/status_macros.h"
#include "lib/server/flags.h"
#include "lib/server/library_log.h"
#include "lib/server/server.h"

namespace naval::server {
namespace {

using base::Log;
using base::LogLevel;

sigset_t SetOf(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

// Only calls that are allowed in a signal handler.
void EndAtOnce(int) {
  constexpr char kLine[] = "{\"level\":\"error\",\"event\":\"stop_forced\"}\n";
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, kLine, sizeof(kLine) - 1);
  _exit(1);
}

// From here on a signal, or a stop that takes too long, ends the process. SIGALRM comes when that
// time is over.
void LimitStop() {
  struct sigaction action {};
  action.sa_handler = EndAtOnce;
  for (const int signal : {SIGTERM, SIGINT, SIGALRM}) sigaction(signal, &action, nullptr);
  const sigset_t signals = SetOf({SIGTERM, SIGINT});
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  alarm(static_cast<unsigned>(absl::ToInt64Seconds(kMaxStopDuration)));
}

// SIGUSR1: one level more talkative. SIGUSR2: one less.
void StepLogLevel(int signal) {
  const int step = signal == SIGUSR1 ? -1 : 1;
  const int last = static_cast<int>(base::kLogLevels.size()) - 1;
  const auto level =
      static_cast<LogLevel>(std::clamp(static_cast<int>(base::GetLogLevel()) + step, 0, last));
  base::SetLogLevel(level);
  // At the new level, so that it is seen whichever that is.
  Log(level, "log_level_set", {{"log_level", base::AbslUnparseFlag(level)}});
}

// `signals` are those of the log level and those to stop. Gives the one to stop.
int WaitForStop(const sigset_t& signals) {
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGUSR1 && signal != SIGUSR2) return signal;
    StepLogLevel(signal);
  }
}

// `signals` are blocked, as WaitForStop wants them.
absl::Status ServeUntilSignal(
    absl::string_view name, const sigset_t& signals,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<Application>>()> start) {
  NAVAL_ASSIGN_OR_RETURN(const std::unique_ptr<Application> application, start());
  NAVAL_ASSIGN_OR_RETURN(
      const std::unique_ptr<Server> server,
      Server::Start({.listen_address = absl::GetFlag(FLAGS_listen),
                     .internal_listen_address = absl::GetFlag(FLAGS_internal_listen),
                     .metrics_listen_address = absl::GetFlag(FLAGS_metrics_listen),
                     .reflection = absl::GetFlag(FLAGS_reflection)},
                    *application));
  Log(LogLevel::kInfo, "serving",
      {{"service", name},
       {"port", server->public_port()},
       {"internal_port", server->internal_port()},
       {"metrics_port", server->metrics_port()}});
  const int signal = WaitForStop(signals);
  LimitStop();
  Log(LogLevel::kInfo, "stopping", {{"service", name}, {"signal", strsignal(signal)}});
  server->Stop();
  return absl::OkStatus();
}

}  // namespace

int Run(absl::string_view name, absl::FunctionRef<absl::Status()> migrate,
        absl::FunctionRef<absl::StatusOr<std::unique_ptr<Application>>()> start) {
  std::signal(SIGPIPE, SIG_IGN);
  // Debian's Abseil looks for deadlocks at every lock that gRPC takes, which makes it three times
  // as dear, and ends the process when two locks were ever taken in both orders. gRPC's are not
  // ours.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const bool only_migrate = absl::GetFlag(FLAGS_migrate);
  // Before any thread starts, which takes the mask over. A migration takes no notice of a signal
  // for the log level, and ends at once by one to stop.
  const sigset_t signals =
      only_migrate ? SetOf({SIGUSR1, SIGUSR2}) : SetOf({SIGUSR1, SIGUSR2, SIGTERM, SIGINT});
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  RouteLibraryLogs();
  const absl::Status status = only_migrate ? migrate() : ServeUntilSignal(name, signals, start);
  if (!status.ok()) {
    Log(LogLevel::kError, "failed", {{"service", name}, {"status", status}});
    return 1;
  }
  Log(LogLevel::kInfo, only_migrate ? "migrated" : "stopped", {{"service", name}});
  return 0;
}

}  // namespace naval::server
