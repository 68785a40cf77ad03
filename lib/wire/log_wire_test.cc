#include "lib/wire/log_wire.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "google/protobuf/stubs/logging.h"
#include "lib/base/random.h"
#include "lib/wire/test_golden.h"
#include "lib/wire/test_values.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::StatusIs;
using rules::Seat;

rules::ShotFired Shot(Seat seat, rules::Square square, const rules::Impact& impact,
                      bool by_clock = false) {
  return {.seat = seat, .square = square, .impact = impact, .by_clock = by_clock};
}

rules::Impact Water() { return {}; }

rules::Impact Hit() {
  rules::Impact impact;
  impact.result = rules::ShotResult::kHit;
  return impact;
}

rules::Impact Sunk(rules::ShipPlacement ship, rules::SquareSet ring) {
  return {.result = rules::ShotResult::kSunk, .sunk_ship = ship, .ring = ring};
}

// Commands of every kind of event, by the names that testdata/log_v1.txt knows them by.
std::map<std::string, std::vector<rules::Event>> NamedEntries() {
  const rules::Impact sunk =
      Sunk({.ship = 4, .bow = rules::Square(0, 8)},
           {rules::Square(0, 7), rules::Square(1, 7), rules::Square(2, 7), rules::Square(2, 8),
            rules::Square(0, 9), rules::Square(1, 9), rules::Square(2, 9)});
  return {
      {"start", {rules::PlacementStarted{.deadline = kGoldenDeadline}}},
      {"start_untimed", {rules::PlacementStarted{}}},
      {"draft", {rules::DraftChanged{.seat = Seat::kSecond, .draft = LegalFleet()}}},
      {"draft_empty", {rules::DraftChanged{.seat = Seat::kFirst, .draft = {}}}},
      {"confirm", {rules::FleetConfirmed{.seat = Seat::kFirst, .fleet = LegalFleet()}}},
      {"confirm_by_clock",
       {rules::FleetConfirmed{.seat = Seat::kSecond, .fleet = LegalFleet(), .by_clock = true},
        rules::BattleStarted{.starter = Seat::kSecond},
        rules::ShotDue{.seat = Seat::kSecond, .deadline = kGoldenDeadline}}},
      {"water",
       {Shot(Seat::kFirst, rules::Square(9, 9), Water()),
        rules::ShotDue{.seat = Seat::kSecond, .deadline = std::nullopt}}},
      {"hit_by_clock",
       {rules::ClockRanOut{.seat = Seat::kFirst, .strikes = 2},
        Shot(Seat::kFirst, rules::Square(0, 0), Hit(), true),
        rules::ShotDue{.seat = Seat::kFirst, .deadline = kGoldenDeadline}}},
      {"sunk", {Shot(Seat::kSecond, rules::Square(1, 8), sunk)}},
      {"win",
       {Shot(Seat::kSecond, rules::Square(1, 8), sunk),
        rules::MatchEnded{.winner = Seat::kSecond, .reason = rules::EndReason::kFleetDestroyed}}},
      {"resigned",
       {rules::MatchEnded{.winner = Seat::kFirst, .reason = rules::EndReason::kResigned}}},
      {"timed_out",
       {rules::ClockRanOut{.seat = Seat::kFirst, .strikes = 3},
        rules::MatchEnded{.winner = Seat::kSecond, .reason = rules::EndReason::kTimedOut}}},
      {"void", {rules::MatchEnded{.winner = std::nullopt, .reason = rules::EndReason::kTimedOut}}},
      {"aborted",
       {rules::MatchEnded{.winner = std::nullopt, .reason = rules::EndReason::kAborted}}},
      {"resume", {rules::ClockAdjusted{.deadline = kGoldenDeadline}}},
      {"volley",
       {rules::VolleyFired{.seat = Seat::kFirst,
                           .squares = {rules::Square(0, 0), rules::Square(9, 9)},
                           .by_clock = true},
        rules::VolleyAnswered{.seat = Seat::kFirst,
                              .round = 3,
                              .squares = {rules::Square(0, 0), rules::Square(9, 9)},
                              .hits = {0, 0, 0, 1, 1},
                              .sunk_ships = {3, 4}},
        rules::VolleyDue{.round = 4, .shots = {7, 5}, .deadline = kGoldenDeadline}}},
      {"idle_clock", {rules::IdleClockSet{.deadline = kGoldenDeadline}}},
      {"illegal_fleet",
       {rules::MatchEnded{
           .winner = Seat::kSecond,
           .reason = rules::EndReason::kIllegalFleet,
           .illegal_fleet = {{.ship = 4, .bow = rules::Square(9, 9)}, {.ship = 4, .bow = {}}}}}},
  };
}

