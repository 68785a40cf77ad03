// Short matches by hand. What a command did is compared as text: see Say().
#include "tests/oracle/oracle.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace naval::oracle {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// ---- Text to values

std::vector<std::string> Words(absl::string_view text) {
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}

// "lancha:A9> crucero_1:C3v": to the right, down; '_' for a space.
Fleet Ships(absl::string_view text) {
  Fleet fleet;
  for (const std::string& word : Words(text)) {
    const std::vector<std::string> parts = absl::StrSplit(word, ':');
    fleet.push_back({.ship = absl::StrJoin(absl::StrSplit(parts[0], '_'), " "),
                     .bow = parts[1].substr(0, parts[1].size() - 1),
                     .vertical = parts[1].back() == 'v'});
  }
  return fleet;
}

// Each ship at the left edge, one row of water between any two; Salvo's without.
Fleet TabluFleet() {
  return Ships("portaaviones:A1> acorazado:A3> fragata:A5> submarino:A7> lancha:A9>");
}
Fleet ClasicaFleet() {
  return Ships(
      "acorazado:A1> crucero_1:A3> crucero_2:E3> destructor_1:A5> destructor_2:D5> "
      "destructor_3:G5> torpedera_1:A7> torpedera_2:C7> torpedera_3:E7> torpedera_4:G7>");
}
Fleet SalvoFleet() { return Ships("acorazado:A1> crucero:A2> submarino:A3> destructor:A4>"); }
Fleet SalvoFleetB() { return Ships("acorazado:A1> crucero:A2> destructor_1:A3> destructor_2:A4>"); }
Fleet SelminhaFleet() { return Ships("nao:A1> galera:A3> coca:A5> carabela:A7> barca:A9>"); }

// ---- Values to text

std::string Say(const Violation& violation) {
  static const auto& kinds =
      *new std::map<ViolationKind, std::string>{{ViolationKind::kMissing, "missing"},
                                                {ViolationKind::kOutside, "outside"},
                                                {ViolationKind::kOverlap, "overlap"},
                                                {ViolationKind::kTouch, "touch"}};
  return absl::StrCat(kinds.at(violation.kind), " ", absl::StrJoin(violation.ships, "+"));
}

std::string Say(const std::set<Violation>& violations) {
  std::vector<std::string> texts;
  for (const Violation& violation : violations) texts.push_back(Say(violation));
  return absl::StrJoin(texts, ", ");
}

std::string Say(Reason reason) {
  static const auto& reasons = *new std::map<Reason, std::string>{
      {Reason::kInvalidSquare, "invalid square"},
      {Reason::kUnknownShip, "unknown ship"},
      {Reason::kShipPlacedTwice, "ship placed twice"},
      {Reason::kIllegalFleet, "illegal fleet"},
      {Reason::kFleetAlreadyConfirmed, "fleet already confirmed"},
      {Reason::kPlacementOver, "placement over"},
      {Reason::kBattleNotStarted, "battle not started"},
      {Reason::kNotYourTurn, "not your turn"},
      {Reason::kVolleyAlreadySent, "volley already sent"},
      {Reason::kWrongNumberOfShots, "wrong number of shots"},
      {Reason::kSameSquareTwice, "same square twice"},
      {Reason::kCellAlreadyKnown, "cell already known"},
      {Reason::kClockEnded, "clock ended"},
      {Reason::kMatchOver, "match over"},
      {Reason::kNothingToClaim, "nothing to claim"},
      {Reason::kIllegalChance, "illegal chance"}};
  return reasons.at(reason);
}

std::string Say(const SunkShip& sunk) {
  std::string text = sunk.class_name.value_or("a ship");
  if (sunk.squares) absl::StrAppend(&text, " ", absl::StrJoin(*sunk.squares, "-"));
  return text;
}

std::string Say(const Shot& shot) {
  static const auto& results =
      *new std::map<ShotResult, std::string>{{ShotResult::kWater, "water"},
                                             {ShotResult::kHit, "hit"},
                                             {ShotResult::kSunk, "sunk"},
                                             {ShotResult::kCalled, "called"}};
  return absl::StrCat(shot.square, " ", results.at(shot.result),
                      shot.by_server ? " by server" : "");
}

std::string Say(const Volley& volley) {
  std::string text = absl::StrCat("round ", volley.round, " ", absl::StrJoin(volley.squares, "-"));
  if (volley.by_server) text += " by server";
  for (const auto& [name, hits] : volley.hits_by_class)
    absl::StrAppend(&text, ", ", name, " ", hits);
  for (const SunkShip& sunk : volley.sunk) absl::StrAppend(&text, ", sunk ", Say(sunk));
  return text;
}

std::string Say(const Result& result) {
  static const auto& ends =
      *new std::map<End, std::string>{{End::kFleetDestroyed, "fleet destroyed"},
                                      {End::kResigned, "resigned"},
                                      {End::kTimedOut, "timed out"},
                                      {End::kInfraction, "infraction"},
                                      {End::kAbsenceClaimed, "absence claimed"},
                                      {End::kIdle, "idle"},
                                      {End::kBothAbsent, "both absent"},
                                      {End::kAborted, "aborted"}};
  static const auto& infractions =
      *new std::map<Infraction, std::string>{{Infraction::kWrongNumberOfShips, "number of ships"},
                                             {Infraction::kShipsTouch, "ships touch"},
                                             {Infraction::kWrongBoard, "board"},
                                             {Infraction::kSkippedTurn, "skipped turn"}};
  std::string text = ends.at(result.end);
  for (const Infraction infraction : result.infractions) {
    absl::StrAppend(&text, ", ", infractions.at(infraction));
  }
  absl::StrAppend(&text, result.winner ? absl::StrCat(", winner ", *result.winner) : ", void");
  return text;
}

std::string Say(const Event& event) {
  const std::string seat = event.seat ? absl::StrCat(*event.seat, " ") : "";
  const std::string by_clock = event.by_clock ? " by clock" : "";
  switch (event.kind) {
    case EventKind::kDraftPlaced:
      return absl::StrCat(seat, "draft: ", Say(event.violations));
    case EventKind::kReady:
      return absl::StrCat(seat, "ready", by_clock);
    case EventKind::kBattleBegan:
      return absl::StrCat(seat, "first");
    case EventKind::kShot: {
      std::string text = absl::StrCat(seat, Say(*event.shot));
      if (event.sunk) absl::StrAppend(&text, ": ", Say(*event.sunk));
      if (!event.ring.empty()) absl::StrAppend(&text, ", ring ", absl::StrJoin(event.ring, "-"));
      return text;
    }
    case EventKind::kVolleyIn:
      return absl::StrCat(seat, "volley in", by_clock);
    case EventKind::kVolleyAnswered:
      return absl::StrCat(seat, Say(*event.volley));
    case EventKind::kStrike:
      return absl::StrCat(seat, "strike ", event.strikes);
    case EventKind::kEnded:
      return absl::StrCat("over: ", Say(*event.result));
  }
  return "";
}

// The events, or the reasons of a refusal, on one line: "0 A1 hit; 0 B1 water".
std::string Say(const Outcome& outcome) {
  std::vector<std::string> texts;
  for (const Event& event : outcome.events) texts.push_back(Say(event));
  if (outcome.reasons.empty()) return absl::StrJoin(texts, "; ");
  EXPECT_THAT(texts, IsEmpty()) << "nothing may happen with a refusal";
  for (const Reason reason : outcome.reasons) texts.push_back(Say(reason));
  return absl::StrCat("refused: ", absl::StrJoin(texts, ", "));
}

// ---- A match with its clock

class Table {
 public:
  explicit Table(const OracleRules& rules, int first = 0) : match_(rules, first, now_) {}

