// Matches as they might stand in the database: whatever the rows hold, a match is read or found
// damaged; and one that is read is stored in its one way, can be shown to everybody, and can be
// played to its end. The same of a game as it might stand in a snapshot.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/bots/bot.h"
#include "lib/rules/game.h"
#include "lib/rules/game_state.h"
#include "lib/rules/placement.h"
#include "lib/rules/view.h"
#include "lib/rules/volley.h"
#include "lib/wire/state_wire.h"
#include "services/match/append.h"
#include "services/match/recorded_match.h"
#include "services/match/sealed_row.h"
#include "tests/fuzz/fail.h"
#include "tests/fuzz/inputs.pb.h"
#include "tests/fuzz/text_target.h"
#include "tests/support/test_keys.h"

namespace naval::fuzz {
namespace {

using match::RecordedMatch;

constexpr char kMatchId[] = "0190b000-0000-7000-8000-000000000001";

// No match has more commands left: two confirmations, and a shot and an end of the clock for every
// square.
constexpr int kMaxCommandsLeft = 500;

const auth::Sealer& Sealer() {
  static const auth::Sealer& sealer = *new auth::Sealer(testing::TestSealer());
  return sealer;
}

// Seals a bare body, whatever it holds, in its own place.
void Seal(match::LogRow& row, const std::string& appended) {
  base::SeededRandom random(1);
  row.body =
      Sealer().Seal(row.body, row.body.size(), match::AssociatedData(kMatchId, row), random) +
      appended;
}

match::StoredMatch ToStored(const StoredLog& log) {
  match::StoredMatch stored{.match_id = kMatchId,
                            .created = log.created().SerializeAsString() + log.created_appended(),
                            .rows = {}};
  for (const StoredRow& row : log.rows()) {
    const std::int64_t seq = static_cast<std::int64_t>(stored.rows.size()) + 1 + row.seq_error();
    std::optional<rules::Seat> seat;
    if (row.seat() == 1) seat = rules::Seat::kFirst;
    if (row.seat() == 2) seat = rules::Seat::kSecond;
    stored.rows.push_back(
        {.seq = seq,
         .seat = seat,
         .request_id = row.request_id(),
         .request_digest = row.request_id().empty() ? "" : "digest",
         .event_time = absl::FromUnixSeconds(1'800'000'000) + absl::Microseconds(row.micros()),
         .body = row.entry().SerializeAsString() + row.appended()});
    if (row.sealed()) Seal(stored.rows.back(), row.sealed_appended());
  }
  return stored;
}

// What is stored again is the same match.
void CheckStoredAgain(const RecordedMatch& match, const match::StoredMatch& stored) {
  const rules::RuleSet& rules = match.game().rules();
  for (const match::LogRow& row : stored.rows) {
    const auto entry = match::OpenRow(kMatchId, rules, row, Sealer());
    Require(entry.ok(), "a row that was read does not open");
    base::SeededRandom random(1);
    const auto again = match::OpenRow(
        kMatchId, rules, match::SealRow(kMatchId, rules, *entry, Sealer(), random), Sealer());
    Require(again.ok() && again->events == entry->events &&
                again->request_digest == entry->request_digest,
            "an entry changes when it is stored again");
  }
}

// Everything that anybody is ever sent of it can be made.
void Show(const RecordedMatch& match, absl::Time now) {
  for (const rules::Viewer viewer : rules::kViewers) {
    match.ViewFor(viewer, now);
    const auto events = match.EventsAfter(0, viewer, 10'000);
    Require(static_cast<std::int64_t>(events.size()) == match.LastSeq(viewer),
            "events are counted wrong");
    for (std::size_t i = 0; i < events.size(); ++i) {
      Require(events[i].seq() == static_cast<std::int64_t>(i) + 1, "numbers of events have gaps");
    }
  }
}

// What is kept of a game that lasts is read as the same game.
void CheckKept(const rules::Game& game) {
  const rules::GameState state = game.State();
  match::log::v1::GameState proto;
  wire::ToLog(state, proto);
  Require(proto.ByteSizeLong() <= wire::LongestGameState(game.rules(), state),
          "a state is longer than the longest");
  const auto read = wire::FromLog(game.rules(), proto);
  Require(read.ok() && *read == state, "a state changes when it is stored");
  const auto restored = rules::Game::FromState(game.settings(), *read);
  Require(restored.ok() && restored->State() == state, "a game changes when it is stored");
}

rules::FireShots NextVolley(const rules::Game& game, base::Random& random) {
  const rules::Seat seat =
      game.Awaits(rules::Seat::kFirst) ? rules::Seat::kFirst : rules::Seat::kSecond;
  Require(game.Awaits(seat), "a round in which no volley is due");
  const rules::Sea& target = *game.sea(rules::Rival(seat));
  rules::SquareSet open = target.open();
  rules::FireShots volley{seat, {}, game.round()};
  for (int left = rules::VolleySize(game.rules(), game.sea(seat), &target); left > 0; --left) {
    const std::uint64_t nth = random.Uniform(static_cast<std::uint64_t>(open.size()));
    volley.squares.push_back(open.Nth(static_cast<int>(nth)));
    open.Remove(volley.squares.back());
  }
  return volley;
}

// What is tried next: a command of the seat whose turn it is, or of the clock.
rules::Command NextCommand(const rules::Game& game, base::Random& random) {
  if (game.NextDeadline().has_value() && random.Uniform(4) == 0) return rules::Tick{};
  if (game.phase() == rules::Phase::kPlacement) {
    const rules::Seat seat =
        game.confirmed(rules::Seat::kFirst) ? rules::Seat::kSecond : rules::Seat::kFirst;
    return rules::ConfirmFleet{seat, *rules::CompleteFleet(game.rules(), {}, random)};
  }
  if (game.round() > 0) return NextVolley(game, random);
  Require(game.turn().has_value(), "a battle in which nobody may shoot");
  const rules::GameView view = rules::ViewOf(game, rules::ViewerAt(*game.turn()));
  const auto bot = bots::MakeBot(bots::BotIds().front());
  const rules::SquareSet shots = (*bot)->ChooseShots(view, random);
  return rules::FireShots{*game.turn(), {shots.begin(), shots.end()}};
}

// A match that was read can be played on, to its end if `most_commands` are enough, by what a
// server does with it.
void PlayOn(RecordedMatch match, int most_commands) {
  base::SeededRandom random(1);
  absl::Time now = match.last_event_time();
  match::Request next{.command = rules::Resume{absl::Seconds(5)}};
  for (int commands = 0;; ++commands) {
    Require(commands < kMaxCommandsLeft, "a match without an end");
    if (std::holds_alternative<rules::Tick>(next.command)) {
      now = std::max(now, *match.game().NextDeadline());
    }
    auto entry = match.Decide(next, now, {.secret = random, .open = random});
    if (!entry.ok()) {
      Require(base::ReasonOf(entry.status()) == "CLOCK_ENDED",
              absl::StrCat("a good command was refused: ", entry.status().ToString()));
      next = {.command = rules::Tick{}};
      continue;
    }
    if (entry->has_value()) {
      match::ToAppend(match, **entry, Sealer(), random);
      match.Apply(**std::move(entry));
    }
    if (match.over()) return Show(match, now);
    CheckKept(match.game());
    next = {.command = commands < most_commands ? NextCommand(match.game(), random)
                                                : rules::Resign{rules::Seat::kFirst}};
  }
}

// A game as it might stand in a snapshot.
void RunState(const match::log::v1::GameState& proto, const rules::GameSettings& settings) {
  const auto state = wire::FromLog(*settings.rules, proto);
  auto game = state.ok() ? rules::Game::FromState(settings, *state) : state.status();
  if (!game.ok()) {
    Require(absl::IsDataLoss(game.status()),
            absl::StrCat("a state was refused with ", game.status().ToString()));
    return;
  }
  CheckKept(*game);
  base::SeededRandom random(1);
  absl::Time now = game->NextDeadline().value_or(absl::UnixEpoch());
  for (int commands = 0; game->phase() != rules::Phase::kOver; ++commands) {
    Require(commands < kMaxCommandsLeft, "a game without an end");
    for (const rules::Viewer viewer : rules::kViewers) rules::ViewOf(*game, viewer);
    rules::Command command = NextCommand(*game, random);
    if (std::holds_alternative<rules::Tick>(command)) now = std::max(now, *game->NextDeadline());
    auto events = game->Decide(command, now, {.secret = random, .open = random});
    if (!events.ok() && base::ReasonOf(events.status()) == "CLOCK_ENDED") {
      events = game->Decide(rules::Tick{}, now, {.secret = random, .open = random});
    }
    Require(events.ok(), "a good command was refused");
    for (const rules::Event& event : *events) game->Apply(event);
  }
}

}  // namespace

const google::protobuf::Message& EmptyInput() { return StoredLog::default_instance(); }

void RunInput(const google::protobuf::Message& input) {
  const auto& log = dynamic_cast<const StoredLog&>(input);
  if (log.has_game() && log.created().players_size() == 2) {
    const auto fresh = RecordedMatch::New(kMatchId, log.created());
    if (fresh.ok()) RunState(log.game(), fresh->game().settings());
  }
  const match::StoredMatch stored = ToStored(log);
  auto match = RecordedMatch::FromStored(stored, Sealer());
  if (!match.ok()) {
    Require(absl::IsDataLoss(match.status()),
            absl::StrCat("refused with ", match.status().ToString()));
    return;
  }
  CheckStoredAgain(*match, stored);
  Show(*match, match->last_event_time());
  PlayOn(*std::move(match), log.commands());
}

}  // namespace naval::fuzz