constexpr char kGolden[] = "lib/wire/testdata/log_v1.txt";

TEST(LogWire, ReadsWhatVersionOneWrote) {
  const auto expected = NamedEntries();
  const auto golden = ReadGolden(kGolden);
  EXPECT_EQ(golden.size(), expected.size());
  for (const auto& [name, entry] : golden) {
    ASSERT_TRUE(expected.contains(name)) << name;
    NAVAL_ASSERT_OK_AND_ASSIGN(const LogEntry read, ParseLogEntry(Tablu(), entry.bytes));
    EXPECT_EQ(read.events, expected.at(name)) << name;
    EXPECT_EQ(read.request_digest, "") << name;
  }
}

TEST(LogWire, ShowsTheGoldenBytesTrulyAsText) {
  for (const auto& [name, entry] : ReadGolden(kGolden)) {
    match::log::v1::LogEntry proto;
    ASSERT_TRUE(proto.ParseFromString(entry.bytes)) << name;
    EXPECT_EQ(proto.ShortDebugString(), entry.text) << name;
  }
}

TEST(LogWire, RoundTripsEveryKindOfEvent) {
  for (const auto& [name, events] : NamedEntries()) {
    NAVAL_ASSERT_OK_AND_ASSIGN(
        const LogEntry read,
        ParseLogEntry(Tablu(), SerializeLogEntry(Tablu(), {events, "digest"})));
    EXPECT_EQ(read.events, events) << name;
    EXPECT_EQ(read.request_digest, "digest") << name;
  }
}

TEST(LogWire, RoundTripsAOneSquareShipHoweverItLies) {
  rules::RuleSet rule_set = Tablu();
  rule_set.ships.push_back({.id = "torpedera", .length = 1});
  for (const auto orientation : {rules::Orientation::kHorizontal, rules::Orientation::kVertical}) {
    const rules::Event event =
        Shot(Seat::kFirst, rules::Square(3, 3),
             Sunk({.ship = 5, .bow = rules::Square(3, 3), .orientation = orientation}, {}));
    NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Event read, FromLog(rule_set, ToLog(rule_set, event)));
    EXPECT_EQ(read, event);
  }
}