  // Both confirm `fleet`.
  Table& Begin(const Fleet& fleet) { return Begin(fleet, fleet); }
  Table& Begin(const Fleet& fleet, const Fleet& of_seat_1) {
    EXPECT_EQ(Confirm(0, fleet), "0 ready");
    EXPECT_THAT(Confirm(1, of_seat_1), ::testing::StartsWith("1 ready; "));
    return *this;
  }

  Table& Later(absl::Duration time) {
    now_ += time;
    return *this;
  }

  std::string Draft(int seat, const Fleet& fleet) {
    return Say(match_.PlaceDraft(seat, fleet, now_));
  }
  std::string Confirm(int seat, const Fleet& fleet) {
    return Say(match_.ConfirmFleet(seat, fleet, now_));
  }
  std::string Fire(int seat, absl::string_view squares) {
    return Say(match_.Fire(seat, Words(squares), now_));
  }
  std::string Resign(int seat) { return Say(match_.Resign(seat, now_)); }
  std::string Claim(int seat) { return Say(match_.ClaimAbsence(seat, now_)); }
  std::string Abort() { return Say(match_.Abort()); }
  std::string Tick(const Chance& chance = {}) { return Say(match_.Tick(now_, chance)); }
  // The server's shots for `seat`.
  std::string TickShots(int seat, absl::string_view squares) {
    return Tick({.shots = {{seat, Words(squares)}}});
  }

  View Seen(std::optional<int> viewer = std::nullopt) const { return match_.ViewOf(viewer); }
  PlayerView Player(int seat, std::optional<int> viewer = std::nullopt) const {
    return match_.ViewOf(viewer).players[static_cast<size_t>(seat)];
  }
  std::vector<std::string> Shots(int seat) const {
    std::vector<std::string> texts;
    for (const Shot& shot : Player(seat).shots) texts.push_back(Say(shot));
    return texts;
  }
  absl::Time now() const { return now_; }
  OracleMatch& match() { return match_; }

 private:
  absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
  OracleMatch match_;
};

// ---- Rule sets, squares, fleets

// T-02, C-01, S-01, M-01, S-06
TEST(OracleRules, HaveTheirFleets) {
  const auto fleet = [](const OracleRules& rules) {
    std::vector<std::string> ships;
    for (const Ship& ship : rules.ships) {
      ships.push_back(absl::StrCat(ship.class_name, " ", ship.length));
    }
    return absl::StrJoin(ships, ", ");
  };
  const auto shots = [](const OracleRules& rules) {
    int sum = 0;
    for (const Ship& ship : rules.ships) sum += ship.volley_shots;
    return sum;
  };
  EXPECT_EQ(fleet(Tablu()), "portaaviones 5, acorazado 4, fragata 3, submarino 3, lancha 2");
  EXPECT_EQ(fleet(Clasica()),
            "acorazado 4, crucero 3, crucero 3, destructor 2, destructor 2, destructor 2, "
            "torpedera 1, torpedera 1, torpedera 1, torpedera 1");
  EXPECT_EQ(fleet(Salvo()), "acorazado 5, crucero 4, submarino 3, destructor 2");
  EXPECT_EQ(shots(Salvo()), 7);
  EXPECT_EQ(fleet(Salvo(Clock::kLive, true)), "acorazado 5, crucero 3, destructor 2, destructor 2");
  EXPECT_EQ(shots(Salvo(Clock::kLive, true)), 7);
  EXPECT_EQ(fleet(Selminha()), "nao 5, galera 4, coca 3, carabela 3, barca 2");
}

// T-03, T-15, T-19, A-08, M-14, M-15
TEST(OracleRules, HaveTheirTimes) {
  EXPECT_EQ(Tablu().placement_time, absl::Seconds(90));
  EXPECT_EQ(Tablu().shot_time, absl::Seconds(25));
  EXPECT_EQ(Tablu().idle_time, std::nullopt);
  EXPECT_EQ(Tablu(false, Clock::kNone).placement_time, std::nullopt);
  EXPECT_EQ(Tablu(false, Clock::kNone).shot_time, std::nullopt);
  EXPECT_EQ(Clasica(Clock::kSlow).placement_time, absl::Minutes(5));
  EXPECT_EQ(Clasica(Clock::kSlow).shot_time, absl::Minutes(2));
  EXPECT_EQ(Selminha().placement_time, absl::Hours(48));
  EXPECT_EQ(Selminha().shot_time, absl::Hours(48));
  EXPECT_EQ(Selminha().idle_time, absl::Hours(168));
}

// T-01
TEST(OracleRules, NameSquaresOfTheBoardInEitherCase) {
  EXPECT_THAT(AllSquares(Tablu()), AllOf(SizeIs(100), Contains("A1"), Contains("J10")));
  EXPECT_EQ(ParseSquare(Tablu(), "a1"), "A1");
  EXPECT_EQ(ParseSquare(Tablu(), "J10"), "J10");
  for (const char* text : {"K1", "A0", "A11", "AA", "1A", "", "A", "A01", " A1", "A1 ", "A-1"}) {
    EXPECT_EQ(ParseSquare(Tablu(), text), std::nullopt) << text;
  }
  OracleRules small = Tablu();
  small.columns = small.rows = 6;
  EXPECT_EQ(ParseSquare(small, "G1"), std::nullopt);
  EXPECT_EQ(ParseSquare(small, "F6"), "F6");
}

// T-08, C-12, S-11, M-03
TEST(OracleRules, SayWhoMayBeFirst) {
  const auto may = [](const OracleRules& rules, std::optional<int> creator,
                      std::optional<int> previous) {
    std::vector<int> seats;
    for (const int first : {0, 1, 2}) {
      if (MayBeFirst(rules, creator, previous, first)) seats.push_back(first);
    }
    return seats;
  };
  EXPECT_THAT(may(Tablu(), 0, std::nullopt), ElementsAre(0, 1));
  EXPECT_THAT(may(Tablu(), 0, 1), ElementsAre(0));
  EXPECT_THAT(may(Clasica(Clock::kLive, Start::kCreator), 1, std::nullopt), ElementsAre(1));
  EXPECT_THAT(may(Clasica(Clock::kLive, Start::kGuest), 1, std::nullopt), ElementsAre(0));
  EXPECT_THAT(may(Clasica(Clock::kLive, Start::kGuest), 1, 0), ElementsAre(1));
  EXPECT_THAT(may(Selminha(), 1, std::nullopt), ElementsAre(1));
  EXPECT_THAT(may(Selminha(), 1, 1), ElementsAre(0));
  EXPECT_THAT(may(Selminha(), std::nullopt, std::nullopt), ElementsAre(0, 1));
  OracleRules volley = Salvo(Clock::kLive, false, true);
  volley.start = Start::kCreator;
  EXPECT_THAT(may(volley, 1, std::nullopt), ElementsAre(0, 1)) << "who announces first is drawn";
}

// T-04, C-02, C-08, S-02: each violation, and nothing of a legal fleet
TEST(OracleFleet, NamesEveryViolation) {
  EXPECT_EQ(Say(ViolationsOf(Tablu(), TabluFleet())), "");
  EXPECT_EQ(Say(ViolationsOf(Clasica(), ClasicaFleet())), "");
  EXPECT_EQ(Say(ViolationsOf(Salvo(), SalvoFleet())), "");
  EXPECT_EQ(Say(ViolationsOf(Salvo(Clock::kLive, true), SalvoFleetB())), "");
  EXPECT_EQ(Say(ViolationsOf(Selminha(), SelminhaFleet())), "");

  EXPECT_EQ(Say(ViolationsOf(Tablu(), {})),
            "missing acorazado, missing fragata, missing lancha, missing portaaviones, "
            "missing submarino");
  // By the corner, by the side, on the same square; past the right edge and past the lower one.
  EXPECT_EQ(Say(ViolationsOf(Tablu(), Ships("portaaviones:A1> acorazado:F2> fragata:F3> "
                                            "submarino:G2v lancha:A10v"))),
            "outside lancha, overlap acorazado+submarino, overlap fragata+submarino, "
            "touch acorazado+fragata, touch acorazado+portaaviones");
  EXPECT_EQ(Say(ViolationsOf(Salvo(), Ships("acorazado:G1> crucero:A2> submarino:A2v "
                                            "destructor:D3>"))),
            "outside acorazado, overlap crucero+submarino");
}

