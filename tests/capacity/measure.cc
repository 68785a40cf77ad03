#include "tests/capacity/measure.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/auth/sealer.h"
#include "lib/auth/secret_file.h"
#include "lib/base/clock.h"
#include "lib/base/ids.h"
#include "lib/base/random.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/pool.h"
#include "lib/rules/game.h"
#include "services/match/live_matches.h"
#include "tests/capacity/idle_watchers.h"
#include "tests/capacity/stored_matches.h"
#include "tests/support/cluster.h"
#include "tests/support/scrape.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wait_for.h"
#include "tools/client/client.h"
#include "tools/client/player.h"
#include "tools/load/cpu.h"

namespace naval::capacity {
namespace {

using testing::MetricsPage;
using testing::Service;

// Different matches that all others are copies of.
constexpr int kPlayed = 300;

// Longer than a lease lasts.
constexpr absl::Duration kOutage = absl::Minutes(1);

// How long a broken process may take to be called broken.
constexpr absl::Duration kLimit = absl::Minutes(10);

// How often somebody asks for a match while all are read.
constexpr absl::Duration kAskInterval = absl::Milliseconds(20);

// What clocks may lack: partitions are taken one after the other, and the time counts from the
// first.
constexpr absl::Duration kMostShort = absl::Seconds(1);

class Measurement {
 public:
  explicit Measurement(const Plan& plan)
      : plan_(plan),
        pool_(cluster_.database().PoolOptions("match")),
        ana_(Addresses(), clock_, random_),
        bruno_(Addresses(), clock_, random_) {}

  absl::StatusOr<Figures> Run() {
    NAVAL_RETURN_IF_ERROR(Prepare());
    figures_.empty = MeasureSweeps();
    empty_bytes_ = ResidentBytes();
    NAVAL_RETURN_IF_ERROR(StoreWaiting());
    figures_.waiting = MeasureSweeps();
    NAVAL_RETURN_IF_ERROR(StoreRunning());
    NAVAL_RETURN_IF_ERROR(MeasureRecovery());
    NAVAL_RETURN_IF_ERROR(CheckClocks());
    NAVAL_RETURN_IF_ERROR(MeasureWatchers());
    return figures_;
  }

 private:
  client::Client::Options Addresses() const {
    return {.addresses = {.lobby = cluster_.Address(Service::kLobby),
                          .match = cluster_.Address(Service::kMatch),
                          .ranking = cluster_.Address(Service::kRanking)}};
  }

  MetricsPage Page() { return MetricsPage::Of(cluster_.MetricsPort(Service::kMatch)); }
  int64_t ResidentBytes() { return static_cast<int64_t>(Page()["process_resident_memory_bytes"]); }
  absl::Duration MatchCpu() { return absl::Seconds(Page()["process_cpu_seconds_total"]); }
  absl::Duration PostgresCpu() const { return load::CpuOfPostgres(postmaster_); }

  absl::Status Prepare() {
    const std::string key_file = absl::StrCat(folder_.path(), "/sealing");
    NAVAL_RETURN_IF_ERROR(auth::WriteNewFile(key_file, cluster_.sealing_key(), 0600));
    NAVAL_ASSIGN_OR_RETURN(sealer_, auth::Sealer::FromFile(key_file));
    NAVAL_RETURN_IF_ERROR(ana_.CreateGuest());
    NAVAL_RETURN_IF_ERROR(bruno_.CreateGuest());
    return pool_.Transact([&](postgres::Transaction& tx) -> absl::Status {
      NAVAL_ASSIGN_OR_RETURN(const auto rows, tx.Execute("SELECT pg_backend_pid() AS pid"));
      postmaster_ = load::PostmasterOf(rows[0].Get<int32_t>("pid"));
      return absl::OkStatus();
    });
  }

  match::log::v1::MatchCreated Created(const std::string& rule_set, game::v1::Pace pace) {
    match::log::v1::MatchCreated created;
    created.set_table_id(base::NewId(clock_, random_));
    created.mutable_rules()->set_rule_set(rule_set);
    created.mutable_rules()->set_pace(pace);
    for (client::Client* const client : {&ana_, &bruno_}) {
      match::v1::Player& player = *created.add_players();
      player.set_account_id(client->account().account_id());
      player.set_handle(client->account().handle());
    }
    return created;
  }