// Every single bit of every entry, and every length it may be cut to.
TEST(LogWire, MeetsDamagedBytesWithEventsOrDataLossAndNothingElse) {
  const google::protobuf::LogSilencer no_line_for_each_bad_string;
  int refused = 0;
  for (const auto& [name, events] : NamedEntries()) {
    const std::string bytes = SerializeLogEntry(Tablu(), {events});
    std::vector<std::string> damaged;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      damaged.push_back(bytes.substr(0, i));
      for (int bit = 0; bit < 8; ++bit) {
        damaged.push_back(bytes);
        damaged.back()[i] = static_cast<char>(damaged.back()[i] ^ (1 << bit));
      }
    }
    for (const std::string& text : damaged) {
      const auto read = ParseLogEntry(Tablu(), text);
      if (read.ok()) continue;
      ++refused;
      EXPECT_THAT(read, StatusIs(absl::StatusCode::kDataLoss))
          << name << " " << absl::BytesToHexString(text);
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(LogWire, MeetsRandomBytesWithDataLossOrEvents) {
  const google::protobuf::LogSilencer no_line_for_each_bad_string;
  constexpr std::uint64_t kSeed = 20261129;
  base::SeededRandom random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random.Uniform(24), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    const auto read = ParseLogEntry(Tablu(), bytes);
    EXPECT_TRUE(read.ok() || read.status().code() == absl::StatusCode::kDataLoss)
        << "seed " << kSeed << ", case " << i;
  }
}

// What differs between entries that one could not tell apart without being told a secret.
TEST(LogWire, TellsNothingHiddenByHowLongAnEntryMayBe) {
  const auto volley = [](rules::SquareSet squares) {
    return rules::VolleyFired{.seat = Seat::kFirst, .squares = squares};
  };
  const auto sunk = [](rules::Square bow) {
    return Shot(Seat::kFirst, rules::Square(9, 8), Sunk({.ship = 4, .bow = bow}, {}));
  };
  const std::vector<std::vector<rules::Event>> alike[] = {
      {{rules::DraftChanged{Seat::kFirst, {}}},
       {rules::DraftChanged{Seat::kFirst, {{.ship = 0, .bow = rules::Square(9, 9)}}}},
       {rules::DraftChanged{Seat::kFirst, LegalFleet()}}},
      {{rules::FleetConfirmed{Seat::kFirst, LegalFleet()}},
       {rules::FleetConfirmed{Seat::kFirst, {{.ship = 3, .bow = rules::Square(0, 9)}}}}},
      {{volley({rules::Square(0, 0), rules::Square(1, 0)})},
       {volley({rules::Square(0, 9), rules::Square(9, 9)})}},
      // More squares than have a long name.
      {{volley(rules::SquareSet::Board(4))},
       {volley(rules::SquareSet::Board(5) - rules::SquareSet::Board(3))}},
      {{sunk(rules::Square(8, 8))}, {sunk(rules::Square(9, 9))}},
  };
  for (const auto& entries : alike) {
    const std::size_t longest = LongestLogEntry(Tablu(), {entries.front(), "digest"});
    for (const std::vector<rules::Event>& events : entries) {
      EXPECT_LE(SerializeLogEntry(Tablu(), {events, "digest"}).size(), longest);
      EXPECT_EQ(LongestLogEntry(Tablu(), {events, "digest"}), longest);
    }
  }
  for (const auto& [name, events] : NamedEntries()) {
    EXPECT_LE(SerializeLogEntry(Tablu(), {events}).size(), LongestLogEntry(Tablu(), {events}))
        << name;
  }
}

class DamagedEvent : public ::testing::Test {
 protected:
  // Expects DATA_LOSS with a message that names `part`.
  void ExpectLost(const std::string& part) {
    const auto read = FromLog(Tablu(), event_);
    ASSERT_THAT(read, StatusIs(absl::StatusCode::kDataLoss)) << event_.ShortDebugString();
    EXPECT_TRUE(absl::StrContains(read.status().message(), part)) << read.status();
  }

  match::log::v1::Event event_;
};

TEST_F(DamagedEvent, OfNoKnownKind) { ExpectLost("event"); }

TEST_F(DamagedEvent, WithADeadlineOutOfRange) {
  event_.mutable_placement_started()->mutable_deadline()->set_nanos(-1);
  ExpectLost("deadline");
}

TEST_F(DamagedEvent, WithoutASeat) {
  event_.mutable_draft_changed();
  ExpectLost("seat");
}

TEST_F(DamagedEvent, WithAConfirmedFleetThatLacksShips) {
  event_.mutable_fleet_confirmed()->set_seat(match::v1::SEAT_FIRST);
  ExpectLost("fleet");
}

TEST_F(DamagedEvent, WithNoStarter) {
  event_.mutable_battle_started();
  ExpectLost("starter");
}

TEST_F(DamagedEvent, WithNoStrikes) {
  event_.mutable_clock_ran_out()->set_seat(match::v1::SEAT_FIRST);
  ExpectLost("strikes");
}

TEST_F(DamagedEvent, WithASunkShipThatIsMissing) {
  event_ = ToLog(Tablu(), Shot(Seat::kFirst, rules::Square(0, 0), Hit()));
  event_.mutable_shot_fired()->set_result(match::v1::SHOT_RESULT_SUNK);
  ExpectLost("sunk_ship");
}

TEST_F(DamagedEvent, WithASunkShipOffTheBoard) {
  event_ = ToLog(Tablu(), NamedEntries().at("sunk").at(0));
  event_.mutable_shot_fired()->mutable_sunk_ship()->set_bow("J1");
  ExpectLost("sunk_ship");
}

TEST_F(DamagedEvent, WithASquareOutsideASmallerBoard) {
  rules::RuleSet small = Tablu();
  small.board_size = 8;
  event_ = ToLog(small, Shot(Seat::kFirst, rules::Square(8, 0), {}));
  EXPECT_THAT(FromLog(small, event_), StatusIs(absl::StatusCode::kDataLoss));
  event_.mutable_shot_fired()->set_square("H1");
  event_.mutable_shot_fired()->add_ring_squares("J1");
  EXPECT_THAT(FromLog(small, event_), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(DamagedEvent, WithAnAnswerThatCountsNotEveryClass) {
  event_ = ToLog(Tablu(), NamedEntries().at("volley").at(1));
  event_.mutable_volley_answered()->mutable_hits()->RemoveLast();
  ExpectLost("hits");
}

TEST_F(DamagedEvent, WithTheShotsOfOneSeatOnly) {
  event_ = ToLog(Tablu(), NamedEntries().at("volley").at(2));
  event_.mutable_volley_due()->mutable_shots()->RemoveLast();
  ExpectLost("shots");
}

TEST_F(DamagedEvent, WithAClockSetToNothing) {
  event_.mutable_clock_adjusted();
  ExpectLost("deadline");
}

TEST_F(DamagedEvent, WithAnEndForNoReason) {
  event_.mutable_match_ended()->set_winner(match::v1::SEAT_FIRST);
  ExpectLost("reason");
}

TEST(LogWire, RefusesAnEntryWithoutEvents) {
  EXPECT_THAT(ParseLogEntry(Tablu(), ""), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace naval::wire
