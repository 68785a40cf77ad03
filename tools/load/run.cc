#include "tools/load/run.h"

#include <algorithm>

#include "lib/base/status_macros.h"
#include "tools/load/cpu.h"
#include "tools/load/echo.h"
#include "tools/load/inserts.h"
#include "tools/load/players.h"
#include "tools/load/tally.h"

namespace naval::load {
namespace {

// How long the yardsticks are measured; longer than this they tell no more.
constexpr absl::Duration kLongestYardstick = absl::Seconds(5);

using CpuTimes = std::map<std::string, absl::Duration>;

absl::StatusOr<CpuTimes> CpuNow(const Target& target, pid_t postmaster) {
  CpuTimes times;
  for (const auto& [service, port] : target.metrics_ports) {
    NAVAL_ASSIGN_OR_RETURN(times[service], CpuOfService(port));
  }
  if (postmaster != 0) times["postgres"] = CpuOfPostgres(postmaster);
  times["load"] = OwnCpu();
  return times;
}

// A service that was started anew in between counts from its start.
CpuTimes Difference(const CpuTimes& before, const CpuTimes& after) {
  CpuTimes times;
  for (const auto& [process, time] : after) {
    const absl::Duration earlier = before.at(process);
    times[process] = time >= earlier ? time - earlier : time;
  }
  return times;
}

absl::Status PlayAll(const Plan& plan, const Target& target, pid_t postmaster, base::Clock& clock,
                     base::Random& random, Report& report) {
  Tally tally;
  Players players({.lobby_address = target.lobby_address,
                   .match_addresses = {target.match_address},
                   .players = plan.players,
                   .rules = {plan.rules},
                   .habits = {.think_time = plan.think_time}},
                  clock, random, tally);
  NAVAL_RETURN_IF_ERROR(players.Register());
  NAVAL_RETURN_IF_ERROR(players.WarmUp());
  NAVAL_ASSIGN_OR_RETURN(const CpuTimes before, CpuNow(target, postmaster));
  const absl::Time begin = clock.Now();
  NAVAL_RETURN_IF_ERROR(players.PlayFor(plan.duration));
  report.measured = clock.Now() - begin;
  NAVAL_ASSIGN_OR_RETURN(const CpuTimes after, CpuNow(target, postmaster));
  report.cpu = Difference(before, after);
  NAVAL_ASSIGN_OR_RETURN(report.stuck, players.End(Ending::kResigned));
  tally.WriteTo(report);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Report> Run(const Plan& plan, const Target& target, base::Clock& clock,
                           base::Random& random) {
  Report report{.rule_set = plan.rules.rule_set(),
                .options = plan.options,
                .players = plan.players,
                .think_time = plan.think_time};
  const int matches = plan.players / 2;
  const absl::Duration yardstick = std::min(plan.duration / 6, kLongestYardstick);
  pid_t postmaster = 0;
  if (!target.database.empty()) {
    NAVAL_ASSIGN_OR_RETURN(const InsertFigures inserts,
                           MeasureInserts(target.database, matches, yardstick, clock));
    report.insert_events_per_second = inserts.events_per_second;
    report.fsync = inserts.fsync;
    postmaster = inserts.postmaster;
  }
  // On both sides of the play, for the pace of a machine changes within a run.
  NAVAL_ASSIGN_OR_RETURN(const EchoFigures before, MeasureEcho(matches, yardstick, clock, random));
  NAVAL_RETURN_IF_ERROR(PlayAll(plan, target, postmaster, clock, random, report));
  NAVAL_ASSIGN_OR_RETURN(const EchoFigures after, MeasureEcho(matches, yardstick, clock, random));
  report.echo_calls_per_second = (before.calls_per_second + after.calls_per_second) / 2;
  report.echo_cpu_per_call = (before.cpu_per_call + after.cpu_per_call) / 2;
  return report;
}

}  // namespace naval::load