TEST(OracleFleet, LiesOnTheSquaresFromItsBow) {
  EXPECT_THAT(SquaresOf(Tablu(), {"fragata", "c3", false}), ElementsAre("C3", "D3", "E3"));
  EXPECT_THAT(SquaresOf(Tablu(), {"fragata", "C3", true}), ElementsAre("C3", "C4", "C5"));
  EXPECT_THAT(SquaresOf(Tablu(), {"fragata", "J9", true}), ElementsAre("J9", "J10"));
}

// Four by four squares for a ship of four and four of one.
OracleRules SmallSea() {
  OracleRules rules = Clasica();
  rules.columns = rules.rows = 4;
  rules.ships = {{.id = "acorazado", .class_name = "acorazado", .length = 4}};
  for (int i = 1; i <= 4; ++i) {
    rules.ships.push_back({.id = absl::StrCat("torpedera ", i), .class_name = "torpedera"});
  }
  return rules;
}

// T-05
TEST(OracleFleet, KnowsWhetherADraftCanBeCompleted) {
  EXPECT_EQ(CanComplete(Tablu(), {}), Completion::kExists);
  EXPECT_EQ(CanComplete(Clasica(), {}), Completion::kExists);
  EXPECT_EQ(CanComplete(Tablu(), TabluFleet()), Completion::kExists);
  EXPECT_EQ(CanComplete(Tablu(), Ships("lancha:A1> fragata:A2>")), Completion::kNone) << "touch";
  EXPECT_EQ(CanComplete(SmallSea(), Ships("torpedera_1:A1>")), Completion::kNone)
      << "a row of four leaves two rows for four ships";
  OracleRules three = SmallSea();
  three.ships.pop_back();
  three.ships.pop_back();  // the acorazado and two torpederas
  EXPECT_EQ(CanComplete(three, Ships("torpedera_1:A1>")), Completion::kExists);
  EXPECT_EQ(CanComplete(three, Ships("torpedera_1:B2>")), Completion::kExists);
  EXPECT_EQ(CanComplete(three, Ships("torpedera_1:B2> torpedera_2:D4>")), Completion::kNone);

  // The longer ship has room only behind the shorter.
  OracleRules row = SmallSea();
  row.columns = 6;
  row.rows = 1;
  row.ships = {{.id = "x", .length = 1}, {.id = "two", .length = 2}, {.id = "one", .length = 1}};
  EXPECT_EQ(CanComplete(row, Ships("x:C1>")), Completion::kExists);
  row.columns = 4;
  EXPECT_EQ(CanComplete(row, Ships("x:A1>")), Completion::kNone);
  row.may_touch = true;
  EXPECT_EQ(CanComplete(row, Ships("x:A1>")), Completion::kExists);

  OracleRules hard = Tablu();
  for (Ship& ship : hard.ships) ship.length = 6;
  for (int i = 0; i < 10; ++i) hard.ships.push_back({.id = absl::StrCat(i), .length = 6});
  EXPECT_EQ(CanComplete(hard, {}), Completion::kGaveUp);

  EXPECT_TRUE(Completes(Tablu(), Ships("lancha:A9>"), TabluFleet()));
  EXPECT_FALSE(Completes(Tablu(), Ships("lancha:A9v"), TabluFleet())) << "moved";
  EXPECT_FALSE(Completes(Tablu(), {}, Ships("lancha:A9>"))) << "not whole";
  EXPECT_TRUE(Completes(Clasica(), Ships("torpedera_1:A7v"), ClasicaFleet()))
      << "one square lies no way";
}

// T-07
TEST(OracleFleet, DropsOnlyTheLatestShipsThatLeaveNoLegalFleet) {
  const auto fault = [](absl::string_view draft, const Fleet& fleet) {
    return FaultOfDrawnFleet(Tablu(), Ships(draft), fleet);
  };
  EXPECT_EQ(fault("", TabluFleet()), "");
  EXPECT_EQ(fault("lancha:A9> fragata:A5>", TabluFleet()), "");
  EXPECT_EQ(fault("", Ships("lancha:A9>")), "the fleet is not legal");
  EXPECT_EQ(fault("", Ships("balsa:A9>")), "the fleet is not legal");
  EXPECT_EQ(fault("lancha:J9v fragata:A5>", TabluFleet()),
            "the ship 'lancha' was moved from J9 although it could stay");
  EXPECT_EQ(fault("lancha:A9> fragata:H10>", TabluFleet()),
            "the ship 'fragata' was moved from H10 although it could stay");
  // The second touches the first, and falls; the third falls with it, though it could stay alone.
  EXPECT_EQ(fault("lancha:A9> fragata:A10> submarino:H10>", TabluFleet()), "");
  EXPECT_EQ(fault("lancha:I9> fragata:H10> submarino:A7>", TabluFleet()),
            "the ship 'lancha' was moved from I9 although it could stay");
  OracleRules three = SmallSea();
  three.ships.pop_back();
  three.ships.pop_back();
  EXPECT_EQ(FaultOfDrawnFleet(three, Ships("torpedera_1:B2> torpedera_2:D4>"),
                              Ships("torpedera_1:B2> acorazado:A4> torpedera_2:D2>")),
            "");
}

// ---- Placement

// T-03, T-06
TEST(OraclePlacement, ShowsNothingOfAFleetButThatItIsReady) {
  Table table(Tablu());
  const View before = table.Seen(1);
  EXPECT_EQ(table.Draft(0, Ships("lancha:A9> fragata:A10>")),
            "0 draft: missing acorazado, missing portaaviones, missing submarino, "
            "touch fragata+lancha");
  EXPECT_EQ(table.Draft(0, Ships("lancha:a9>")),
            "0 draft: missing acorazado, missing fragata, missing portaaviones, missing submarino");
  EXPECT_EQ(table.Seen(1), before);
  EXPECT_EQ(table.Seen(), table.Seen(2)) << "a spectator";
  EXPECT_EQ(table.Player(0, 0).fleet, Ships("lancha:a9>"));
  EXPECT_EQ(table.Player(0, 1).fleet, std::nullopt);
  EXPECT_EQ(table.Player(0).fleet, std::nullopt);
  EXPECT_EQ(before.deadline, table.now() + absl::Seconds(90));

  EXPECT_EQ(table.Confirm(0, TabluFleet()), "0 ready");
  View ready = before;
  ready.players[0].ready = true;
  EXPECT_EQ(table.Seen(1), ready);

  table.Later(absl::Seconds(3));
  EXPECT_EQ(table.Confirm(1, TabluFleet()), "1 ready; 0 first");
  EXPECT_EQ(table.Seen().phase, Phase::kBattle);
  EXPECT_EQ(table.Seen().turn, 0);
  EXPECT_EQ(table.Seen().deadline, table.now() + absl::Seconds(25));
  EXPECT_EQ(table.Player(0, 1).fleet, std::nullopt);
}

