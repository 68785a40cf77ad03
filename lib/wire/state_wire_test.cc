#include "lib/wire/state_wire.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/random.h"
#include "lib/rules/game.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/test_match.h"
#include "lib/rules/volley.h"
#include "lib/wire/test_golden.h"
#include "lib/wire/test_values.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::StatusIs;
using rules::Seat;

// Of every kind, by the names that testdata/state_v1.txt knows them by. The wire does not ask
// whether a game can stand like this, so that one may hold something in every field.
std::map<std::string, rules::GameState> NamedStates() {
  const rules::SideState confirmed = {.fleet = LegalFleet(), .confirmed = true};
  rules::SideState hit = confirmed;
  hit.shots = {rules::Square(9, 9), rules::Square(0, 0)};
  rules::SideState full = hit;
  full.volley = {rules::Square(1, 1), rules::Square(9, 8)};
  full.strikes = 2;
  const rules::SideState draft = {.fleet = {{.ship = 4, .bow = rules::Square(9, 9)}}};
  return {
      {"start_untimed", {}},
      {"placement", {.sides = {confirmed, draft}, .deadline = kGoldenDeadline}},
      {"battle",
       {.sides = {hit, confirmed},
        .deadline = kGoldenDeadline,
        .starter = Seat::kSecond,
        .turn = Seat::kFirst,
        .phase = rules::Phase::kBattle}},
      {"full",
       {.sides = {full, draft},
        .volley_sizes = {10, 7},
        .deadline = kGoldenDeadline,
        .idle_deadline = kGoldenDeadline + absl::Hours(24),
        .starter = Seat::kFirst,
        .turn = Seat::kSecond,
        .phase = rules::Phase::kBattle,
        .round = 2}},
  };
}

rules::GameState FullState() { return NamedStates().at("full"); }

match::log::v1::GameState Stored(const rules::GameState& state) {
  match::log::v1::GameState proto;
  ToLog(state, proto);
  return proto;
}

constexpr char kGolden[] = "lib/wire/testdata/state_v1.txt";

TEST(StateWire, ReadsWhatVersionOneWrote) {
  const auto expected = NamedStates();
  const auto golden = ReadGolden(kGolden);
  EXPECT_EQ(golden.size(), expected.size());
  for (const auto& [name, entry] : golden) {
    ASSERT_TRUE(expected.contains(name)) << name;
    match::log::v1::GameState proto;
    ASSERT_TRUE(proto.ParseFromString(entry.bytes)) << name;
    EXPECT_EQ(proto.ShortDebugString(), entry.text) << name;
    NAVAL_ASSERT_OK_AND_ASSIGN(const rules::GameState read, FromLog(Tablu(), proto));
    EXPECT_EQ(read, expected.at(name)) << name;
  }
}

TEST(StateWire, RoundTrips) {
  for (const auto& [name, state] : NamedStates()) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const rules::GameState read, FromLog(Tablu(), Stored(state)));
    EXPECT_EQ(read, state) << name;
  }
}

// Fires what is due, or lets the clock do it.
void Move(rules::TestMatch& match, base::Random& random) {
  const rules::Game& game = match.game();
  const Seat seat = game.Awaits(Seat::kFirst) ? Seat::kFirst : Seat::kSecond;
  rules::FireShots fire{seat, {}, game.round()};
  const rules::Sea& target = *game.sea(rules::Rival(seat));
  rules::SquareSet open = target.open();
  const bool volley = game.round() > 0;
  for (int left = volley ? rules::VolleySize(game.rules(), game.sea(seat), &target) : 1; left > 0;
       --left) {
    const std::uint64_t nth = random.Uniform(static_cast<std::uint64_t>(open.size()));
    fire.squares.push_back(open.Nth(static_cast<int>(nth)));
    open.Remove(fire.squares.back());
  }
  const std::optional<absl::Time> deadline = game.NextDeadline();
  if (deadline.has_value() && random.Uniform(8) == 0) {
    match.Wait(*deadline - match.now());
  } else {
    ASSERT_TRUE(match.Do(fire).ok());
  }
}

// Reads, as a game, what is stored of it, and looks at how long that may be.
void ExpectKept(const rules::Game& game) {
  const match::log::v1::GameState proto = Stored(game.State());
  EXPECT_EQ(proto.ByteSizeLong(), LongestGameState(game.rules(), game.State()));
  NAVAL_ASSERT_OK_AND_ASSIGN(const rules::GameState read, FromLog(game.rules(), proto));
  NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Game restored,
                             rules::Game::FromState(game.settings(), read));
  ASSERT_EQ(rules::StateOf(restored), rules::StateOf(game));
}

