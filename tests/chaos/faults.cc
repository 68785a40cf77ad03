#include "tests/chaos/faults.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/pool.h"
#include "tests/support/or_die.h"
#include "tests/support/subprocess.h"
#include "tests/support/wait_for.h"

namespace naval::chaos {
namespace {

using testing::Service;

// A lease lasts 2 s.
constexpr Range kPastLease = {absl::Seconds(4), absl::Seconds(8)};
constexpr Range kBeforeLease = {absl::Milliseconds(200), absl::Milliseconds(1500)};

// How long a takeover may take to be called none.
constexpr absl::Duration kTakeoverLimit = absl::Seconds(60);

// Between two halts: the one that goes on finds out what it lost, and players meet it again.
constexpr Range kAwake = {absl::Seconds(1), absl::Seconds(3)};

Service OtherOf(Service match) {
  return match == Service::kMatch ? Service::kOtherMatch : Service::kMatch;
}

}  // namespace

absl::string_view FaultName(FaultKind kind) {
  constexpr absl::string_view kNames[] = {"match killed",
                                          "match halted",
                                          "match killed, gone past its lease",
                                          "match halted past its lease",
                                          "ranking killed",
                                          "Postgres crashed"};
  return kNames[static_cast<std::size_t>(kind)];
}

Faults::Faults(testing::Cluster& cluster, base::Clock& clock, uint64_t seed,
               const Schedule& schedule, std::string tool, std::string postgres)
    : cluster_(cluster),
      clock_(clock),
      random_(seed),
      schedule_(schedule),
      tool_(std::move(tool)),
      postgres_(std::move(postgres)) {}

void Faults::Run(absl::Time end, const std::function<bool()>& stopped) {
  Later(Draw(schedule_.match), [this] { HarmMatch(); });
  Later(Draw(schedule_.ranking), [this] { HarmRanking(); });
  if (!postgres_.empty()) Later(Draw(schedule_.postgres), [this] { CrashPostgres(); });
  while (!due_.empty()) {
    const absl::Time next = due_.begin()->first;
    testing::WaitFor([&] { return clock_.Now() >= std::min(next, end) || stopped(); },
                     std::max(next - clock_.Now(), absl::ZeroDuration()) + absl::Seconds(1));
    healing_ = clock_.Now() >= end || stopped();
    const auto action = std::move(due_.extract(due_.begin()).mapped());
    action();
  }
}

void Faults::Sleep(int times, const std::function<bool()>& stopped) {
  for (int i = 0; i < times && !stopped(); ++i) {
    const Service owner = Owned(Service::kMatch) >= Owned(Service::kOtherMatch)
                              ? Service::kMatch
                              : Service::kOtherMatch;
    const absl::Time begin = clock_.Now();
    cluster_.Signal(owner, SIGSTOP);
    const bool taken = testing::WaitFor([&] { return Owned(owner) == 0; }, kTakeoverLimit);
    NAVAL_CHECK(taken);
    // The other plays on before the one that slept wakes.
    WaitUntil(clock_.Now() + Draw(kAwake));
    cluster_.Signal(owner, SIGCONT);
    Note(FaultKind::kMatchSleep, owner, begin);
    WaitUntil(clock_.Now() + Draw(kAwake));
  }
}

absl::Duration Faults::Draw(const Range& range) {
  const auto width = static_cast<uint64_t>(absl::ToInt64Milliseconds(range.to - range.from));
  return range.from + absl::Milliseconds(static_cast<int64_t>(random_.Uniform(width + 1)));
}

void Faults::Later(absl::Duration pause, std::function<void()> action) {
  due_.emplace(clock_.Now() + pause, std::move(action));
}

void Faults::Note(FaultKind kind, Service service, absl::Time begin) {
  done_.push_back({.kind = kind, .service = service, .begin = begin, .end = clock_.Now()});
}

void Faults::HarmMatch() {
  if (healing_) return;
  Later(Draw(schedule_.match), [this] { HarmMatch(); });
  Service service = random_.Uniform(2) == 0 ? Service::kMatch : Service::kOtherMatch;
  const int kind = static_cast<int>(random_.Uniform(100));
  const absl::Duration away = Draw(schedule_.match_away);
  const absl::Duration halt = Draw(kBeforeLease);
  const absl::Duration past_lease = Draw(kPastLease);
  if (!well_[service]) service = OtherOf(service);
  if (!well_[service]) return;
  if (kind < schedule_.halt_percent) return Halt(FaultKind::kMatchHalt, service, halt);
  if (kind < schedule_.halt_percent + schedule_.long_percent) {
    return Halt(FaultKind::kMatchSleep, service, past_lease);
  }
  if (kind < schedule_.halt_percent + 2 * schedule_.long_percent) {
    return Kill(FaultKind::kMatchGone, service, past_lease);
  }
  Kill(FaultKind::kMatchKill, service, away);
}

void Faults::HarmRanking() {
  if (healing_) return;
  Later(Draw(schedule_.ranking), [this] { HarmRanking(); });
  Kill(FaultKind::kRankingKill, Service::kRanking, Draw(schedule_.away));
}

// Nothing else is done meanwhile: no service starts without it.
void Faults::CrashPostgres() {
  if (healing_) return;
  Later(Draw(schedule_.postgres), [this] { CrashPostgres(); });
  const absl::Time begin = clock_.Now();
  const absl::Duration away = Draw(schedule_.away);
  RunTool("crash");
  WaitUntil(clock_.Now() + away);
  RunTool("start");
  done_.push_back({.kind = FaultKind::kPostgresCrash,
                   .service = Service::kMatch,
                   .begin = begin,
                   .end = clock_.Now()});
}

void Faults::Kill(FaultKind kind, Service service, absl::Duration away) {
  const absl::Time begin = clock_.Now();
  cluster_.Kill(service);
  well_[service] = false;
  Later(away, [this, kind, service, begin] {
    cluster_.Start(service);
    well_[service] = true;
    Note(kind, service, begin);
  });
}

void Faults::Halt(FaultKind kind, Service service, absl::Duration duration) {
  const absl::Time begin = clock_.Now();
  cluster_.Signal(service, SIGSTOP);
  well_[service] = false;
  Later(duration, [this, kind, service, begin] {
    cluster_.Signal(service, SIGCONT);
    well_[service] = true;
    Note(kind, service, begin);
  });
}

void Faults::RunTool(const std::string& command) {
  testing::Subprocess tool({tool_, command, postgres_});
  const int exit_code = tool.Wait(absl::Minutes(2));
  if (exit_code != 0) {
    testing::DieUnless(absl::InternalError(absl::StrCat(tool_, " ", command, ": ", tool.Output())));
  }
}

void Faults::WaitUntil(absl::Time time) {
  testing::WaitFor([&] { return clock_.Now() >= time; }, time - clock_.Now() + absl::Minutes(1));
}

int Faults::Owned(Service service) {
  postgres::Pool pool(cluster_.database().PoolOptions());
  const auto owned =
      pool.Transact([&](postgres::Transaction& transaction) -> absl::StatusOr<int64_t> {
        NAVAL_ASSIGN_OR_RETURN(
            const auto rows,
            transaction.Execute("SELECT count(*) AS n FROM match.partition_lease WHERE owner = $1",
                                {testing::ProcessName(service)}));
        return rows[0].Get<int64_t>("n");
      });
  return static_cast<int>(testing::ValueOrDie(owned));
}

}  // namespace naval::chaos
