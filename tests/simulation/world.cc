#include "tests/simulation/world.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"
#include "lib/base/log.h"
#include "lib/rules/rule_sets.h"
#include "lib/wire/rules_wire.h"
#include "services/match/refusals.h"
#include "tests/simulation/failure.h"
#include "tests/simulation/player.h"
#include "tests/support/test_keys.h"

namespace naval::simulation {
namespace {

// By then every match must have ended, once all is well.
constexpr absl::Duration kHealthyDuration = absl::Minutes(60);

const auth::Sealer& TheSealer() {
  static const auto& sealer = *new auth::Sealer(testing::TestSealer());
  return sealer;
}

// Every rule set with every combination of the options that it offers against such an opponent.
std::vector<rules::RulesChoice> AllChoices(rules::Opponent opponent) {
  std::vector<rules::RulesChoice> choices;
  for (const rules::Preset& preset : rules::AllRuleSets()) {
    for (unsigned options = 0; options < 48; ++options) {
      const rules::RulesChoice choice = {.rule_set = preset.rules.id,
                                         .one_shot_per_turn = (options & 1) != 0,
                                         .untimed = (options & 2) != 0,
                                         .fleet_b = (options & 4) != 0,
                                         .volley = (options & 8) != 0,
                                         .pace = static_cast<rules::Pace>(options / 16)};
      if (rules::ChooseRules(choice, opponent).ok()) choices.push_back(choice);
    }
  }
  return choices;
}

rules::RulesChoice AnyChoice(rules::Opponent opponent, base::Random& random) {
  static const auto& with_people = *new auto(AllChoices(rules::Opponent::kPerson));
  static const auto& with_bots = *new auto(AllChoices(rules::Opponent::kBot));
  const auto& choices = opponent == rules::Opponent::kBot ? with_bots : with_people;
  return choices[random.Uniform(choices.size())];
}

match::log::v1::MatchCreated AnyMatch(const std::string& table_id, const std::string& first,
                                      const std::string& second, base::Random& random) {
  // The stronger one is, the more it thinks.
  constexpr absl::string_view kBots[] = {"jota", "jota", "jota", "jota",
                                         "jota", "jota", "as",   "rey"};
  const bool bot = random.Uniform(6) == 0;
  match::log::v1::MatchCreated created;
  created.set_table_id(table_id);
  *created.mutable_rules() =
      wire::ToProto(AnyChoice(bot ? rules::Opponent::kBot : rules::Opponent::kPerson, random));
  created.set_spectators_allowed(random.Uniform(2) == 0);
  created.set_rated(!bot && random.Uniform(2) == 0);
  match::v1::Player& ana = *created.add_players();
  ana.set_account_id(first);
  ana.set_handle("ana");
  match::v1::Player& rival = *created.add_players();
  if (bot) {
    rival.set_bot(std::string(kBots[random.Uniform(std::size(kBots))]));
    rival.set_handle(rival.bot());
  } else {
    rival.set_account_id(second);
    rival.set_handle("bruno");
  }
  return created;
}

}  // namespace

RunReport RunSeed(std::uint64_t seed, bool trace) {
  // Traced or not, it must be the same run: a line of the log is made under a lock.
  base::SetLogLevel(base::LogLevel::kError);
  World world(seed, trace, /*second=*/false);
  RunReport report = world.Run();
  if (world.twin() == nullptr) return report;
  World other(seed, trace, /*second=*/true);
  other.Run();
  const std::string difference = Twin::Difference(*world.twin(), *other.twin());
  NAVAL_REQUIRE(difference.empty(), difference);
  return report;
}

World::World(std::uint64_t seed, bool trace, bool second)
    : random_(seed),
      trace_(trace),
      swarm_(DrawSwarm(random_)),
      twin_(swarm_.twins ? std::optional<Twin>(std::in_place, seed, second) : std::nullopt),
      sealer_(TheSealer()),
      fibers_(random_, swarm_.interrupt_one_in),
      events_(fibers_),
      referee_(fibers_, sealer_, swarm_.asks_oracle, twin()),
      database_(fibers_, events_, random_, referee_) {}

World::~World() = default;

RunReport World::Run() {
  const absl::Time begin = fibers_.now();
  fibers_.Run([this] { Live(); });
  report_.digest = fibers_.digest();
  report_.duration = fibers_.now() - begin;
  return report_;
}

void World::Live() {
  for (int i = 0; i < swarm_.pods; ++i) StartPod(absl::StrCat("pod-", i));
  for (int i = 0; i < swarm_.matches; ++i) CreateMatch(i);
  for (const auto& player : players_) player->Start();
  database_.SetFaults(swarm_.database);
  ScheduleDisaster();
  events_.In(swarm_.faulty_duration, [this] { Heal(); });
  LookAgain();
  events_.RunUntil([this] { return IsOver(); });
  End();
}

// What the processes do by themselves is no event: it is looked now and then whether that was all.
void World::LookAgain() {
  events_.In(absl::Seconds(1), [this] { LookAgain(); });
}

void World::StartPod(const std::string& owner) {
  const bool before = swarm_.two_releases && random_.Uniform(2) == 0;
  // The senders know the process that sends, which is made with them.
  const auto self = std::make_shared<const Pod*>(nullptr);
  pods_.push_back(std::make_unique<Pod>(
      Pod::Ground{.fibers = fibers_,
                  .database = database_,
                  .referee = referee_,
                  .sealer = sealer_,
                  .send_to_lobby =
                      [this, self](const std::string& body) {
                        return Told(**self, [&] { referee_.LobbyTold(body); });
                      },
                  .send_to_ranking =
                      [this, self](const std::string& body) {
                        return Told(**self, [&] { referee_.RankingTold(body); });
                      },
                  .moved = [this, self](int partition) { EndHandedOn(**self, partition); },
                  .bots_pause = swarm_.bots_pause,
                  .release = before ? Release::kBefore : Release::kThis,
                  .clock_error = ClockError()},
      owner, random_.Next()));
  *self = pods_.back().get();
  Trace([&] { return absl::StrCat(owner, before ? " starts, of the release before" : " starts"); });
}

absl::Duration World::ClockError() {
  const std::int64_t most = absl::ToInt64Microseconds(swarm_.clock_error);
  if (most == 0) return absl::ZeroDuration();
  const auto drawn = random_.Uniform(static_cast<std::uint64_t>(2 * most + 1));
  return absl::Microseconds(static_cast<std::int64_t>(drawn) - most);
}

// Another service is told of something; who is dead tells nothing, and the answer may be lost.
absl::Status World::Told(const Pod& pod, absl::FunctionRef<void()> tell) {
  fibers_.RequireNoLock("a call to another service");
  fibers_.Sleep(Latency());
  const bool lost = !healed_ && OneIn(swarm_.lost_one_in);
  if (pod.dead() || (lost && OneIn(2))) return absl::UnavailableError("not delivered");
  tell();
  fibers_.Sleep(Latency());
  return lost ? absl::UnavailableError("no answer came") : absl::OkStatus();
}

void World::CreateMatch(int number) {
  const std::string match_id = NewId();
  const std::string first = NewId();
  const std::string second = NewId();
  const match::log::v1::MatchCreated created = AnyMatch(NewId(), first, second, random_);
  Trace([&] { return absl::StrCat("match ", match_id, ": ", created.ShortDebugString()); });
  const auto add = [&](const std::string& account, rules::Viewer viewer) {
    players_.push_back(std::make_unique<Player>(*this, match_id, account, viewer));
  };
  add(first, rules::Viewer::kFirst);
  if (created.players(1).bot().empty()) add(second, rules::Viewer::kSecond);
  if (created.spectators_allowed()) add(NewId(), rules::Viewer::kSpectator);
  events_.In(absl::Milliseconds(200 + 100 * number),
             [this, match_id, created] { SendCreate(match_id, created); });
}

// As the lobby does: again and again until it is so.
void World::SendCreate(const std::string& match_id, const match::log::v1::MatchCreated& created) {
  const auto answered = std::make_shared<bool>(false);
  Call<Done>(
      match_id,
      [match_id, created](const Route& route, Reply<Done> reply) {
        route.pod->Create(match_id, created, std::move(reply));
      },
      [this, match_id](const absl::StatusOr<Done>& done) {
        NAVAL_REQUIRE(!done.ok() || referee_.Find(match_id) != nullptr,
                      "a match is said to be created, and is not");
      },
      [answered](const absl::StatusOr<Done>& done) { *answered |= done.ok(); });
  events_.In(absl::Seconds(2), [this, match_id, created, answered] {
    if (!*answered) SendCreate(match_id, created);
  });
}

void World::ScheduleDisaster() {
  if (swarm_.between_disasters == absl::InfiniteDuration()) return;
  events_.In(About(swarm_.between_disasters), [this] {
    if (healed_) return;
    Disaster();
    ScheduleDisaster();
  });
}

void World::Disaster() {
  ++report_.disasters;
  Pod* const pod = AnyPod();
  const auto kind = random_.Uniform(4);
  if (kind == 0 && swarm_.crashes && pod != nullptr) {
    Trace([&] { return absl::StrCat(pod->owner(), " crashes"); });
    pod->Crash();
    BreakStreamsOf(*pod);
    events_.In(About(absl::Seconds(3)), [this, owner = pod->owner()] { StartPod(owner); });
  } else if (kind == 1 && swarm_.drains && pod != nullptr) {
    Trace([&] { return absl::StrCat(pod->owner(), " drains"); });
    pod->Drain();
    // Another name: two of one would be at once.
    events_.In(About(absl::Seconds(3)), [this] { StartPod(absl::StrCat("pod-", pods_.size())); });
  } else if (kind == 2 && swarm_.pauses && pod != nullptr) {
    Trace([&] { return absl::StrCat(pod->owner(), " is paused"); });
    pod->Pause();
    events_.In(About(absl::Seconds(8)), [pod] { pod->Resume(); });
  } else if (kind == 3 && swarm_.database_away) {
    Trace([] { return std::string("the database is away"); });
    database_.SetAway(true);
    events_.In(About(absl::Seconds(5)), [this] { database_.SetAway(false); });
  }
}

void World::Heal() {
  Trace([] { return std::string("all is well from here on"); });
  healed_ = true;
  referee_.Healed();
  database_.SetFaults({});
  database_.SetAway(false);
  for (const auto& pod : pods_) {
    if (!pod->ended()) pod->Resume();
  }
  events_.In(kHealthyDuration, [this] {
    Fail(absl::StrCat(swarm_.matches - referee_.matches_over(), " matches did not end, or ",
                      database_.undelivered(),
                      " messages were not delivered, an hour after all was"
                      " well"));
  });
}

bool World::IsOver() const {
  return referee_.matches_over() == swarm_.matches && database_.undelivered() == 0 &&
         std::all_of(players_.begin(), players_.end(),
                     [](const auto& player) { return player->saw_end(); });
}

void World::End() {
  referee_.CheckDelivered();
  healed_ = true;
  for (const auto& pod : pods_) {
    pod->Resume();
    pod->Drain();
  }
  for (const auto& pod : pods_) pod->Join();
}

std::vector<Pod*> World::Serving() {
  std::vector<Pod*> serving;
  for (const auto& pod : pods_) {
    if (pod->serving()) serving.push_back(pod.get());
  }
  return serving;
}

Pod* World::AnyPod() {
  const std::vector<Pod*> serving = Serving();
  return serving.empty() ? nullptr : serving[random_.Uniform(serving.size())];
}

Pod* World::PodAt(const std::string& address) {
  for (Pod* const pod : Serving()) {
    if (pod->owner() == address) return pod;
  }
  return nullptr;
}

void World::Serves(const Route& route, const std::string& match_id,
                   const std::shared_ptr<ServedStream>& stream) {
  streams_.push_back({route, match::PartitionOf(match_id), stream});
}

// The client is gone, or the network; the server finds out a while later.
void World::Break(const std::shared_ptr<ServedStream>& stream) {
  stream->Break();
  std::vector<Pod*> served_by;
  std::erase_if(streams_, [&](const Stream& served) {
    const bool is_it = served.stream.lock() == stream;
    if (is_it) served_by.push_back(served.route.pod);
    return is_it || served.stream.expired();
  });
  events_.In(About(absl::Seconds(1)), [stream, served_by] {
    for (Pod* const pod : served_by) pod->Unwatch(stream);
  });
}

// As the Forwarder does: the owner may be another by now.
void World::LearnFrom(const absl::Status& answer, Pod& handed_on_by) {
  if (answer.ok()) return;
  const std::string reason = base::ReasonOf(answer);
  if (reason.empty() || reason == match::kNotOwner) handed_on_by.LookSoon();
}

void World::BreakStreamsOf(const Pod& pod) {
  for (const Stream& served : std::vector<Stream>(streams_)) {
    if (served.route.pod != &pod && served.route.handed_on_by != &pod) continue;
    if (const auto stream = served.stream.lock(); stream != nullptr) Break(stream);
  }
}

// Who handed streams on ends them, so that their readers come again.
void World::EndHandedOn(const Pod& by, int partition) {
  for (const Stream& served : std::vector<Stream>(streams_)) {
    if (served.route.handed_on_by != &by || served.partition != partition) continue;
    const auto stream = served.stream.lock();
    if (stream == nullptr) continue;
    stream->End(absl::OkStatus());
    stream->Flush();
    Break(stream);
  }
}

absl::Duration World::About(absl::Duration mean) {
  // Exponentially distributed, cut at eight times the mean.
  const double uniform = (static_cast<double>(random_.Uniform(1 << 20)) + 1) / (1 << 20);
  return absl::Microseconds(static_cast<std::int64_t>(absl::ToDoubleMicroseconds(mean) *
                                                      std::min(-std::log(uniform), 8.0)));
}

std::string World::NewId() { return base::NewId(FiberClock(fibers_), random_); }

void World::Trace(absl::FunctionRef<std::string()> text) const {
  if (!trace_) return;
  absl::PrintF("%s  %s\n", absl::FormatTime("%H:%M:%E6S", fibers_.now(), absl::UTCTimeZone()),
               text());
}

}  // namespace naval::simulation