// T-06, C-09
TEST(OraclePlacement, MovesNothingAfterListo) {
  Table table(Tablu());
  table.Confirm(0, TabluFleet());
  EXPECT_EQ(table.Draft(0, {}), "refused: fleet already confirmed");
  EXPECT_EQ(table.Confirm(0, TabluFleet()), "refused: fleet already confirmed");
  EXPECT_EQ(table.Fire(0, "A1"), "refused: battle not started");
  table.Confirm(1, TabluFleet());
  EXPECT_EQ(table.Draft(0, {}), "refused: fleet already confirmed, placement over");
  EXPECT_EQ(table.Player(0, 0).fleet, TabluFleet());
}

// T-04, M-01, S-02; C-06 to C-08 the other way
TEST(OraclePlacement, RefusesAnIllegalFleetWithAllThatIsWrong) {
  for (const OracleRules& rules : {Tablu(), Selminha(), Salvo()}) {
    Table table(rules);
    const std::string& ship = rules.ships[0].id;
    const Fleet fleet = {{.ship = ship, .bow = "J1"}};
    table.Draft(0, fleet);
    const Outcome outcome = table.match().ConfirmFleet(0, fleet, table.now());
    EXPECT_EQ(Say(outcome), "refused: illegal fleet");
    EXPECT_THAT(outcome.violations, SizeIs(rules.ships.size())) << "one outside, the rest missing";
    EXPECT_EQ(table.Player(0, 0).fleet, fleet) << "the draft stays";
    EXPECT_FALSE(table.Player(0, 0).ready);
  }
}

// What is no fleet at all never loses a match.
TEST(OraclePlacement, RefusesWhatIsNoFleet) {
  Table table(Clasica());
  Fleet twice = ClasicaFleet();
  twice.push_back(twice[0]);
  Fleet unknown = ClasicaFleet();
  unknown[0].ship = "balsa";
  Fleet invalid = unknown;
  invalid[1].bow = "K1";
  EXPECT_EQ(table.Draft(0, twice), "refused: ship placed twice");
  EXPECT_EQ(table.Confirm(0, twice), "refused: ship placed twice");
  EXPECT_EQ(table.Confirm(0, unknown), "refused: unknown ship");
  EXPECT_EQ(table.Confirm(0, invalid), "refused: invalid square");
  EXPECT_EQ(table.Confirm(0, ClasicaFleet()), "0 ready");
  EXPECT_EQ(table.Confirm(0, twice), "refused: ship placed twice, fleet already confirmed");
  EXPECT_EQ(table.Confirm(0, invalid), "refused: invalid square") << "always that one";
}

// T-07, A-05, A-10
TEST(OraclePlacement, IsCompletedWhenItsTimeEnds) {
  for (const OracleRules& rules : {Tablu(), Selminha(Clock::kLive)}) {
    const bool is_tablu = rules.ships[0].id == "portaaviones";
    const Fleet fleet = is_tablu ? TabluFleet() : SelminhaFleet();
    Table table(rules, 1);
    table.Draft(0, {fleet[4], fleet[0]});
    table.Later(absl::Seconds(90) - absl::Nanoseconds(1));
    EXPECT_EQ(table.Tick(), "");
    EXPECT_EQ(table.Draft(1, {fleet[2]}).substr(0, 7), "1 draft");
    table.Later(absl::Nanoseconds(1));
    EXPECT_EQ(table.Draft(1, {}), "refused: placement over, clock ended");
    EXPECT_EQ(table.Confirm(1, fleet), "refused: placement over, clock ended");
    EXPECT_EQ(table.Resign(1), "refused: clock ended");

    Fleet moved = fleet;
    moved[0].bow = "F1";
    EXPECT_EQ(table.Tick(), "refused: illegal chance");
    EXPECT_EQ(table.Tick({.fleets = {{0, fleet}}}), "refused: illegal chance");
    EXPECT_EQ(table.Tick({.fleets = {{0, moved}, {1, fleet}}}), "refused: illegal chance");
    EXPECT_EQ(table.Tick({.fleets = {{0, fleet}, {1, {}}}}), "refused: illegal chance");
    EXPECT_EQ(table.Tick({.fleets = {{0, fleet}, {1, fleet}}, .shots = {{0, {"A1"}}}}),
              "refused: illegal chance");
    EXPECT_EQ(table.Seen().phase, Phase::kPlacement);
    EXPECT_EQ(table.Tick({.fleets = {{0, fleet}, {1, fleet}}}),
              "0 ready by clock; 1 ready by clock; 1 first");
  }
}

// only an explicit confirmation can be an infraction.
TEST(OraclePlacement, CompletesTheFleetThatIsMissingAndNoOther) {
  Table table(Clasica(Clock::kSlow));
  table.Confirm(1, ClasicaFleet());
  table.Draft(0, Ships("acorazado:J1>"));
  table.Later(absl::Minutes(5));
  EXPECT_EQ(table.Tick({.fleets = {{0, ClasicaFleet()}, {1, ClasicaFleet()}}}),
            "refused: illegal chance");
  EXPECT_EQ(table.Tick({.fleets = {{0, ClasicaFleet()}}}), "0 ready by clock; 0 first");
}

// C-06, C-07, C-08, C-11
TEST(OraclePlacement, LosesByAnIllegalFleetInClasica) {
  struct Case {
    std::vector<std::string> changes;  // ship, bow, ...; an empty bow takes the ship away
    std::string violations;
    std::string infractions;
  };
  const std::vector<Case> cases = {
      {{"torpedera 4", ""}, "missing torpedera 4", "number of ships"},
      {{"torpedera 4", "F8"}, "touch torpedera 3+torpedera 4", "ships touch"},
      {{"torpedera 4", "E7"}, "overlap torpedera 3+torpedera 4", "ships touch"},
      {{"acorazado", "G1"}, "", ""},
      {{"acorazado", "H1"}, "outside acorazado", "board"},
      {{"acorazado", "H1", "torpedera 4", ""},
       "missing torpedera 4, outside acorazado",
       "number of ships, board"},
  };
  for (const Case& test : cases) {
    Fleet fleet;
    for (PlacedShip placed : ClasicaFleet()) {
      for (size_t i = 0; i < test.changes.size(); i += 2) {
        if (placed.ship == test.changes[i]) placed.bow = test.changes[i + 1];
      }
      if (!placed.bow.empty()) fleet.push_back(placed);
    }
    Table table(Clasica());
    table.Confirm(0, ClasicaFleet());
    table.Draft(1, fleet);
    EXPECT_EQ(table.Seen().phase, Phase::kPlacement) << "a draft loses nothing";
    if (test.violations.empty()) {
      EXPECT_EQ(table.Confirm(1, fleet), "1 ready; 0 first");
      continue;
    }
    EXPECT_EQ(table.Confirm(1, fleet),
              absl::StrCat("over: infraction, ", test.infractions, ", winner 0"));
    EXPECT_EQ(Say(table.Seen().result->violations), test.violations);
    EXPECT_EQ(table.Player(1, 0).fleet, fleet);
    EXPECT_EQ(table.Player(1).fleet, fleet);
    EXPECT_EQ(table.Player(0, 1).fleet, std::nullopt);
    EXPECT_EQ(table.Player(0, 0).fleet, ClasicaFleet());
  }
}

// C-11: of two illegal confirmations the first loses.
TEST(OraclePlacement, IsLostByTheFirstOfTwoIllegalFleets) {
  Table table(Clasica());
  EXPECT_THAT(table.Confirm(1, {}), ::testing::EndsWith("winner 0"));
  EXPECT_EQ(table.Confirm(0, {}), "refused: match over");
}

// ---- Battle