  Sweep MeasureSweeps() {
    if (plan_.sweeps == 0) return {};
    const absl::Duration match_cpu = MatchCpu();
    const absl::Duration postgres_cpu = PostgresCpu();
    const absl::Duration duration = match::kSweepInterval * plan_.sweeps;
    const absl::Time end = clock_.Now() + duration;
    testing::WaitFor([&] { return clock_.Now() >= end; }, 2 * duration);
    return {.match_cpu = (MatchCpu() - match_cpu) / plan_.sweeps,
            .postgres_cpu = (PostgresCpu() - postgres_cpu) / plan_.sweeps,
            .resident_bytes = ResidentBytes()};
  }

  // Each has begun, and nobody has moved yet.
  absl::Status StoreWaiting() {
    std::vector<PlayedMatch> played;
    for (uint64_t i = 0; i < kPlayed; ++i) {
      NAVAL_ASSIGN_OR_RETURN(played.emplace_back(),
                             Play(Created("selminha", game::v1::PACE_CORRESPONDENCE), i, 1,
                                  clock_.Now() - absl::Minutes(2) * static_cast<double>(i)));
    }
    NAVAL_RETURN_IF_ERROR(Store(pool_, *sealer_, played, plan_.waiting).status());
    return Analyze();
  }

  // The process dies, and its matches are as they were when it did. Their clocks last two minutes,
  // so that nothing happens in them by itself while they are looked at.
  absl::Status StoreRunning() {
    cluster_.Kill(Service::kMatch);
    crash_time_ = clock_.Now() - kOutage;
    for (uint64_t i = 0; i < kPlayed; ++i) {
      NAVAL_ASSIGN_OR_RETURN(played_.emplace_back(),
                             Play(Created("clasica", game::v1::PACE_SLOW), i, std::nullopt,
                                  crash_time_ - absl::Milliseconds(10) * static_cast<double>(i)));
    }
    NAVAL_ASSIGN_OR_RETURN(copies_, Store(pool_, *sealer_, played_, plan_.matches));
    for (const StoredCopy& copy : copies_) {
      figures_.rows += static_cast<int64_t>(copy.played->entries.size());
    }
    NAVAL_RETURN_IF_ERROR(LeaveTo(pool_, testing::ProcessName(Service::kMatch), crash_time_));
    return Analyze();
  }

  // As Postgres does by itself some time after so many rows.
  absl::Status Analyze() {
    return pool_.Transact([](postgres::Transaction& tx) -> absl::Status {
      NAVAL_RETURN_IF_ERROR(tx.ExtendTo(kLimit));
      return tx.ExecuteScript(
          "ANALYZE match.match; ANALYZE match.match_log;"
          " ANALYZE match.match_snapshot");
    });
  }

  absl::Status MeasureRecovery() {
    const absl::Duration postgres_cpu = PostgresCpu();
    restart_time_ = clock_.Now();
    cluster_.Start(Service::kMatch);
    figures_.serving = clock_.Now() - restart_time_;
    NAVAL_RETURN_IF_ERROR(AskWhileLoading());
    figures_.loaded = clock_.Now() - restart_time_;
    if (Page()["naval_live_matches"] != plan_.matches) {
      return absl::DataLossError(absl::StrCat(Page()["naval_live_matches"],
                                              " matches are in memory, not ", plan_.matches));
    }
    NAVAL_RETURN_IF_ERROR(AwaitResumed());
    figures_.resumed = clock_.Now() - restart_time_;
    figures_.match_cpu = MatchCpu();
    figures_.postgres_cpu = PostgresCpu() - postgres_cpu;
    figures_.bytes_per_match = (ResidentBytes() - empty_bytes_) / plan_.matches;
    return absl::OkStatus();
  }

