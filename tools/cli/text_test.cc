#include "tools/cli/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "google/protobuf/text_format.h"
#include "lib/base/error.h"
#include "tools/cli/failure.h"
#include "tools/cli/output.h"

namespace naval::cli {
namespace {

namespace v1 = match::v1;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// A small match in the middle of its battle, as SEAT_SECOND sees it at second 100.
v1::Match Battle() {
  return Parse<v1::Match>(R"pb(
    viewer_seat: SEAT_SECOND
    phase: PHASE_BATTLE
    turn: SEAT_SECOND
    server_time { seconds: 100 }
    deadline { seconds: 117 nanos: 100000000 }
    rule_set {
      board_size: 4
      ring_closed: true
      strikes_to_lose: 3
      ships { id: "fragata" length: 3 }
      ships { id: "lancha" length: 2 }
    }
    sides {
      seat: SEAT_FIRST
      player { handle: "jota" bot: "jota" }
      shots { square: "A1" result: SHOT_RESULT_HIT }
      shots { square: "B1" result: SHOT_RESULT_SUNK }
      shots { square: "D4" result: SHOT_RESULT_WATER }
      ring_squares: [ "A2", "B2", "C1", "C2" ]
      sunk_ships {
        ship_id: "lancha"
        squares: [ "A1", "B1" ]
      }
      ships_afloat: "fragata"
    }
    sides {
      seat: SEAT_SECOND
      player { handle: "ana" }
      strikes: 1
      fleet { ship_id: "fragata" bow: "A1" orientation: ORIENTATION_VERTICAL }
      fleet { ship_id: "lancha" bow: "C4" orientation: ORIENTATION_HORIZONTAL }
      shots { square: "A2" result: SHOT_RESULT_HIT }
      ships_afloat: [ "fragata", "lancha" ]
    })pb");
}

const absl::Time kNow = absl::FromUnixSeconds(100);

TEST(MatchText, ShowsBothSeasTheClockAndTheShips) {
  EXPECT_EQ(absl::StrJoin(MatchText(Battle(), kNow), "\n"),
            "your shot, 18 s left, the clock ran out 1 of 3 times\n"
            "   your sea                      jota's sea\n"
            "   A B C D                       A B C D\n"
            " 1 S                           1 # # .\n"
            " 2(x)                          2 . . .\n"
            " 3 S                           3\n"
            " 4     S S                     4      (o)\n"
            "   fragata       SxS             fragata       SSS\n"
            "   lancha        SS              lancha        ##\n"
            "S ship, x hit, # sunk, o water, . certain water that is closed to shots");
}

TEST(MatchText, SaysWhatIsWrongWithAFleetThatLostTheMatch) {
  v1::Match match = Battle();
  match.set_phase(v1::PHASE_OVER);
  *match.mutable_result() =
      Parse<v1::MatchResult>("winner: SEAT_FIRST reason: END_REASON_ILLEGAL_FLEET");
  *match.add_violations() = Parse<v1::FleetViolation>(
      "kind: FLEET_VIOLATION_KIND_TOUCHING ship_ids: 'fragata' ship_ids: 'lancha'");
  const Lines lines = MatchText(match, kNow);
  EXPECT_EQ(lines[0], "jota wins: your fleet was illegal");
  EXPECT_EQ(lines[1], "touching: fragata, lancha");
  const Scene scene = {.match = match, .now = kNow, .news = {}, .note = {}};
  EXPECT_EQ(SceneText(scene, 20)[1], "touching: fragata, lancha");
}

TEST(SceneText, GivesUpTheLeastFirstWhereRowsAreFew) {
  const v1::Match match = Battle();
  const Lines news = {"long ago", "jota fires A2: hit", "you fire D4: water"};
  const Lines note = {"a note"};
  const Scene scene = {.match = match, .now = kNow, .news = news, .note = note};
  EXPECT_THAT(absl::StrJoin(SceneText(scene, 23), "\n"),
              AllOf(HasSubstr("S ship"), HasSubstr("fragata"), HasSubstr("jota fires A2: hit\n"),
                    HasSubstr("you fire D4: water\na note"), Not(HasSubstr("long ago"))));
  const std::string without_legend = absl::StrJoin(SceneText(scene, 12), "\n");
  EXPECT_THAT(without_legend,
              AllOf(Not(HasSubstr("S ship")), HasSubstr("fragata"), HasSubstr("you fire D4")));
  const std::string without_ships = absl::StrJoin(SceneText(scene, 10), "\n");
  EXPECT_THAT(without_ships, AllOf(Not(HasSubstr("fragata")), HasSubstr("you fire D4")));
  const std::string bare = absl::StrJoin(SceneText(scene, 8), "\n");
  EXPECT_THAT(bare,
              AllOf(Not(HasSubstr("you fire")), HasSubstr(" 4     S S"), HasSubstr("a note")));
  for (int rows = 0; rows < 25; ++rows) {
    EXPECT_LE(SceneText(scene, rows).size(), static_cast<size_t>(rows));
  }
  const Lines long_note = {"a note", "of two lines"};
  EXPECT_THAT(SceneText({.match = match, .now = kNow, .news = news, .note = long_note}, 9),
              AllOf(SizeIs(9), Contains("a note"), Contains("of two lines")));
}

TEST(StatusText, NamesWhatIsDueInEachPhase) {
  v1::Match match = Battle();
  match.set_turn(v1::SEAT_FIRST);
  EXPECT_EQ(StatusText(match, absl::FromUnixSeconds(300)), "jota's shot, 0 s left");
  match.clear_deadline();
  EXPECT_EQ(StatusText(match, kNow), "jota's shot");
  match.set_viewer_seat(v1::SEAT_UNSPECIFIED);
  match.set_turn(v1::SEAT_SECOND);
  EXPECT_EQ(StatusText(match, kNow), "ana's shot, the clock ran out 1 of 3 times");

  match = Battle();
  match.set_phase(v1::PHASE_PLACEMENT);
  EXPECT_EQ(StatusText(match, kNow), "place your fleet, 18 s left");
  match.mutable_sides(1)->set_fleet_confirmed(true);
  EXPECT_EQ(StatusText(match, kNow), "jota places the fleet, 18 s left");

  match.set_phase(v1::PHASE_OVER);
  const struct {
    v1::Seat winner;
    v1::EndReason reason;
    std::string text;
  } cases[] = {
      {v1::SEAT_SECOND, v1::END_REASON_FLEET_DESTROYED, "you win: jota's whole fleet is sunk"},
      {v1::SEAT_FIRST, v1::END_REASON_FLEET_DESTROYED, "jota wins: your whole fleet is sunk"},
      {v1::SEAT_FIRST, v1::END_REASON_RESIGNED, "jota wins: you resign"},
      {v1::SEAT_SECOND, v1::END_REASON_TIMED_OUT, "you win: jota's clock ran out too often"},
      {v1::SEAT_FIRST, v1::END_REASON_ILLEGAL_FLEET, "jota wins: your fleet was illegal"},
      {v1::SEAT_SECOND, v1::END_REASON_TURN_SKIPPED, "you win: jota's clock ran out"},
      {v1::SEAT_SECOND, v1::END_REASON_ABSENCE_CLAIMED,
       "you win: jota's move did not come in time"},
      {v1::SEAT_UNSPECIFIED, v1::END_REASON_IDLE, "the match is void: nobody moved for too long"},
      {v1::SEAT_UNSPECIFIED, v1::END_REASON_BOTH_ABSENT,
       "the match is void: both clocks ran out too often"},
      {v1::SEAT_UNSPECIFIED, v1::END_REASON_ABORTED,
       "the match is void: the operator of the server ended it"},
      {v1::SEAT_UNSPECIFIED, v1::END_REASON_UNSPECIFIED, "the match is void"},
  };
  for (const auto& [winner, reason, text] : cases) {
    match.mutable_result()->set_winner(winner);
    match.mutable_result()->set_reason(reason);
    EXPECT_EQ(StatusText(match, kNow), text);
  }
}

TEST(StatusText, SaysWhichPlayerIsAway) {
  v1::Match match = Battle();
  match.mutable_sides(0)->set_presence(v1::PRESENCE_WATCHING);
  EXPECT_EQ(StatusText(match, kNow), "your shot, 18 s left, the clock ran out 1 of 3 times");
  match.mutable_sides(0)->set_presence(v1::PRESENCE_AWAY);
  EXPECT_EQ(StatusText(match, kNow),
            "your shot, 18 s left, the clock ran out 1 of 3 times; jota is away");
  match.set_viewer_seat(v1::SEAT_UNSPECIFIED);
  match.mutable_sides(1)->set_presence(v1::PRESENCE_AWAY);
  EXPECT_EQ(StatusText(match, kNow),
            "ana's shot, 18 s left, the clock ran out 1 of 3 times; jota is away; ana is away");
}

TEST(PresenceText, TellsWhoWentAndCameBackAndNothingOfWhoWasThereAllTheTime) {
  const v1::Match unknown = Battle();
  v1::Match there = unknown;
  there.mutable_sides(0)->set_presence(v1::PRESENCE_WATCHING);
  v1::Match away = unknown;
  away.mutable_sides(0)->set_presence(v1::PRESENCE_AWAY);
  EXPECT_THAT(PresenceText(v1::Match(), away), ElementsAre("jota is away"));
  EXPECT_THAT(PresenceText(there, away), ElementsAre("jota is away"));
  EXPECT_THAT(PresenceText(away, there), ElementsAre("jota is back"));
  for (const v1::Match& same : {v1::Match(), unknown, there}) {
    EXPECT_THAT(PresenceText(same, there), IsEmpty());
  }
  EXPECT_THAT(PresenceText(away, away), IsEmpty());
  EXPECT_THAT(PresenceText(away, unknown), IsEmpty());
}

TEST(StatusText, CountsDaysAndSaysWhenTheWinMayBeClaimed) {
  v1::Match match = Battle();
  match.mutable_rule_set()->set_clock_end(game::v1::CLOCK_END_MAY_BE_CLAIMED);
  match.mutable_sides(1)->set_strikes(0);
  match.mutable_idle_deadline()->set_seconds(100 + 6 * 24 * 3600 + 60);
  match.mutable_deadline()->set_seconds(100 + 47 * 3600);
  const std::string idle = "; void in 6 d if nobody moves";
  EXPECT_EQ(StatusText(match, kNow), "your shot, 47 h left" + idle);
  match.mutable_deadline()->set_seconds(99);
  EXPECT_EQ(StatusText(match, kNow), "your shot, late" + idle);
  match.set_turn(v1::SEAT_FIRST);
  EXPECT_EQ(StatusText(match, kNow), "jota's shot, late: claim takes the win" + idle);
}

// A round of volleys, as SEAT_SECOND sees it.
v1::Match Round() {
  v1::Match match = Battle();
  match.clear_turn();
  match.mutable_rule_set()->set_turn_order(game::v1::TURN_ORDER_VOLLEY);
  match.mutable_rule_set()->clear_ring_closed();
  for (game::v1::Ship& ship : *match.mutable_rule_set()->mutable_ships()) {
    ship.set_ship_class(ship.id());
  }
  match.set_round(2);
  for (v1::Side& side : *match.mutable_sides()) {
    side.set_volley_size(3);
    side.set_strikes(0);
    side.clear_ring_squares();
    side.clear_sunk_ships();
    for (v1::ShotMark& shot : *side.mutable_shots()) shot.set_result(v1::SHOT_RESULT_UNKNOWN);
  }
  *match.add_volleys() = Parse<v1::VolleyAnswered>(
      "seat: SEAT_SECOND round: 1 squares: ['A1', 'B1', 'D4'] hits { ship_class: 'fragata' hits: 2 "
      "} hits { ship_class: 'lancha' hits: 1 }");
  return match;
}

TEST(MatchText, ShowsHitsOfVolleysByClass) {
  EXPECT_EQ(absl::StrJoin(MatchText(Round(), kNow), "\n"),
            "round 2: fire 3 shots, 18 s left\n"
            "   your sea                      jota's sea\n"
            "   A B C D                       A B C D\n"
            " 1 S                           1 ? ?\n"
            " 2 x                           2\n"
            " 3 S                           3\n"
            " 4     S S                     4       ?\n"
            "   fragata       SxS             fragata       SSS 2 hit\n"
            "   lancha        SS              lancha        ## 1 hit\n"
            "S ship, x hit, # sunk, o water, ? called, what it hit is not told");
}

TEST(MatchText, ShowsAVolleyThatWaitsForTheRivals) {
  v1::Match match = Round();
  match.mutable_sides(1)->set_volley_in(true);
  match.mutable_sides(1)->add_volley_squares("C3");
  EXPECT_THAT(MatchText(match, kNow), Contains(" 3 S                           3     ?"));
}

TEST(MatchText, DrawsOfAShipThatSticksOutWhatIsOnTheBoard) {
  v1::Match match = Battle();
  match.mutable_rule_set()->set_board_size(10);
  v1::Side& own = *match.mutable_sides(1);
  own.clear_shots();
  *own.mutable_fleet() = Parse<v1::Side>(
                             "fleet { ship_id: 'fragata' bow: 'I10'"
                             "        orientation: ORIENTATION_HORIZONTAL }")
                             .fleet();
  EXPECT_THAT(MatchText(match, kNow), Contains("10                 S S        10"));
}

TEST(StatusText, NamesWhoseVolleyIsDue) {
  v1::Match match = Round();
  match.mutable_sides(1)->set_volley_in(true);
  EXPECT_EQ(StatusText(match, kNow), "round 2: jota's volley is due, 18 s left");
  match.mutable_sides(1)->set_volley_in(false);
  match.set_viewer_seat(v1::SEAT_UNSPECIFIED);
  EXPECT_EQ(StatusText(match, kNow), "round 2: jota's and ana's volley is due, 18 s left");
}

TEST(EventText, TellsWhatHappenedFromTheViewersSide) {
  const struct {
    std::string event;
    std::string text;
  } cases[] = {
      {"placement_started { }", "the fleets are placed"},
      {"draft_changed { }", ""},
      {"fleet_confirmed { seat: SEAT_SECOND }", "you confirm your fleet"},
      {"fleet_confirmed { seat: SEAT_FIRST }", "jota confirms the fleet"},
      {"fleet_confirmed { seat: SEAT_SECOND by_clock: true }", "the clock confirms your fleet"},
      {"battle_started { starter: SEAT_FIRST }", "jota shoots first"},
      {"shot_due { seat: SEAT_FIRST }", ""},
      {"shot_fired { seat: SEAT_SECOND square: 'C3' result: SHOT_RESULT_HIT }", "you fire C3: hit"},
      {"shot_fired { seat: SEAT_FIRST square: 'C3' result: SHOT_RESULT_WATER by_clock: true }",
       "jota fires C3: water (the clock fired)"},
      {"shot_fired { seat: SEAT_SECOND square: 'C3' result: SHOT_RESULT_SUNK"
       " sunk_ship { ship_id: 'lancha' } }",
       "you fire C3: sunk, the lancha"},
      {"clock_ran_out { seat: SEAT_SECOND strikes: 2 }", "your clock ran out (2 of 3)"},
      {"volley_due { round: 2 shots: 7 shots: 5 }", "round 2: you fire 5, jota fires 7"},
      {"volley_fired { seat: SEAT_FIRST }", "jota's volley is in"},
      {"volley_fired { seat: SEAT_SECOND squares: 'A1' by_clock: true }",
       "your volley is in (the clock fired)"},
      {"volley_answered { seat: SEAT_SECOND squares: 'A1' squares: 'B2' }",
       "you fire A1 B2: water"},
      {"volley_answered { seat: SEAT_FIRST squares: 'A1' squares: 'B2'"
       " hits { ship_class: 'lancha' hits: 2 } sunk_ships: 'lancha' }",
       "jota fires A1 B2: hits lancha 2, sunk: lancha"},
      {"idle_clock_set { }", ""},
      {"clock_adjusted { }", "the server had been away: the clock was set anew"},
      // The head of the state tells it.
      {"match_ended { result { winner: SEAT_SECOND reason: END_REASON_RESIGNED } }", ""},
  };
  for (const auto& [event, text] : cases) {
    EXPECT_EQ(EventText(Parse<v1::MatchEvent>(event), Battle()), text) << event;
  }
  EXPECT_EQ(EventText(Parse<v1::MatchEvent>("battle_started { starter: SEAT_SECOND }"), Round()),
            "your volleys are answered first");
  v1::Match letters = Battle();
  letters.mutable_rule_set()->set_clock_end(game::v1::CLOCK_END_MAY_BE_CLAIMED);
  EXPECT_EQ(EventText(Parse<v1::MatchEvent>("clock_adjusted { }"), letters),
            "the clock was set anew");
}

TEST(Text, OfTablesRulesAndRatingsNamesWhatAPlayerNeeds) {
  const auto created = Parse<lobby::v1::CreateTableResponse>(R"pb(
    table {
      table_id: "t-1"
      rules { rule_set: "tablu" }
      kind: TABLE_KIND_PRIVATE
      state: TABLE_STATE_OPEN
      rated: true
      players { handle: "ana" }
    }
    join_code: "the-code")pb");
  EXPECT_THAT(CreatedText(created),
              ElementsAre("t-1  tablu private rated open  ana", "go on with: naval-cli play",
                          "the rival joins with: naval-cli join the-code"));
  EXPECT_THAT(TablesText({}), ElementsAre("no open public table"));
  EXPECT_THAT(TablesText(Parse<lobby::v1::ListTablesResponse>("next_page_token: 'next'")),
              ElementsAre("no open public table", "more with --page-token=next"));
  EXPECT_THAT(RulesText(Parse<lobby::v1::ListRuleSetsResponse>(R"pb(
                rule_sets {
                  id: "tablu"
                  board_size: 10
                  ships { id: "lancha" length: 2 }
                  turn_order: TURN_ORDER_HIT_AGAIN
                  strikes_to_lose: 3
                  options: "untimed"
                  illegal_fleet_loses: true
                  paces {
                    pace: PACE_LIVE
                    placement_duration { seconds: 90 }
                    shot_duration { seconds: 25 }
                    clock_end: CLOCK_END_SERVER_PLAYS
                  }
                  paces {
                    pace: PACE_SLOW
                    placement_duration { seconds: 300 }
                    shot_duration { seconds: 120 }
                    clock_end: CLOCK_END_LOSES
                  }
                  paces {
                    pace: PACE_CORRESPONDENCE
                    placement_duration { seconds: 172800 }
                    shot_duration { seconds: 172800 }
                    clock_end: CLOCK_END_MAY_BE_CLAIMED
                    idle_duration { seconds: 604800 }
                  }
                  fleet_b { id: "bote" length: 1 }
                })pb")),
              ElementsAre("tablu: 10 x 10", "  lancha        SS",
                          "  ships may not touch; a hit earns another shot; confirming an illegal "
                          "fleet loses the match",
                          "  --pace live: 90 s to place, 25 s for a shot, lost when that runs out "
                          "3 times in a row",
                          "  --pace slow: 5 min to place, 120 s for a shot, lost when that runs "
                          "out",
                          "  --pace correspondence: 48 h to place, 48 h for a shot, then the rival "
                          "may claim; void after 7 d without a move",
                          "  --untimed             No clock runs; against a bot only",
                          "  the fleet of --fleet-b:", "  bote          S"));
  EXPECT_THAT(RulesText(Parse<lobby::v1::ListRuleSetsResponse>(R"pb(
                rule_sets {
                  id: "salvo"
                  board_size: 10
                  ships { id: "acorazado" length: 5 shots: 3 }
                  turn_order: TURN_ORDER_ALTERNATE
                  options: "fleet_b"
                  options: "volley"
                  fleet_b { id: "destructor-1" length: 2 shots: 1 }
                })pb")),
              AllOf(Contains("  acorazado     SSSSS   3 shots in a volley"),
                    Contains("  destructor-1  SS      1 shot in a volley")));
  EXPECT_EQ(RatingText(Parse<ranking::v1::Rating>(
                "handle: 'ana' rating: 1516.04 rank: 1 wins: 2 losses: 1")),
            "   1. ana                     1516.0   2 won, 1 lost");
}

TEST(ViolationsText, SaysWhatIsWrongAndWhereThatLosesTheMatch) {
  const auto placed = Parse<v1::PlaceFleetResponse>(R"pb(
    violations {
      kind: FLEET_VIOLATION_KIND_TOUCHING
      ship_ids: [ "a", "b" ]
    }
    violations { kind: FLEET_VIOLATION_KIND_OUT_OF_BOARD ship_ids: "c" })pb");
  game::v1::RuleSet rules;
  EXPECT_THAT(ViolationsText(placed, rules), ElementsAre("touching: a, b", "out of board: c"));
  rules.set_illegal_fleet_loses(true);
  EXPECT_THAT(ViolationsText(placed, rules), ElementsAre("touching: a, b", "out of board: c",
                                                         "confirming this fleet loses the match"));
  EXPECT_THAT(ViolationsText({}, rules), IsEmpty());
}

TEST(ClaimHint, DependsOnTheRulesAndOnWhoseMoveItIs) {
  v1::Match match = Battle();
  EXPECT_THAT(ClaimHint(match), HasSubstr("the server plays"));
  match.mutable_rule_set()->set_clock_end(game::v1::CLOCK_END_LOSES);
  EXPECT_THAT(ClaimHint(match), HasSubstr("ends it by itself"));
  match.mutable_rule_set()->set_clock_end(game::v1::CLOCK_END_MAY_BE_CLAIMED);
  EXPECT_EQ(ClaimHint(match), "your own move is awaited");
  match.set_turn(v1::SEAT_FIRST);
  EXPECT_EQ(ClaimHint(match), "'@ show' tells how long the rival has");
  match.mutable_rules()->set_untimed(true);
  EXPECT_THAT(ClaimHint(match), HasSubstr("no clock runs"));
}

TEST(MatchesText, NamesEachWithTheIdThatCommandsTake) {
  EXPECT_THAT(MatchesText({}), ElementsAre("no match goes on, and no table is open"));
  EXPECT_THAT(StillOpenText({}), IsEmpty());
  OpenTable waiting;
  waiting.table = Parse<lobby::v1::Table>(
      "table_id: 't-1' rules { rule_set: 'tablu' } kind: TABLE_KIND_PRIVATE "
      "state: TABLE_STATE_OPEN");
  EXPECT_THAT(MatchesText({waiting}), ElementsAre("table t-1  tablu private: a rival is awaited"));
  OpenTable playing;
  playing.match = Battle();
  playing.match->set_match_id("m-1");
  *playing.match->mutable_rules() =
      Parse<game::v1::GameRules>("rule_set: 'tablu' untimed: true pace: PACE_SLOW");
  EXPECT_THAT(StillOpenText({waiting, playing}),
              ElementsAre("still going on:", "table t-1  tablu private: a rival is awaited",
                          "m-1  tablu untimed slow against jota: your shot, 18 s left, the clock "
                          "ran out 1 of 3 times",
                          "come back to one with: naval-cli play --match-id ID"));
}

TEST(OfferText, TellsWhatARuleSetOffersAndWhichOnesThereAre) {
  const auto offered = Parse<lobby::v1::ListRuleSetsResponse>(R"pb(
    rule_sets { id: "tablu" options: "one_shot_per_turn" options: "untimed" }
    rule_sets {
      id: "salvo"
      options: "volley"
      options: "pace"
      paces { pace: PACE_LIVE }
      paces { pace: PACE_SLOW }
    }
    rule_sets { id: "bare" })pb");
  EXPECT_EQ(OfferText(offered, "tablu"),
            "tablu offers --one-shot-per-turn, --untimed; '@ rules' tells what they do");
  EXPECT_THAT(OfferText(offered, "salvo"), HasSubstr("--volley, --pace live, --pace slow;"));
  EXPECT_EQ(OfferText(offered, "bare"), "bare offers no options");
  EXPECT_EQ(OfferText(offered, "none"), "the rule sets are tablu, salvo, bare");
}

TEST(Wrapped, BreaksBetweenWordsWhereThatCanBe) {
  EXPECT_THAT(Wrapped("", 5), ElementsAre(""));
  EXPECT_THAT(Wrapped("one", 3), ElementsAre("one"));
  EXPECT_THAT(Wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrapped("one two three", 6), ElementsAre("one", "two", "three"));
  EXPECT_THAT(Wrapped("longer than it", 4), ElementsAre("long", "er", "than", "it"));
  EXPECT_THAT(Wrapped(" ab", 1), ElementsAre(" ", "a", "b"));
}

TEST(Printable, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(Printable("ana-7 ~"), "ana-7 ~");
  EXPECT_EQ(Printable("\x1b[2J\x07\r\n\t\x7f\x9b"
                      "31m\xc3\xb1"),
            "?[2J??????31m??");
}

TEST(Json, EscapesWhatATerminalObeysAndShowsDefaults) {
  lobby::v1::Account account;
  account.set_handle("\x1b[2J\x7f\xc2\x9b");
  ::testing::internal::CaptureStdout();
  ASSERT_TRUE(PrintJson(account).ok());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            R"({"accountId":"","handle":"\u001b[2J\u007f\u009b","guest":false})"
            "\n");
}

TEST(ExitCode, TellsWhoseFaultItIs) {
  const struct {
    absl::Status status;
    ExitCode code;
  } cases[] = {
      {absl::OkStatus(), ExitCode::kDone},
      {base::Error(absl::StatusCode::kFailedPrecondition, "NOT_YOUR_TURN", "x"),
       ExitCode::kRefused},
      {base::Error(absl::StatusCode::kUnauthenticated, "WRONG_CREDENTIALS", "x"),
       ExitCode::kRefused},
      {base::Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_TABLES", "x"),
       ExitCode::kRefused},
      {UsageError("x"), ExitCode::kUsage},
      {absl::DeadlineExceededError("x"), ExitCode::kNoAnswer},
      {absl::UnavailableError("x"), ExitCode::kNoAnswer},
      {base::WithRetryDelay(base::Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY", "x"),
                            absl::Seconds(1)),
       ExitCode::kNoAnswer},
      {NotLoggedIn(), ExitCode::kNoSession},
      {base::Error(absl::StatusCode::kUnauthenticated, "SESSION_ENDED", "x"), ExitCode::kNoSession},
      {absl::DataLossError("x"), ExitCode::kBroken},
      {absl::InternalError("x"), ExitCode::kBroken},
  };
  for (const auto& [status, code] : cases) EXPECT_EQ(ExitCodeOf(status), code) << status;
}

TEST(Failure, SaysWhatIsWrongAndHowToMendIt) {
  EXPECT_EQ(FailureText(base::Error(absl::StatusCode::kFailedPrecondition, "NOT_YOUR_TURN",
                                    "it is \x1b[1mtheirs")),
            "naval-cli: NOT_YOUR_TURN: it is ?[1mtheirs\n"
            "  'naval-cli wait' comes back when it is\n");
  EXPECT_EQ(FailureText(UsageError("what?")), "naval-cli: what?\n");
  const absl::Status table = base::InvalidField("INVALID_TABLE_ID", "table_id", "must be a UUID");
  EXPECT_EQ(FailureText(table), "naval-cli: INVALID_TABLE_ID: table_id: must be a UUID\n");
  EXPECT_EQ(FailureJson(base::InvalidField("INVALID_TABLE_ID", "table_id", "no \x9b id")),
            R"({"error":{"code":"INVALID_ARGUMENT","fields":[{"description":"no \ufffd id",)"
            R"("field":"table_id"}],"hint":"","message":"table_id: no \ufffd id","metadata":{},)"
            R"("reason":"INVALID_TABLE_ID"}})"
            "\n");
}

TEST(Failure, GivesTheHintOfTheErrorItself) {
  const absl::Status error = WithHint(
      base::Error(absl::StatusCode::kFailedPrecondition, "NOT_YOUR_TURN", "x"), "'@ show' tells");
  EXPECT_EQ(FailureText(error), "naval-cli: NOT_YOUR_TURN: x\n  'naval-cli show' tells\n");
  EXPECT_THAT(FailureJson(error), HasSubstr(R"("hint":"'naval-cli show' tells")"));
}

TEST(Failure, NamesEveryFieldThatTheMessageDoesNotTellOf) {
  absl::Status fleet =
      base::WithFieldViolation(base::Error(absl::StatusCode::kInvalidArgument, "ILLEGAL_FLEET",
                                           "the fleet breaks the rules"),
                               {"fleet", "missing: lancha"});
  EXPECT_EQ(FailureText(fleet),
            "naval-cli: ILLEGAL_FLEET: the fleet breaks the rules\n"
            "  fleet: missing: lancha\n");
  EXPECT_EQ(FailureNote(fleet), "ILLEGAL_FLEET: the fleet breaks the rules; missing: lancha");
  fleet = base::WithFieldViolation(fleet, {"fleet", "missing: fragata"});
  EXPECT_EQ(FailureText(fleet),
            "naval-cli: ILLEGAL_FLEET: the fleet breaks the rules\n"
            "  fleet: missing: lancha\n"
            "  fleet: missing: fragata\n");
  EXPECT_EQ(FailureNote(fleet),
            "ILLEGAL_FLEET: the fleet breaks the rules; missing: lancha; missing: fragata");
  EXPECT_EQ(FailureNote(base::InField(base::Error(absl::StatusCode::kInvalidArgument,
                                                  "INVALID_SQUARE", "K1 is no square"),
                                      "squares[0]")),
            "INVALID_SQUARE: K1 is no square");
  EXPECT_EQ(FailureNote(UsageError("what?")), "what?");
}

TEST(CommandLine, IsWhatTheCallingScriptSays) {
  EXPECT_EQ(CommandLine("play"), "naval-cli play");
  setenv("NAVAL_COMMAND", "tools/naval cli", 1);
  EXPECT_EQ(CommandLine("play"), "tools/naval cli play");
  EXPECT_THAT(FailureText(NotLoggedIn()), HasSubstr("'tools/naval cli guest'"));
  unsetenv("NAVAL_COMMAND");
}

}  // namespace
}  // namespace naval::cli