// T-09 to T-13, M-04, M-06, M-07
TEST(OracleBattle, PassesTheTurnAtWaterAndGoesOnAtAHit) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Fire(1, "A1"), "refused: not your turn");
  EXPECT_EQ(table.Fire(0, "K1"), "refused: invalid square");
  EXPECT_EQ(table.Fire(1, "K1"), "refused: invalid square");
  EXPECT_EQ(table.Fire(0, ""), "refused: wrong number of shots");
  EXPECT_EQ(table.Fire(0, "A1 A2"), "refused: wrong number of shots");
  EXPECT_EQ(table.Fire(0, "a10"), "0 A10 water");
  EXPECT_EQ(table.Seen().turn, 1);
  EXPECT_EQ(table.Fire(1, "J10"), "1 J10 water");
  EXPECT_EQ(table.Fire(0, "A10"), "refused: cell already known");
  EXPECT_EQ(table.Fire(0, "B9"), "0 B9 hit");
  EXPECT_EQ(table.Fire(1, "A1"), "refused: not your turn");
  EXPECT_EQ(table.Fire(0, "A9"), "0 A9 sunk: lancha A9-B9, ring A8-B10-B8-C10-C8-C9");
  EXPECT_EQ(table.Fire(0, "C8"), "refused: cell already known");
  EXPECT_EQ(table.Fire(1, "C8"), "refused: not your turn");
  EXPECT_THAT(table.Shots(1), ElementsAre("A10 water", "B9 hit", "A9 sunk"));
  EXPECT_THAT(table.Player(1).ring, UnorderedElementsAre("A8", "B8", "C8", "C9", "B10", "C10"));
  EXPECT_THAT(table.Player(1).open, AllOf(SizeIs(100 - 3 - 6), Not(Contains("C8"))));
  EXPECT_THAT(table.Player(1).sunk,
              ElementsAre(SunkShip{.class_name = "lancha", .squares = {{"A9", "B9"}}}));
  // T-24
  EXPECT_EQ(table.Player(1).ships_afloat, 4);
  EXPECT_EQ(table.Player(1).afloat_by_class->at("lancha"), 0);
  EXPECT_EQ(table.Player(1).afloat_by_class->at("fragata"), 1);
  EXPECT_EQ(table.Player(0).ships_afloat, 5);
  EXPECT_EQ(table.Fire(0, "J1"), "0 J1 water");
  EXPECT_EQ(table.Seen().turn, 1);
}

// Where rings meet, a square is closed once, and what was shot at is a shot.
TEST(OracleBattle, ClosesRingsOnce) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  table.Fire(0, "A7");
  table.Fire(0, "B7");
  EXPECT_EQ(table.Fire(0, "C7"), "0 C7 sunk: submarino A7-B7-C7, ring A6-A8-B6-B8-C6-C8-D6-D7-D8");
  table.Fire(0, "A9");
  EXPECT_EQ(table.Fire(0, "B9"), "0 B9 sunk: lancha A9-B9, ring A10-B10-C10-C9");
}

// T-14, M-08, A-04, A-07
TEST(OracleBattle, EndsAtTheLastHitAndRevealsBothFleets) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  std::string last;
  for (const char* square : {"A1", "B1", "C1", "D1", "E1", "A3", "B3", "C3", "D3", "A5", "B5", "C5",
                             "A7", "B7", "C7", "A9", "B9"}) {
    EXPECT_EQ(table.Player(1, 0).fleet, std::nullopt);
    last = table.Fire(0, square);
  }
  EXPECT_THAT(last, ::testing::EndsWith("; over: fleet destroyed, winner 0"));
  for (const std::optional<int> viewer : {std::optional<int>(0), std::optional<int>(1), {}}) {
    EXPECT_EQ(table.Player(0, viewer).fleet, TabluFleet());
    EXPECT_EQ(table.Player(1, viewer).fleet, TabluFleet());
  }
  EXPECT_EQ(table.Seen().turn, std::nullopt);
  EXPECT_EQ(table.Seen().deadline, std::nullopt);
  EXPECT_EQ(table.Fire(0, "J1"), "refused: match over");
  EXPECT_EQ(table.Confirm(0, TabluFleet()), "refused: fleet already confirmed, match over");
  EXPECT_EQ(table.Resign(1), "refused: match over");
  EXPECT_EQ(table.Claim(1), "refused: match over");
  EXPECT_EQ(table.Abort(), "refused: match over");
  EXPECT_EQ(table.Later(absl::Hours(1)).Tick(), "");
  EXPECT_EQ(table.Fire(0, "K1"), "refused: invalid square");
}

// T-18
TEST(OracleBattle, AlternatesWithOneShotPerTurn) {
  Table table(Tablu(true), 1);
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Fire(1, "A9"), "1 A9 hit");
  EXPECT_EQ(table.Fire(1, "B9"), "refused: not your turn");
  EXPECT_EQ(table.Fire(0, "J1"), "0 J1 water");
  EXPECT_THAT(table.Fire(1, "B9"), ::testing::StartsWith("1 B9 sunk: lancha A9-B9"));
  EXPECT_EQ(table.Seen().turn, 0);
}

// C-03, C-04, C-05
TEST(OracleBattle, TellsOnlyThatAShipSankInClasica) {
  Table table(Clasica());
  table.Begin(ClasicaFleet());
  EXPECT_EQ(table.Fire(0, "A7"), "0 A7 sunk: a ship, ring A6-A8-B6-B7-B8");
  EXPECT_EQ(table.Fire(0, "A5"), "0 A5 hit");
  EXPECT_EQ(table.Fire(0, "B5"), "0 B5 sunk: a ship, ring A4-B4-C4-C5-C6");
  EXPECT_EQ(table.Seen().turn, 0);
  EXPECT_THAT(table.Player(1).sunk, ElementsAre(SunkShip(), SunkShip()));
  EXPECT_EQ(table.Player(1).ships_afloat, 8);
  EXPECT_EQ(table.Player(1).afloat_by_class, std::nullopt);
  for (const char* square : {"C7", "E7", "G7", "D5", "E5", "G5", "H5", "A3", "B3", "C3", "E3", "F3",
                             "G3", "A1", "B1", "C1"}) {
    EXPECT_THAT(table.Fire(0, square), Not(::testing::HasSubstr("over")));
  }
  EXPECT_THAT(table.Fire(0, "D1"), ::testing::EndsWith("; over: fleet destroyed, winner 0"));
}

// S-03, S-04, S-05
TEST(OracleBattle, AlternatesInSalvoAndTellsNamesWithoutSquares) {
  Table table(Salvo());
  table.Begin(SalvoFleet());
  EXPECT_EQ(table.Fire(0, "A4"), "0 A4 hit");
  EXPECT_EQ(table.Fire(1, "A5"), "1 A5 water");
  EXPECT_EQ(table.Fire(0, "A4"), "refused: cell already known");
  EXPECT_EQ(table.Fire(0, "B4"), "0 B4 sunk: destructor");
  EXPECT_THAT(table.Player(1).sunk, ElementsAre(SunkShip{.class_name = "destructor"}));
  EXPECT_THAT(table.Player(1).ring, IsEmpty());
  EXPECT_EQ(table.Player(1).afloat_by_class->at("destructor"), 0);
  EXPECT_EQ(table.Fire(1, "A4"), "1 A4 hit");
}

// T-23, M-05: with equal results, everybody but the owner sees the same of unequal fleets.
TEST(OracleBattle, ShowsNothingOfWhatIsHidden) {
  const Fleet other = Ships("acorazado:A1> portaaviones:A3> lancha:J9v submarino:A5> fragata:A7>");
  Table one(Tablu()), two(Tablu());
  one.Begin(TabluFleet(), TabluFleet());
  two.Begin(TabluFleet(), other);
  for (const char* square : {"A1", "B1", "C3", "A7", "F6"}) {
    EXPECT_EQ(one.Fire(0, square), two.Fire(0, square));
    EXPECT_EQ(one.Seen(0), two.Seen(0));
    EXPECT_EQ(one.Seen(), two.Seen());
    EXPECT_NE(one.Seen(1), two.Seen(1));
  }
}