  // Now and then, as a player would who is waited for: asking without a pause takes the processors
  // from what is measured.
  absl::Status AskWhileLoading() {
    std::vector<absl::Duration> took;
    absl::Status asked;
    absl::Time next = clock_.Now();
    const bool loaded = testing::WaitFor(
        [&] {
          const absl::Time begin = clock_.Now();
          if (begin < next) return false;
          next = begin + kAskInterval;
          const StoredCopy& copy = copies_[random_.Uniform(copies_.size())];
          asked = client::MatchOf(ana_, copy.match_id).status();
          took.push_back(clock_.Now() - begin);
          return !asked.ok() || Recovered();
        },
        kLimit);
    NAVAL_RETURN_IF_ERROR(asked);
    if (!loaded) return absl::DeadlineExceededError("the matches do not come back");
    std::sort(took.begin(), took.end());
    figures_.asked = static_cast<int>(took.size());
    figures_.asked_p50 = took[took.size() / 2];
    figures_.asked_p99 = took[took.size() * 99 / 100];
    return absl::OkStatus();
  }

  bool Recovered() {
    const std::string log = cluster_.Log(Service::kMatch);
    return log.rfind("matches_recovered") > log.rfind("\"serving\"");
  }

  absl::Status AwaitResumed() {
    int64_t resumed = 0;
    const bool all = testing::WaitFor(
        [&] {
          const auto counted = CountResumed();
          if (counted.ok()) resumed = *counted;
          return resumed >= plan_.matches;
        },
        kLimit);
    if (all) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("only ", resumed, " of ", plan_.matches, " clocks got their time back"));
  }

  absl::StatusOr<int64_t> CountResumed() {
    return pool_.Transact([&](postgres::Transaction& tx) -> absl::StatusOr<int64_t> {
      NAVAL_ASSIGN_OR_RETURN(
          const auto rows,
          tx.Execute("SELECT count(*) AS n FROM match.match WHERE update_time >= $1",
                     {restart_time_}));
      return rows[0].Get<int64_t>("n");
    });
  }

  // Every match has the rows that it had, and the first that came gave its clock the time back.
  absl::Status CheckClocks() {
    struct Resumed {
      absl::Time event_time;
      absl::Time deadline;
      int64_t head_seq;
    };
    absl::flat_hash_map<std::string, Resumed> resumed;
    NAVAL_RETURN_IF_ERROR(pool_.Transact([&](postgres::Transaction& tx) -> absl::Status {
      NAVAL_ASSIGN_OR_RETURN(const auto rows,
                             tx.Execute("SELECT match_id, update_time, deadline, head_seq"
                                        " FROM match.match WHERE update_time >= $1",
                                        {restart_time_}));
      for (const postgres::Row& row : rows) {
        resumed[row.Get<std::string>("match_id")] = {
            .event_time = row.Get<absl::Time>("update_time"),
            .deadline = row.Get<absl::Time>("deadline"),
            .head_seq = row.Get<int64_t>("head_seq")};
      }
      return absl::OkStatus();
    }));
    for (const StoredCopy& copy : copies_) {
      const auto it = resumed.find(copy.match_id);
      const auto rows = static_cast<int64_t>(copy.played->entries.size());
      if (it == resumed.end() || it->second.head_seq != rows + 1) {
        return absl::DataLossError(
            absl::StrCat(copy.match_id, " has another log than it must have"));
      }
      const absl::Duration had =
          std::max(*copy.played->deadline - crash_time_, rules::kLeastTimeAfterOutage);
      const absl::Duration lacks = had - (it->second.deadline - it->second.event_time);
      figures_.most_short = std::max(figures_.most_short, lacks);
      if (lacks > kMostShort) ++figures_.clocks_short;
    }
    return absl::OkStatus();
  }

  absl::Status MeasureWatchers() {
    const int64_t before = ResidentBytes();
    IdleWatchers watchers(cluster_.Address(Service::kMatch), ana_.session().access_token());
    for (int i = 0; i < plan_.watchers; ++i) {
      watchers.Watch(copies_[static_cast<std::size_t>(i)].match_id);
    }
    if (!testing::WaitFor([&] { return watchers.watching() == plan_.watchers; }, kLimit)) {
      return absl::UnavailableError(
          absl::StrCat("only ", watchers.watching(), " of ", plan_.watchers, " streams are open"));
    }
    figures_.bytes_per_watcher = (ResidentBytes() - before) / plan_.watchers;
    return absl::OkStatus();
  }

