#include "tests/chaos/run.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "lib/base/status_macros.h"
#include "tests/support/cluster.h"
#include "tests/support/wait_for.h"
#include "tools/load/players.h"

namespace naval::chaos {
namespace {

using testing::Service;

// A pause that begins so long after a fault belongs to it.
constexpr absl::Duration kAftermath = absl::Seconds(5);
constexpr absl::Duration kForerun = absl::Milliseconds(100);

// At the 99th percentile, after the kill of a process of the match service.
constexpr double kLongestPauseMs = 3000;

constexpr char kNearNothing[] = "while all was well";
constexpr char kStaleRead[] = "stale reads";

// How long the players may take to be ready, and to finish.
constexpr absl::Duration kLimit = absl::Minutes(30);

// What players live through, kept until everything has ended.
class Memory final : public load::Witness {
 public:
  void Paused(absl::Time begin, absl::Time end) override { pauses.emplace_back(begin, end); }
  void ReadAnswered(bool stale) override {
    ++reads;
    stale_reads += stale ? 1 : 0;
  }
  void MatchOver(load::MatchRecord record) override { records.push_back(std::move(record)); }

  std::vector<std::pair<absl::Time, absl::Time>> pauses;
  int64_t reads = 0;
  int64_t stale_reads = 0;
  std::vector<load::MatchRecord> records;
};

game::v1::GameRules Rules(const char* rule_set) {
  game::v1::GameRules rules;
  rules.set_rule_set(rule_set);
  // Their shortest clocks.
  rules.set_pace(game::v1::PACE_LIVE);
  return rules;
}

std::vector<game::v1::GameRules> AllRules() {
  std::vector<game::v1::GameRules> all = {Rules("tablu"), Rules("clasica"), Rules("salvo"),
                                          Rules("selminha"), Rules("salvo")};
  all.front().set_pace(game::v1::PACE_UNSPECIFIED);
  all.back().set_volley(true);
  return all;
}

// The players on a thread of their own, beside the one that harms.
class Play {
 public:
  Play(const Plan& plan, testing::Cluster& cluster, base::Clock& clock)
      : plan_(plan), cluster_(cluster), clock_(clock), thread_([this] { Run(); }) {}

  // Whether all have begun; false when that failed.
  bool AwaitBegun() {
    testing::WaitFor([this] { return begun_ || ended_; }, kLimit);
    return begun_;
  }
  // Whether nobody plays any more.
  bool ended() const { return ended_; }
  // Nothing is harmed any more: all end what they play.
  void Finish() {
    healed_ = true;
    thread_.join();
  }

  // After Finish.
  const absl::Status& status() const { return status_; }
  int64_t stuck() const { return stuck_; }
  const Memory& memory() const { return memory_; }
  const load::Tally& tally() const { return tally_; }

 private:
  void Run() {
    status_ = PlayAll();
    ended_ = true;
  }

  absl::Status PlayAll() {
    base::SecureRandom random;
    load::Players players({.lobby_address = cluster_.Address(Service::kLobby),
                           .match_addresses = {cluster_.Address(Service::kMatch),
                                               cluster_.Address(Service::kOtherMatch)},
                           .players = plan_.players,
                           .rules = AllRules(),
                           .habits = {.think_time = plan_.think_time,
                                      .idle_percent = plan_.idle_percent,
                                      .read_interval = absl::Seconds(1)},
                           .witness = &memory_},
                          clock_, random, tally_);
    NAVAL_RETURN_IF_ERROR(players.Register());
    NAVAL_RETURN_IF_ERROR(players.WarmUp());
    begun_ = true;
    while (!healed_) NAVAL_RETURN_IF_ERROR(players.PlayFor(absl::Milliseconds(100)));
    NAVAL_ASSIGN_OR_RETURN(stuck_, players.End(load::Ending::kPlayed));
    return absl::OkStatus();
  }