// several shots in one turn.
TEST(OracleBattle, AnswersEachOfSeveralShotsOfATurn) {
  OracleRules rules = Tablu(true);
  rules.shots_a_turn = 3;
  Table table(rules);
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Fire(0, "A9 B9"), "refused: wrong number of shots");
  EXPECT_EQ(table.Fire(0, "A9 B9 a9"), "refused: same square twice");
  // The third is closed by the ring of the second, and was open as the turn was sent.
  EXPECT_EQ(table.Fire(0, "A9 B9 C9"),
            "0 A9 hit; 0 B9 sunk: lancha A9-B9, ring A10-A8-B10-B8-C10-C8-C9; 0 C9 water");
  EXPECT_THAT(table.Player(1).ring, Not(Contains("C9")));
  EXPECT_EQ(table.Seen().turn, 1);

  rules.turn_order = TurnOrder::kHitAgain;
  Table again(rules);
  again.Begin(TabluFleet());
  EXPECT_EQ(again.Fire(0, "A1 J1 J2"), "0 A1 hit; 0 J1 water; 0 J2 water");
  EXPECT_EQ(again.Seen().turn, 0) << "one of them hit";
  again.Fire(0, "J3 J4 J5");
  EXPECT_EQ(again.Seen().turn, 1);
}

// A-01, T-14
TEST(OracleBattle, EndsInTheMiddleOfATurnOfSeveralShots) {
  OracleRules rules = Tablu(true);
  rules.ships = {{.id = "a", .class_name = "a", .length = 2, .volley_shots = 2},
                 {.id = "b", .class_name = "b", .length = 1, .volley_shots = 1}};
  rules.shots_a_turn.reset();  // by ships afloat
  Table table(rules);
  table.Begin(Ships("a:A1> b:A3>"));
  EXPECT_EQ(table.Player(0).shots_a_turn, 3);
  EXPECT_THAT(table.Fire(0, "A3 J1 J2"), ::testing::StartsWith("0 A3 sunk: b A3, ring"));
  EXPECT_EQ(table.Player(1).shots_a_turn, 2) << "one ship less";
  EXPECT_EQ(table.Fire(1, "J1 J2 J3"), "refused: wrong number of shots");
  table.Fire(1, "J1 J2");
  EXPECT_EQ(table.Fire(0, "A1 B1 J10"),
            "0 A1 hit; 0 B1 sunk: a A1-B1, ring C1-C2; over: fleet destroyed, winner 0");
  EXPECT_THAT(table.Shots(1), Not(Contains("J10 water")));
}

// S-06: never more than the open cells left, in any turn.
TEST(OracleBattle, HasNoMoreShotsThanThereAreOpenSquares) {
  OracleRules rules = Salvo();
  rules.columns = 3;
  rules.rows = 1;
  rules.shots_a_turn = 2;
  rules.ships = {{.id = "a", .class_name = "a", .length = 1}};
  Table table(rules);
  table.Begin(Ships("a:A1>"));
  table.Fire(0, "B1 C1");
  table.Fire(1, "B1 C1");
  EXPECT_EQ(table.Player(0).shots_a_turn, 1);
  EXPECT_EQ(table.Fire(0, "A1"), "0 A1 sunk: a; over: fleet destroyed, winner 0");
}

// ---- The shot clock

// T-15, T-16, T-17, A-05
TEST(OracleShotClock, ShootsForWhoIsLateAndTakesTheMatchAtTheThird) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  table.Later(absl::Seconds(20));
  EXPECT_EQ(table.Fire(0, "A1"), "0 A1 hit");
  EXPECT_EQ(table.Seen().deadline, table.now() + absl::Seconds(25)) << "anew at every extra shot";
  table.Later(absl::Seconds(25) - absl::Nanoseconds(1));
  EXPECT_EQ(table.Tick(), "");
  EXPECT_EQ(table.TickShots(0, "B1"), "refused: illegal chance") << "it is not time yet";
  table.Later(absl::Nanoseconds(1));
  EXPECT_EQ(table.Fire(0, "B1"), "refused: clock ended");
  EXPECT_EQ(table.Fire(1, "B1"), "refused: not your turn, clock ended");
  EXPECT_EQ(table.Tick(), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(1, "B1"), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(0, "A1"), "refused: illegal chance") << "known";
  EXPECT_EQ(table.TickShots(0, "B1 C1"), "refused: illegal chance") << "two";
  EXPECT_EQ(table.Tick({.fleets = {{0, TabluFleet()}}, .shots = {{0, {"B1"}}}}),
            "refused: illegal chance");
  EXPECT_EQ(table.Player(0).strikes, 0);
  EXPECT_EQ(table.TickShots(0, "B1"), "0 strike 1; 0 B1 hit by server");
  EXPECT_EQ(table.Seen().deadline, table.now() + absl::Seconds(25));
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.TickShots(0, "J1"), "0 strike 2; 0 J1 water by server");
  EXPECT_EQ(table.Fire(1, "J1"), "1 J1 water");
  EXPECT_EQ(table.Player(0).strikes, 2) << "survives the rival's turn";
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.TickShots(0, "J2"), "refused: illegal chance") << "no third shot";
  EXPECT_EQ(table.Tick(), "0 strike 3; over: timed out, winner 1");
  EXPECT_EQ(table.Player(0, 1).fleet, TabluFleet());
}

// T-17
TEST(OracleShotClock, ForgetsStrikesAtAShot) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  for (const char* square : {"A1", "B1"}) table.Later(absl::Seconds(25)).TickShots(0, square);
  EXPECT_EQ(table.Player(0).strikes, 2);
  EXPECT_EQ(table.Fire(0, "A1"), "refused: cell already known");
  EXPECT_EQ(table.Player(0).strikes, 2) << "a refused shot is none";
  EXPECT_EQ(table.Fire(0, "C1"), "0 C1 hit");
  EXPECT_EQ(table.Player(0).strikes, 0);
  EXPECT_EQ(table.Later(absl::Seconds(25)).TickShots(0, "D1"), "0 strike 1; 0 D1 hit by server");
}

// C-10, C-11
TEST(OracleShotClock, TakesTheMatchAtOnceInClasica) {
  Table table(Clasica(Clock::kSlow), 1);
  table.Begin(ClasicaFleet());
  table.Later(absl::Minutes(2));
  EXPECT_EQ(table.TickShots(1, "A1"), "refused: illegal chance");
  EXPECT_EQ(table.Tick(), "over: infraction, skipped turn, winner 0");
  EXPECT_EQ(table.Player(1, 0).fleet, ClasicaFleet());
  EXPECT_EQ(table.Player(0, 1).fleet, ClasicaFleet());
}

//
TEST(OracleShotClock, MayBeAbsent) {
  Table table(Tablu(false, Clock::kNone));
  EXPECT_EQ(table.Later(absl::Hours(1000)).Tick(), "");
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Later(absl::Hours(1000)).Tick(), "");
  EXPECT_EQ(table.Seen().deadline, std::nullopt);
  EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Fire(0, "J1"), "0 J1 water");
}

// ---- Volleys

constexpr absl::string_view kWater7 = "F10 G10 H10 I10 J10 J9 J8";