  const Plan plan_;
  Figures figures_;
  base::SystemClock clock_;
  base::SecureRandom random_;
  testing::TemporaryFolder folder_;
  testing::Cluster cluster_;
  postgres::Pool pool_;
  std::optional<auth::Sealer> sealer_;
  client::Client ana_;
  client::Client bruno_;
  pid_t postmaster_ = 0;
  int64_t empty_bytes_ = 0;
  absl::Time crash_time_;
  absl::Time restart_time_;
  std::vector<PlayedMatch> played_;
  std::vector<StoredCopy> copies_;
};

double Ms(absl::Duration duration) { return absl::ToDoubleMilliseconds(duration); }
double Mb(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

absl::StatusOr<Figures> Measure(const Plan& plan) { return Measurement(plan).Run(); }

std::string TableText(const Plan& plan, const Figures& figures) {
  const double seconds = absl::ToDoubleSeconds(figures.loaded);
  std::string text = absl::StrFormat(
      "%d live matches of %d rows, %d waiting ones in the store\n"
      "serves after a crash            %8.2f s\n"
      "all matches in memory           %8.2f s   %.0f rows/s\n"
      "every clock has its time back   %8.2f s   %d lack more than a second, at most %.2f s\n"
      "asked for meanwhile, %6d      %8.1f ms  99th of 100: %.1f ms\n"
      "CPU of naval-match, Postgres    %8.2f s   %.2f s\n"
      "memory per live match           %8d bytes\n"
      "memory per idle watcher         %8d bytes, %d of them\n",
      plan.matches, figures.rows / std::max(plan.matches, 1), plan.waiting,
      absl::ToDoubleSeconds(figures.serving), seconds, static_cast<double>(figures.rows) / seconds,
      absl::ToDoubleSeconds(figures.resumed), figures.clocks_short,
      absl::ToDoubleSeconds(figures.most_short), figures.asked, Ms(figures.asked_p50),
      Ms(figures.asked_p99), absl::ToDoubleSeconds(figures.match_cpu),
      absl::ToDoubleSeconds(figures.postgres_cpu), figures.bytes_per_match,
      figures.bytes_per_watcher, plan.watchers);
  if (plan.sweeps == 0) return text;
  for (const auto& [name, sweep] : {std::pair("an empty store", figures.empty),
                                    std::pair("the waiting ones", figures.waiting)}) {
    absl::StrAppendFormat(
        &text, "a minute with %-18s%8.0f ms of CPU, Postgres %.0f ms, %.1f MB in memory\n", name,
        Ms(sweep.match_cpu), Ms(sweep.postgres_cpu), Mb(sweep.resident_bytes));
  }
  return text;
}

std::string JsonLine(const Plan& plan, const Figures& figures) {
  const auto sweep = [](const Sweep& each) {
    return nlohmann::ordered_json{{"match_cpu_ms", Ms(each.match_cpu)},
                                  {"postgres_cpu_ms", Ms(each.postgres_cpu)},
                                  {"resident_bytes", each.resident_bytes}};
  };
  nlohmann::ordered_json line = {{"matches", plan.matches},
                                 {"rows", figures.rows},
                                 {"waiting", plan.waiting},
                                 {"watchers", plan.watchers},
                                 {"serving_s", absl::ToDoubleSeconds(figures.serving)},
                                 {"loaded_s", absl::ToDoubleSeconds(figures.loaded)},
                                 {"resumed_s", absl::ToDoubleSeconds(figures.resumed)},
                                 {"match_cpu_s", absl::ToDoubleSeconds(figures.match_cpu)},
                                 {"postgres_cpu_s", absl::ToDoubleSeconds(figures.postgres_cpu)},
                                 {"asked", figures.asked},
                                 {"asked_p50_ms", Ms(figures.asked_p50)},
                                 {"asked_p99_ms", Ms(figures.asked_p99)},
                                 {"clocks_short", figures.clocks_short},
                                 {"most_short_s", absl::ToDoubleSeconds(figures.most_short)},
                                 {"bytes_per_match", figures.bytes_per_match},
                                 {"bytes_per_watcher", figures.bytes_per_watcher}};
  if (plan.sweeps > 0) {
    line["empty_minute"] = sweep(figures.empty);
    line["waiting_minute"] = sweep(figures.waiting);
  }
  return line.dump() + "\n";
}

}  // namespace naval::capacity