TEST(StateWire, KeepsEveryStateOfAMatch) {
  for (const rules::Preset& preset : rules::AllRuleSets()) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE(absl::StrCat(preset.rules.id, " seed ", seed));
      base::SeededRandom random(seed);
      const rules::RulesChoice choice = {.rule_set = preset.rules.id,
                                         .untimed = seed / 4 % 2 == 0,
                                         .fleet_b = seed / 2 % 2 == 0 && !preset.fleet_b.empty(),
                                         .volley = seed % 2 == 0 && preset.offers_volley};
      rules::TestMatch match({rules::Chosen(choice), std::nullopt}, seed);
      const rules::RuleSet& rule_set = match.game().rules();
      match.ConfirmBoth(rules::CompleteFleet(rule_set, {}, random).value(),
                        rules::CompleteFleet(rule_set, {}, random).value());
      while (match.game().phase() != rules::Phase::kOver) {
        ExpectKept(match.game());
        Move(match, random);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Every single bit of every state, and every length it may be cut to.
TEST(StateWire, MeetsDamagedBytesWithAStateOrDataLossAndNothingElse) {
  int refused = 0;
  for (const auto& [name, state] : NamedStates()) {
    const std::string bytes = Stored(state).SerializeAsString();
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      for (const std::string& damaged : {flipped, bytes.substr(0, bit / 8)}) {
        match::log::v1::GameState proto;
        if (!proto.ParseFromString(damaged)) continue;
        const auto read = FromLog(Tablu(), proto);
        if (!read.ok()) {
          ++refused;
          EXPECT_THAT(read, StatusIs(absl::StatusCode::kDataLoss)) << name;
        } else {
          const auto game = rules::Game::FromState({Tablu(), std::nullopt}, *read);
          EXPECT_TRUE(game.ok() || absl::IsDataLoss(game.status())) << name;
        }
      }
    }
  }
  EXPECT_GT(refused, 300);
}

TEST(StateWire, TellsNothingHiddenByHowLongAStateMayBe) {
  std::vector<rules::GameState> alike(4, FullState());
  alike[1].sides[1].fleet = {};
  alike[2].sides[1].fleet = LegalFleet();
  alike[3].sides[0].fleet.back().bow = rules::Square(9, 0);
  alike[3].sides[0].volley = {rules::Square(3, 0), rules::Square(3, 1)};
  for (const rules::GameState& state : alike) {
    EXPECT_EQ(LongestGameState(Tablu(), state), LongestGameState(Tablu(), alike[0]));
    EXPECT_LE(Stored(state).ByteSizeLong(), LongestGameState(Tablu(), state));
  }
}

// One thing of a stored state that no version wrote, and the part that is named.
struct Damage {
  std::string part;
  std::function<void(match::log::v1::GameState&)> damage;
};

TEST(StateWire, RefusesWhatNoVersionWrote) {
  using Proto = match::log::v1::GameState;
  const std::string no_square(1, static_cast<char>(rules::kMaxSquares));
  const std::vector<Damage> damages = {
      {"phase", [](Proto& proto) { proto.clear_phase(); }},
      {"phase", [](Proto& proto) { proto.set_phase(match::v1::PHASE_OVER); }},
      {"sides", [](Proto& proto) { proto.mutable_sides()->RemoveLast(); }},
      {"sides", [](Proto& proto) { proto.add_sides(); }},
      {"starter", [](Proto& proto) { proto.set_starter(static_cast<match::v1::Seat>(3)); }},
      {"turn", [](Proto& proto) { proto.set_turn(static_cast<match::v1::Seat>(3)); }},
      {"deadline", [](Proto& proto) { proto.mutable_deadline()->set_nanos(-1); }},
      {"idle_deadline", [](Proto& proto) { proto.mutable_idle_deadline()->set_nanos(-1); }},
      {"fleet", [](Proto& proto) { proto.mutable_sides(0)->mutable_fleet()->pop_back(); }},
      {"fleet", [](Proto& proto) { proto.mutable_sides(0)->set_fleet(std::string("\x0a\0", 2)); }},
      {"fleet", [&](Proto& proto) { proto.mutable_sides(0)->set_fleet("\x01" + no_square); }},
      {"fleet", [](Proto& proto) { proto.mutable_sides(0)->set_fleet(std::string(22, '\0')); }},
      {"shots", [&](Proto& proto) { proto.mutable_sides(1)->set_shots(no_square); }},
      {"volley", [&](Proto& proto) { proto.mutable_sides(0)->set_volley(no_square); }},
      {"volley", [](Proto& proto) { proto.mutable_sides(0)->set_volley("\x02\x01"); }},
      {"volley", [](Proto& proto) { proto.mutable_sides(0)->set_volley("\x01\x01"); }}};
  for (const auto& [part, damage] : damages) {
    Proto proto = Stored(FullState());
    damage(proto);
    const auto read = FromLog(Tablu(), proto);
    ASSERT_THAT(read, StatusIs(absl::StatusCode::kDataLoss)) << part;
    EXPECT_TRUE(absl::StrContains(read.status().message(), part)) << part << read.status();
  }
}

TEST(StateWire, RefusesSquaresOutsideASmallerBoard) {
  rules::RuleSet small = Tablu();
  small.board_size = 8;
  EXPECT_THAT(FromLog(small, Stored(FullState())), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace naval::wire