// S-06, S-07, S-08, S-09
TEST(OracleVolley, IsAnsweredByClassWhenBothAreIn) {
  Table table(Salvo(Clock::kLive, false, true), 1);
  table.Begin(SalvoFleet());
  EXPECT_EQ(table.Seen().turn, std::nullopt);
  EXPECT_EQ(table.Seen().round, 1);
  EXPECT_EQ(table.Player(0).shots_a_turn, 7);
  EXPECT_EQ(table.Fire(0, "A1 B1"), "refused: wrong number of shots");
  EXPECT_EQ(table.Fire(0, "A1 B1 C1 D1 E1 A2 a2"), "refused: same square twice");
  EXPECT_EQ(table.Fire(0, "A1 B1 C1 D1 E1 A2 K2"), "refused: invalid square");

  const View before = table.Seen(1);
  EXPECT_EQ(table.Fire(0, "A1 a2 A3 J1 J2 J3 J4"), "0 volley in");
  EXPECT_EQ(table.Fire(0, kWater7), "refused: volley already sent");
  EXPECT_THAT(table.Player(0, 0).volley,
              ::testing::Optional(ElementsAre("A1", "A2", "A3", "J1", "J2", "J3", "J4")));
  View in = before;
  in.players[0].volley_in = true;
  EXPECT_EQ(table.Seen(1), in) << "that it is in may be seen, and no more";
  EXPECT_EQ(table.Player(0).volley, std::nullopt);

  EXPECT_EQ(
      table.Fire(1, "A4 B4 A1 B1 J1 J2 J3"),
      "1 volley in; 1 round 1 A4-B4-A1-B1-J1-J2-J3, acorazado 2, destructor 2, sunk destructor; "
      "0 round 1 A1-A2-A3-J1-J2-J3-J4, acorazado 1, crucero 1, submarino 1");
  EXPECT_EQ(table.Seen().round, 2);
  for (const std::optional<int> viewer : {std::optional<int>(0), std::optional<int>(1), {}}) {
    for (const Shot& shot : table.Player(0, viewer).shots) {
      EXPECT_EQ(shot.result, ShotResult::kCalled);
    }
  }
  EXPECT_THAT(table.Player(0).sunk, ElementsAre(SunkShip{.class_name = "destructor"}));
  EXPECT_THAT(table.Player(0).volleys, SizeIs(1));
  EXPECT_THAT(table.Player(0).open, SizeIs(93));
  EXPECT_FALSE(table.Player(0).volley_in);
  // S-10
  EXPECT_EQ(table.Player(0).shots_a_turn, 6);
  EXPECT_EQ(table.Player(1).shots_a_turn, 7);
  EXPECT_EQ(table.Fire(0, "A1 B1 C1 D1 E1 F1"), "refused: cell already known");
  EXPECT_EQ(table.Fire(0, "B1 C1 D1 E1 F1 G1"), "0 volley in");
  EXPECT_THAT(table.Fire(1, "A5 B5 C5 D5 E5 F5 G5"),
              ::testing::EndsWith("1 round 2 A5-B5-C5-D5-E5-F5-G5; "
                                  "0 round 2 B1-C1-D1-E1-F1-G1, acorazado 4, sunk acorazado"));
  EXPECT_THAT(table.Player(0).sunk, SizeIs(1)) << "a ship sinks once";
}

// S-09: ships of a class share one count.
TEST(OracleVolley, CountsBothDestructoresOfFleetBTogether) {
  Table table(Salvo(Clock::kLive, true, true));
  table.Begin(SalvoFleetB());
  table.Fire(0, "A3 A4 B4 J1 J2 J3 J4");
  EXPECT_EQ(
      table.Fire(1, kWater7),
      absl::StrCat("1 volley in; 0 round 1 A3-A4-B4-J1-J2-J3-J4, destructor 3, sunk destructor; "
                   "1 round 1 ",
                   absl::StrJoin(Words(kWater7), "-")));
  EXPECT_EQ(table.Player(1).afloat_by_class->at("destructor"), 1);
}

// S-09, T-23: which of the called squares hit cannot be told from any view but the owner's.
TEST(OracleVolley, HidesWhichShotHit) {
  const Fleet other = Ships("acorazado:F1v crucero:A2> submarino:A3> destructor:A4>");
  Table one(Salvo(Clock::kLive, false, true)), two(Salvo(Clock::kLive, false, true));
  one.Begin(SalvoFleet(), SalvoFleet());
  two.Begin(SalvoFleet(), other);
  for (Table* table : {&one, &two}) {
    table->Fire(0, "A1 B1 F1 F2 J1 J2 J3");
    table->Fire(1, kWater7);
  }
  EXPECT_EQ(Say(one.Player(1).volleys[0]), "round 1 A1-B1-F1-F2-J1-J2-J3, acorazado 2");
  EXPECT_EQ(one.Seen(0), two.Seen(0));
  EXPECT_EQ(one.Seen(), two.Seen());
}

// A small sea for volleys that decide: a of two squares, two shots, and b of one, one shot.
OracleRules SmallVolley() {
  OracleRules rules = Salvo(Clock::kLive, false, true);
  rules.ships = {{.id = "a", .class_name = "a", .length = 2, .volley_shots = 2},
                 {.id = "b", .class_name = "b", .length = 1, .volley_shots = 1}};
  return rules;
}

// S-08, S-11
TEST(OracleVolley, IsWonByTheFirstAnnouncerWhenBothFleetsEnd) {
  for (const int first : {0, 1}) {
    Table table(SmallVolley(), first);
    table.Begin(Ships("a:A1> b:A3>"));
    table.Fire(0, "A1 B1 A3");
    EXPECT_THAT(table.Fire(1, "A3 B1 A1"),
                ::testing::EndsWith(absl::StrCat("; over: fleet destroyed, winner ", first)));
    EXPECT_THAT(table.Player(0).volleys, SizeIs(1)) << "both count";
    EXPECT_THAT(table.Player(1).volleys, SizeIs(1));
    EXPECT_EQ(table.Player(0, 1).fleet, Ships("a:A1> b:A3>"));
    EXPECT_THAT(table.Shots(0), ElementsAre("A3 called", "B1 called", "A1 called"));
  }
}

// S-11
TEST(OracleVolley, IsWonByTheSecondAnnouncerWhenOnlyTheFirstsFleetEnds) {
  Table table(SmallVolley(), 0);
  table.Begin(Ships("a:A1> b:A3>"));
  table.Fire(0, "J1 J2 J3");
  EXPECT_THAT(table.Fire(1, "A3 B1 A1"), ::testing::EndsWith("; over: fleet destroyed, winner 1"));
}

// S-12
TEST(OracleVolley, IsDrawnForWhoSentNone) {
  Table table(SmallVolley());
  table.Begin(Ships("a:A1> b:A3>"));
  table.Later(absl::Seconds(20)).Fire(1, "J1 J2 J3");
  EXPECT_EQ(table.Seen().deadline, table.now() + absl::Seconds(5)) << "one time for both";
  table.Later(absl::Seconds(5));
  EXPECT_EQ(table.Fire(0, "J1 J2 J3"), "refused: clock ended");
  EXPECT_EQ(table.TickShots(1, "A1 B1 A2"), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(0, "A1 B1"), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(0, "A1 B1 A1"), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(0, "A1 B1 J1"),
            "0 strike 1; 0 volley in by clock; 0 round 1 A1-B1-J1 by server, a 2, sunk a; "
            "1 round 1 J1-J2-J3");
  table.Fire(1, "J5");
  table.Later(absl::Seconds(25));
  EXPECT_THAT(table.TickShots(0, "J4 J5 J6"), ::testing::StartsWith("0 strike 2; "));
  table.Fire(1, "J6");
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.TickShots(0, "J7 J8 J9"), "refused: illegal chance");
  EXPECT_EQ(table.Tick(), "0 strike 3; over: timed out, winner 1");
}