  const Plan& plan_;
  testing::Cluster& cluster_;
  base::Clock& clock_;
  std::atomic<bool> begun_ = false;
  std::atomic<bool> healed_ = false;
  std::atomic<bool> ended_ = false;
  // The thread's until it has ended.
  absl::Status status_;
  int64_t stuck_ = 0;
  Memory memory_;
  load::Tally tally_;
  std::thread thread_;
};

// The gravest fault that a pause may come from, or that made it longer.
std::string CauseOf(absl::Time begin, absl::Time end, const std::vector<Fault>& faults) {
  std::optional<FaultKind> cause;
  for (const Fault& fault : faults) {
    if (fault.kind == FaultKind::kRankingKill) continue;
    if (end < fault.begin - kForerun || begin > fault.end + kAftermath) continue;
    cause = std::max(cause.value_or(fault.kind), fault.kind);
  }
  return cause.has_value() ? std::string(FaultName(*cause)) : kNearNothing;
}

std::string WhyInvalid(const Plan& plan, const std::vector<Fault>& faults) {
  const auto count = static_cast<int64_t>(faults.size());
  const int64_t least =
      plan.stops > 0 ? plan.stops : static_cast<int64_t>(plan.duration / plan.schedule.match.to);
  if (count >= least) return "";
  return absl::StrCat("only ", count, " faults where at least ", least, " were to be");
}

void AddPlayed(const Play& play, Outcome& outcome) {
  play.tally().WriteTo(outcome.played);
  outcome.reads = play.memory().reads;
  Findings& findings = outcome.findings;
  const load::Faults& faults = outcome.played.faults;
  findings.Add("streams and answers: lost", faults.lost);
  findings.Add("streams and answers: doubled", faults.doubled);
  findings.Add("streams and answers: reordered", faults.reordered);
  findings.Add("streams and answers: differing", faults.differing);
  findings.Add("pairs of players who did not finish", play.stuck());
  findings.Add(kStaleRead, play.memory().stale_reads);
  const auto internal = outcome.played.errors.find("INTERNAL");
  findings.Add("INTERNAL errors", internal == outcome.played.errors.end() ? 0 : internal->second);
  findings.Look("the players could not go on");
  if (!play.status().ok()) findings.Add("the players could not go on", play.status().ToString());
  for (const auto& [begin, end] : play.memory().pauses) {
    outcome.pauses[CauseOf(begin, end, outcome.faults)].Add(end - begin);
  }
  findings.Look(kPauseTooLong);
  const double p99 = outcome.pauses[std::string(FaultName(FaultKind::kMatchKill))].PercentileMs(99);
  if (p99 > kLongestPauseMs) {
    findings.Add(kPauseTooLong, absl::StrFormat("the 99th percentile is %.0f ms", p99));
  }
}

}  // namespace

absl::StatusOr<Outcome> Run(const Plan& plan) {
  base::SystemClock clock;
  testing::Cluster cluster;
  cluster.Start(Service::kOtherMatch);
  NAVAL_RETURN_IF_ERROR(Audit(cluster));
  Outcome outcome;
  Play play(plan, cluster, clock);
  Faults faults(cluster, clock, plan.seed, plan.schedule, plan.postgres_tool, plan.postgres);
  const absl::Time begin = clock.Now();
  if (play.AwaitBegun()) {
    const auto stopped = [&] { return play.ended(); };
    if (plan.stops > 0) {
      faults.Sleep(plan.stops, stopped);
    } else {
      faults.Run(clock.Now() + plan.duration, stopped);
    }
  }
  play.Finish();
  outcome.played.measured = clock.Now() - begin;
  outcome.faults = faults.done();
  outcome.invalid = WhyInvalid(plan, outcome.faults);
  AddPlayed(play, outcome);
  outcome.findings.Look("results not delivered in time");
  if (!AwaitResults(cluster)) outcome.findings.Add("results not delivered in time", 1);
  NAVAL_ASSIGN_OR_RETURN(outcome.checked,
                         Check(cluster, play.memory().records, outcome.faults, outcome.findings));
  return outcome;
}

std::string TableText(const Plan& plan, const Outcome& outcome) {
  std::string text = absl::StrFormat(
      "seed %d, %d players, %s; %d matches, %d games, %d shots answered\n", plan.seed, plan.players,
      absl::FormatDuration(absl::Trunc(outcome.played.measured, absl::Seconds(1))),
      outcome.checked.matches, outcome.played.games, outcome.played.shots.size());
  absl::StrAppendFormat(&text,
                        "checked: %d rows, %d events of %d histories, %d answers, %d reads,"
                        " %d ends of clocks, %d results\n\n",
                        outcome.checked.rows, outcome.checked.events, outcome.checked.histories,
                        outcome.checked.answers, outcome.reads, outcome.checked.timeouts,
                        outcome.checked.results);
  // How long the faults themselves lasted.
  std::map<std::string, load::Samples> lasted = {{kNearNothing, {}}};
  for (const Fault& fault : outcome.faults) {
    lasted[std::string(FaultName(fault.kind))].Add(fault.end - fault.begin);
  }
  absl::StrAppendFormat(&text, "%-40s %6s %8s %8s %8s %8s %8s %8s\n", "", "times", "lasted",
                        "pauses", "p50 ms", "p90", "p99", "longest");
  for (const auto& [name, faults] : lasted) {
    const auto it = outcome.pauses.find(name);
    const load::Samples pauses = it == outcome.pauses.end() ? load::Samples() : it->second;
    absl::StrAppendFormat(&text, "%-40s %6d %8.0f %8d %8.0f %8.0f %8.0f %8.0f\n", name,
                          faults.size(), faults.PercentileMs(50), pauses.size(),
                          pauses.PercentileMs(50), pauses.PercentileMs(90), pauses.PercentileMs(99),
                          pauses.PercentileMs(100));
  }
  absl::StrAppend(&text, "\ntries that failed:");
  for (const auto& [code, count] : outcome.played.errors) {
    absl::StrAppend(&text, " ", code, " ", count);
  }
  absl::StrAppend(&text, "\n\n");
  for (const auto& [what, count] : outcome.findings.counts()) {
    absl::StrAppendFormat(&text, "%-75s %6d\n", what, count);
    const auto example = outcome.findings.examples().find(what);
    if (example != outcome.findings.examples().end()) {
      absl::StrAppend(&text, "    ", example->second, "\n");
    }
  }
  if (!outcome.invalid.empty()) absl::StrAppend(&text, "\nvoid: ", outcome.invalid, "\n");
  return text;
}

}  // namespace naval::chaos