// S-12
TEST(OracleVolley, EndsVoidWhenBothAreLateForTheThirdTime) {
  Table table(SmallVolley());
  table.Begin(Ships("a:A1> b:A3>"));
  for (const char* squares : {"J1 J2 J3", "J4 J5 J6"}) {
    table.Later(absl::Seconds(25));
    EXPECT_EQ(table.TickShots(0, squares), "refused: illegal chance") << "both are due";
    EXPECT_THAT(table.Tick({.shots = {{0, Words(squares)}, {1, Words(squares)}}}),
                ::testing::HasSubstr("0 volley in by clock; 1 volley in by clock; "));
  }
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.Tick(), "0 strike 3; 1 strike 3; over: both absent, void");
  EXPECT_EQ(table.Player(0, 1).fleet, Ships("a:A1> b:A3>"));
}

// S-12, T-17
TEST(OracleVolley, ForgetsStrikesAtAVolleySent) {
  Table table(SmallVolley());
  table.Begin(Ships("a:A1> b:A3>"));
  table.Later(absl::Seconds(25)).Tick({.shots = {{0, Words("J1 J2 J3")}, {1, Words("J1 J2 J3")}}});
  EXPECT_EQ(table.Player(0).strikes, 1);
  EXPECT_EQ(table.Fire(0, "J4 J5 J6"), "0 volley in");
  EXPECT_EQ(table.Player(0).strikes, 0);
  EXPECT_EQ(table.Player(1).strikes, 1);
}

// C-10, S-12, A-01
TEST(OracleVolley, IsLostByWhoSkipsItWhereSkippingLoses) {
  OracleRules rules = SmallVolley();
  rules.clock_end = ClockEnd::kLoses;
  Table table(rules);
  table.Begin(Ships("a:A1> b:A3>"));
  table.Fire(1, "J1 J2 J3");
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.Tick(), "over: infraction, skipped turn, winner 1");
  Table both(rules);
  both.Begin(Ships("a:A1> b:A3>"));
  both.Later(absl::Seconds(25));
  EXPECT_EQ(both.Tick(), "over: both absent, void");
}

// ---- Correspondence

// M-14, A-09
TEST(OracleCorrespondence, LetsTheOneWhoWaitedClaim) {
  for (const OracleRules& rules : {Selminha(), Clasica(Clock::kCorrespondence)}) {
    Table table(rules);
    table.Begin(rules.ships.size() == 5 ? SelminhaFleet() : ClasicaFleet());
    EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
    table.Later(absl::Hours(48));
    EXPECT_EQ(table.Claim(1), "refused: nothing to claim") << "more than two days";
    table.Later(absl::Nanoseconds(1));
    EXPECT_EQ(table.Tick(), "") << "not by itself";
    EXPECT_EQ(table.Claim(0), "refused: nothing to claim") << "it is his own turn";
    EXPECT_EQ(table.Fire(0, "J10"), "0 J10 water") << "a shot before the claim counts";
    EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
    EXPECT_EQ(table.Claim(0), "refused: nothing to claim");
    table.Later(absl::Hours(49));
    EXPECT_EQ(table.Claim(0), "over: absence claimed, winner 0");
    EXPECT_NE(table.Player(1, 0).fleet, std::nullopt);
  }
}

// M-14, A-07
TEST(OracleCorrespondence, LetsWhoConfirmedClaimTheMissingFleet) {
  Table table(Selminha());
  table.Draft(0, SelminhaFleet());
  table.Later(absl::Hours(49));
  EXPECT_EQ(table.Tick(), "");
  EXPECT_EQ(table.Claim(0), "refused: nothing to claim") << "neither confirmed";
  EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Confirm(0, SelminhaFleet()), "0 ready") << "late, and counts";
  EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Claim(0), "over: absence claimed, winner 0");
  EXPECT_EQ(table.Player(0, 1).fleet, std::nullopt);
  EXPECT_EQ(table.Player(1, 0).fleet, std::nullopt);
}

//
TEST(OracleCorrespondence, LetsOnlyWhoseVolleyIsInClaim) {
  Table table(Salvo(Clock::kCorrespondence, false, true));
  table.Begin(SalvoFleet());
  table.Later(absl::Hours(49));
  EXPECT_EQ(table.Claim(0), "refused: nothing to claim");
  EXPECT_EQ(table.Fire(0, kWater7), "0 volley in");
  EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Claim(0), "over: absence claimed, winner 0");
}

// M-15
TEST(OracleCorrespondence, EndsWithoutAWinnerAfterSevenIdleDays) {
  Table table(Selminha());
  table.Confirm(0, SelminhaFleet());
  table.Later(absl::Hours(24));
  table.Draft(1, SelminhaFleet());  // no move: else its time could be told from the end
  table.Later(absl::Hours(6 * 24) - absl::Nanoseconds(1));
  EXPECT_EQ(table.Tick(), "");
  table.Later(absl::Nanoseconds(1));
  EXPECT_EQ(table.Claim(0), "refused: clock ended");
  EXPECT_EQ(table.Confirm(1, SelminhaFleet()), "refused: placement over, clock ended");
  EXPECT_EQ(table.TickShots(0, "A1"), "refused: illegal chance");
  EXPECT_EQ(table.Tick(), "over: idle, void");

  Table battle(Selminha());
  battle.Later(absl::Hours(24)).Begin(SelminhaFleet());
  battle.Later(absl::Hours(6 * 24)).Fire(0, "J10");
  EXPECT_EQ(battle.Later(absl::Hours(7 * 24) - absl::Nanoseconds(1)).Tick(), "");
  EXPECT_EQ(battle.Later(absl::Nanoseconds(1)).Tick(), "over: idle, void");
}

// C-06, A-09: only infractions by time are away.
TEST(OracleCorrespondence, StillLosesByAnIllegalFleetInClasica) {
  Table table(Clasica(Clock::kCorrespondence));
  EXPECT_THAT(table.Confirm(0, {}), ::testing::StartsWith("over: infraction, number of ships"));
}

// ---- Ends

// M-13
TEST(OracleEnd, ComesByResigningAtAnyTime) {
  Table placement(Tablu());
  placement.Confirm(1, TabluFleet());
  EXPECT_EQ(placement.Resign(1), "over: resigned, winner 0");
  EXPECT_EQ(placement.Player(1, 0).fleet, std::nullopt) << "not both were confirmed";
  EXPECT_EQ(placement.Player(1, 1).fleet, TabluFleet());
  EXPECT_EQ(placement.Draft(0, {}), "refused: match over");

  for (const int seat : {0, 1}) {
    Table battle(Tablu());
    battle.Begin(TabluFleet());
    EXPECT_EQ(battle.Resign(seat), absl::StrCat("over: resigned, winner ", 1 - seat));
    EXPECT_EQ(battle.Player(0, 1).fleet, TabluFleet());
    EXPECT_EQ(battle.Player(1, 0).fleet, TabluFleet());
  }
}

//
TEST(OracleEnd, ComesByTheOperator) {
  Table placement(Tablu());
  placement.Confirm(1, TabluFleet());
  EXPECT_EQ(placement.Abort(), "over: aborted, void");
  EXPECT_EQ(placement.Player(1).fleet, std::nullopt);
  Table battle(Tablu());
  battle.Begin(TabluFleet());
  EXPECT_EQ(battle.Later(absl::Seconds(30)).Abort(), "over: aborted, void");
  EXPECT_EQ(battle.Player(1).fleet, TabluFleet());
}

// M-14: only correspondence knows it.
TEST(OracleEnd, IsNotClaimedInALiveMatch) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Later(absl::Seconds(24)).Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Later(absl::Seconds(1)).Claim(1), "refused: clock ended");
}

}  // namespace
}  // namespace naval::oracle
