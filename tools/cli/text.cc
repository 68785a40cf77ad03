#include "tools/cli/text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tools/cli/failure.h"
#include "tools/cli/rule_options.h"
#include "tools/client/board.h"
#include "tools/client/match_state.h"

namespace naval::cli {
namespace {

namespace v1 = match::v1;
using client::RivalOf;
using client::ShipName;
using client::SideOf;

// As narrow as the longest title of a sea lets it be: both seas fit into 52 columns.
constexpr int kSecondSeaColumn = 30;
constexpr size_t kNewsShown = 2;

// "SHOT_RESULT_HIT" without its first words: "hit".
std::string Word(absl::string_view name, absl::string_view prefix) {
  name.remove_prefix(std::min(prefix.size(), name.size()));
  return absl::AsciiStrToLower(name);
}

bool IsPlayer(const v1::Match& match) { return match.viewer_seat() != v1::SEAT_UNSPECIFIED; }
bool IsViewer(const v1::Match& match, v1::Seat seat) {
  return IsPlayer(match) && match.viewer_seat() == seat;
}

std::string NameOf(const v1::Match& match, v1::Seat seat) {
  return IsViewer(match, seat) ? "you" : SideOf(match, seat).player().handle();
}

std::string OwnerOf(const v1::Match& match, v1::Seat seat) {
  return IsViewer(match, seat) ? "your" : SideOf(match, seat).player().handle() + "'s";
}

// "you fire", "jota fires".
std::string Does(const v1::Match& match, v1::Seat seat, absl::string_view verb) {
  return absl::StrCat(NameOf(match, seat), " ", verb, IsViewer(match, seat) ? "" : "s");
}

// The seat whose sea stands on the left.
v1::Seat LeftSeat(const v1::Match& match) {
  return IsPlayer(match) ? match.viewer_seat() : v1::SEAT_FIRST;
}

// "18 s", "47 h": in the largest unit of which there are three or more, counted up so that nothing
// has 0 s while there is still time.
std::string DurationText(absl::Duration duration) {
  constexpr std::pair<absl::Duration, absl::string_view> kUnits[] = {
      {absl::Hours(24), " d"}, {absl::Hours(1), " h"}, {absl::Minutes(1), " min"}};
  for (const auto& [unit, name] : kUnits) {
    if (duration >= 3 * unit) return absl::StrCat(duration / unit, name);
  }
  const auto seconds = static_cast<int64_t>(std::ceil(absl::ToDoubleSeconds(duration)));
  return absl::StrCat(std::max(seconds, int64_t{0}), " s");
}

std::string DurationText(const google::protobuf::Duration& duration) {
  return DurationText(absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos()));
}

bool FiresVolleys(const v1::Match& match) {
  return match.rule_set().turn_order() == game::v1::TURN_ORDER_VOLLEY;
}

bool Awaits(const v1::Match& match, v1::Seat seat) {
  const v1::Side& side = SideOf(match, seat);
  if (match.phase() == v1::PHASE_PLACEMENT) return !side.fleet_confirmed();
  return match.turn() == seat || (side.volley_size() > 0 && !side.volley_in());
}

// ", 18 s left"; of a clock that has ended and may be claimed, ", late". Then when a match ends in
// which nobody moves.
std::string TimeLeft(const v1::Match& match, absl::Time now) {
  std::string text;
  if (match.has_deadline()) {
    const absl::Duration left = client::TimeOf(match.deadline()) - now;
    const bool late = left < absl::ZeroDuration() &&
                      match.rule_set().clock_end() == game::v1::CLOCK_END_MAY_BE_CLAIMED;
    const bool claimable = late && IsPlayer(match) && !Awaits(match, match.viewer_seat());
    text = claimable ? ", late: claim takes the win"
           : late    ? ", late"
                     : absl::StrCat(", ", DurationText(left), " left");
  }
  if (match.has_idle_deadline()) {
    absl::StrAppend(&text, "; void in ", DurationText(client::TimeOf(match.idle_deadline()) - now),
                    " if nobody moves");
  }
  return text;
}

std::string Strikes(const v1::Match& match, v1::Seat seat) {
  const int strikes = SideOf(match, seat).strikes();
  if (strikes == 0) return "";
  return absl::StrCat(", the clock ran out ", strikes, " of ", match.rule_set().strikes_to_lose(),
                      " times");
}

std::string ResultText(const v1::MatchResult& result, const v1::Match& match) {
  const v1::Seat winner = result.winner();
  if (winner == v1::SEAT_UNSPECIFIED) {
    switch (result.reason()) {
      case v1::END_REASON_IDLE:
        return "the match is void: nobody moved for too long";
      case v1::END_REASON_BOTH_ABSENT:
        return "the match is void: both clocks ran out too often";
      case v1::END_REASON_ABORTED:
        return "the match is void: the operator of the server ended it";
      default:
        return "the match is void";
    }
  }
  const v1::Seat loser = RivalOf(winner);
  const std::string wins = Does(match, winner, "win") + ": ";
  switch (result.reason()) {
    case v1::END_REASON_FLEET_DESTROYED:
      return absl::StrCat(wins, OwnerOf(match, loser), " whole fleet is sunk");
    case v1::END_REASON_RESIGNED:
      return absl::StrCat(wins, Does(match, loser, "resign"));
    case v1::END_REASON_TIMED_OUT:
      return absl::StrCat(wins, OwnerOf(match, loser), " clock ran out too often");
    case v1::END_REASON_ILLEGAL_FLEET:
      return absl::StrCat(wins, OwnerOf(match, loser), " fleet was illegal");
    case v1::END_REASON_TURN_SKIPPED:
      return absl::StrCat(wins, OwnerOf(match, loser), " clock ran out");
    case v1::END_REASON_ABSENCE_CLAIMED:
      return absl::StrCat(wins, OwnerOf(match, loser), " move did not come in time");
    default:
      return absl::StrCat(wins, Word(v1::EndReason_Name(result.reason()), "END_REASON_"));
  }
}

std::string ShotFiredText(const v1::ShotFired& shot, const v1::Match& match) {
  std::string text = absl::StrCat(Does(match, shot.seat(), "fire"), " ", shot.square(), ": ",
                                  Word(v1::ShotResult_Name(shot.result()), "SHOT_RESULT_"));
  if (shot.has_sunk_ship()) {
    absl::StrAppend(&text, ", the ", ShipName(match.rule_set(), shot.sunk_ship().ship_id()));
  }
  if (shot.by_clock()) text += " (the clock fired)";
  return text;
}

std::string VolleyDueText(const v1::VolleyDue& event, const v1::Match& match) {
  std::vector<std::string> volleys;
  for (const v1::Seat seat : {LeftSeat(match), RivalOf(LeftSeat(match))}) {
    const int index = seat == v1::SEAT_SECOND ? 1 : 0;
    const int shots = index < event.shots_size() ? event.shots(index) : 0;
    volleys.push_back(absl::StrCat(Does(match, seat, "fire"), " ", shots));
  }
  return absl::StrCat("round ", event.round(), ": ", absl::StrJoin(volleys, ", "));
}

std::string VolleyAnsweredText(const v1::VolleyAnswered& event, const v1::Match& match) {
  std::string text = absl::StrCat(Does(match, event.seat(), "fire"), " ",
                                  absl::StrJoin(event.squares(), " "), ": ");
  if (event.hits().empty()) return text + "water";
  absl::StrAppend(&text, "hits ",
                  absl::StrJoin(event.hits(), ", ", [](std::string* out, const auto& hits) {
                    absl::StrAppend(out, hits.ship_class(), " ", hits.hits());
                  }));
  for (const std::string& ship_id : event.sunk_ships()) {
    absl::StrAppend(&text, ", sunk: ", ShipName(match.rule_set(), ship_id));
  }
  return text;
}

Lines ViolationLines(const google::protobuf::RepeatedPtrField<v1::FleetViolation>& violations) {
  Lines lines;
  for (const v1::FleetViolation& violation : violations) {
    lines.push_back(ViolationText(violation));
  }
  return lines;
}

std::string BattleStartedText(const v1::BattleStarted& event, const v1::Match& match) {
  if (FiresVolleys(match)) {
    return absl::StrCat(OwnerOf(match, event.starter()), " volleys are answered first");
  }
  return absl::StrCat(Does(match, event.starter(), "shoot"), " first");
}

std::string ClockRanOutText(const v1::ClockRanOut& event, const v1::Match& match) {
  std::string text = absl::StrCat(OwnerOf(match, event.seat()), " clock ran out");
  if (match.rule_set().clock_end() == game::v1::CLOCK_END_LOSES) return text;
  absl::StrAppend(&text, " (", event.strikes(), " of ", match.rule_set().strikes_to_lose(), ")");
  return text;
}

// "round 2: fire 7 shots".
std::string RoundText(const v1::Match& match) {
  std::string text = absl::StrCat("round ", match.round(), ": ");
  if (client::MayFire(match)) {
    const int shots = SideOf(match, match.viewer_seat()).volley_size();
    return absl::StrCat(text, "fire ", shots, shots == 1 ? " shot" : " shots");
  }
  std::vector<std::string> awaited;
  for (const v1::Side& side : match.sides()) {
    if (!side.volley_in()) awaited.push_back(OwnerOf(match, side.seat()));
  }
  return absl::StrCat(text, absl::StrJoin(awaited, " and "), " volley is due");
}

// Those of the viewer's own clock; it runs for both alike.
std::string RoundStrikes(const v1::Match& match) {
  return IsPlayer(match) ? Strikes(match, match.viewer_seat()) : "";
}

bool IsAway(const v1::Side& side) { return side.presence() == v1::PRESENCE_AWAY; }

std::string AwayText(const v1::Side& side) { return side.player().handle() + " is away"; }

std::string DueText(const v1::Match& match, absl::Time now) {
  const std::string time_left = TimeLeft(match, now);
  switch (match.phase()) {
    case v1::PHASE_PLACEMENT:
      if (!IsPlayer(match)) return absl::StrCat("the fleets are placed", time_left);
      if (!SideOf(match, match.viewer_seat()).fleet_confirmed()) {
        return absl::StrCat("place your fleet", time_left);
      }
      return absl::StrCat(Does(match, RivalOf(match.viewer_seat()), "place"), " the fleet",
                          time_left);
    case v1::PHASE_BATTLE:
      if (match.round() > 0) return RoundText(match) + time_left + RoundStrikes(match);
      return absl::StrCat(OwnerOf(match, match.turn()), " shot", time_left,
                          Strikes(match, match.turn()));
    case v1::PHASE_OVER:
      return ResultText(match.result(), match);
    default:
      return "";
  }
}

std::string FleetConfirmedText(const v1::FleetConfirmed& event, const v1::Match& match) {
  if (event.by_clock()) {
    return absl::StrCat("the clock confirms ", OwnerOf(match, event.seat()), " fleet");
  }
  return absl::StrCat(Does(match, event.seat(), "confirm"), " ",
                      IsViewer(match, event.seat()) ? "your" : "the", " fleet");
}

std::string SeaTitle(const v1::Match& match, v1::Seat seat) {
  return absl::StrCat("   ", OwnerOf(match, seat), " sea");
}

Lines SeaText(const v1::Match& match, v1::Seat seat) {
  const auto& shots = SideOf(match, seat).shots();
  // The squares of a volley have no order, so that none of them is the last.
  const std::string last =
      shots.empty() || FiresVolleys(match) ? "" : shots[shots.size() - 1].square();
  Lines lines = client::DrawSea(match, seat, last);
  lines.insert(lines.begin(), SeaTitle(match, seat));
  return lines;
}

bool IsAfloat(const v1::Side& side, absl::string_view ship_id) {
  return std::find(side.ships_afloat().begin(), side.ships_afloat().end(), ship_id) !=
         side.ships_afloat().end();
}

// "SSxSS" where its place is known, else "SSSSS"; "#####" once it is sunk.
std::string ShipSigns(const v1::Match& match, v1::Seat seat, const game::v1::Ship& ship) {
  const v1::Side& side = SideOf(match, seat);
  const auto length = static_cast<size_t>(ship.length());
  if (!IsAfloat(side, ship.id())) return std::string(length, '#');
  std::string signs(length, 'S');
  for (const v1::ShipPlacement& placement : side.fleet()) {
    if (placement.ship_id() != ship.id()) continue;
    const Lines squares = client::SquaresOf(placement, ship.length());
    for (const v1::ShotMark& shot : side.shots()) {
      const auto hit = std::find(squares.begin(), squares.end(), shot.square());
      if (hit != squares.end()) signs[static_cast<size_t>(hit - squares.begin())] = 'x';
    }
  }
  return signs;
}

// How many hits the volleys at this seat's sea told of the class.
int HitsTold(const v1::Match& match, v1::Seat seat, const std::string& ship_class) {
  int told = 0;
  for (const v1::VolleyAnswered& volley : match.volleys()) {
    if (volley.seat() == seat) continue;
    for (const v1::ClassHits& hits : volley.hits()) {
      if (hits.ship_class() == ship_class) told += hits.hits();
    }
  }
  return told;
}

Lines FleetText(const v1::Match& match, v1::Seat seat) {
  Lines lines;
  std::string last_class;
  for (const game::v1::Ship& ship : match.rule_set().ships()) {
    std::string line = absl::StrFormat("   %-14s%s", ship.id(), ShipSigns(match, seat, ship));
    // Ships of one class stand together, and share the number.
    const int told = ship.ship_class() == last_class ? 0 : HitsTold(match, seat, ship.ship_class());
    if (told > 0) absl::StrAppend(&line, " ", told, " hit");
    last_class = ship.ship_class();
    lines.push_back(line);
  }
  return lines;
}

void Append(Lines more, Lines& lines) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

std::string PaceWord(game::v1::Pace pace) { return Word(game::v1::Pace_Name(pace), "PACE_"); }

bool Offers(const game::v1::RuleSet& rules, absl::string_view option) {
  return std::find(rules.options().begin(), rules.options().end(), option) != rules.options().end();
}

// "  lancha        SS", and where volleys can be chosen what the ship adds to one.
template <typename Ships>
void AppendShips(const Ships& ships, const game::v1::RuleSet& rules, Lines& lines) {
  for (const game::v1::Ship& ship : ships) {
    const std::string signs(static_cast<size_t>(ship.length()), 'S');
    lines.push_back(Offers(rules, "volley")
                        ? absl::StrFormat("  %-14s%-6s  %d %s in a volley", ship.id(), signs,
                                          ship.shots(), ship.shots() == 1 ? "shot" : "shots")
                        : absl::StrFormat("  %-14s%s", ship.id(), signs));
  }
}

// "  --pace slow: 5 min to place, 2 min for a shot, ...".
std::string PaceText(const game::v1::PaceOffer& pace, int strikes_to_lose) {
  std::string text = absl::StrCat("  --pace ", PaceWord(pace.pace()), ": ",
                                  DurationText(pace.placement_duration()), " to place, ",
                                  DurationText(pace.shot_duration()), " for a shot, ");
  switch (pace.clock_end()) {
    case game::v1::CLOCK_END_LOSES:
      return text + "lost when that runs out";
    case game::v1::CLOCK_END_MAY_BE_CLAIMED:
      return absl::StrCat(text, "then the rival may claim; void after ",
                          DurationText(pace.idle_duration()), " without a move");
    default:
      return absl::StrCat(text, "lost when that runs out ", strikes_to_lose, " times in a row");
  }
}

Lines RuleSetText(const game::v1::RuleSet& rules) {
  Lines lines = {absl::StrCat(rules.id(), ": ", rules.board_size(), " x ", rules.board_size())};
  AppendShips(rules.ships(), rules, lines);
  lines.push_back(absl::StrCat(
      "  ships ", rules.ships_may_touch() ? "may" : "may not", " touch; a hit ",
      rules.turn_order() == game::v1::TURN_ORDER_HIT_AGAIN ? "earns" : "does not earn",
      " another shot",
      rules.illegal_fleet_loses() ? "; confirming an illegal fleet loses the match" : ""));
  for (const game::v1::PaceOffer& pace : rules.paces()) {
    lines.push_back(PaceText(pace, rules.strikes_to_lose()));
  }
  for (const RuleOption& option : kRuleOptions) {
    if (Offers(rules, option.name)) {
      lines.push_back(absl::StrFormat("  %-20s  %s", option.flag, option.help));
    }
  }
  if (!rules.fleet_b().empty()) lines.push_back("  the fleet of --fleet-b:");
  AppendShips(rules.fleet_b(), rules, lines);
  return lines;
}

std::string PlayersOf(const lobby::v1::Table& table) {
  return absl::StrJoin(table.players(), " and ", [](std::string* out, const v1::Player& player) {
    absl::StrAppend(out, player.handle());
  });
}

std::string TableLine(const lobby::v1::Table& table) {
  return absl::StrCat(
      table.table_id(), "  ", RulesWords(table.rules()), " ",
      Word(lobby::v1::TableKind_Name(table.kind()), "TABLE_KIND_"), table.rated() ? " rated" : "",
      " ", Word(lobby::v1::TableState_Name(table.state()), "TABLE_STATE_"), "  ", PlayersOf(table));
}

// "ID  tablu untimed against jota: your shot", or of a table "table ID  tablu private: a rival is
// awaited".
std::string OpenTableLine(const OpenTable& open) {
  const lobby::v1::Table& table = open.table;
  if (!open.match.has_value()) {
    return absl::StrCat("table ", table.table_id(), "  ", RulesWords(table.rules()), " ",
                        Word(lobby::v1::TableKind_Name(table.kind()), "TABLE_KIND_"),
                        table.state() == lobby::v1::TABLE_STATE_OPEN
                            ? ": a rival is awaited"
                            : ": the match is being begun");
  }
  const v1::Match& match = *open.match;
  return absl::StrCat(match.match_id(), "  ", RulesWords(match.rules()), " against ",
                      NameOf(match, RivalOf(match.viewer_seat())), ": ",
                      StatusText(match, client::TimeOf(match.server_time())));
}

// The status; once an illegal fleet has lost, what is wrong with it.
Lines HeadText(const v1::Match& match, absl::Time now) {
  Lines lines = {StatusText(match, now)};
  Append(ViolationLines(match.violations()), lines);
  return lines;
}

void AppendNextPage(absl::string_view token, Lines& lines) {
  if (!token.empty()) lines.push_back(absl::StrCat("more with --page-token=", token));
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string printable(text);
  for (char& byte : printable) {
    if (byte < ' ' || byte > '~') byte = '?';
  }
  return printable;
}

Lines Wrapped(absl::string_view text, size_t columns) {
  Lines lines;
  while (text.size() > columns) {
    // The blank may stand just behind the line.
    const size_t blank = text.substr(0, columns + 1).rfind(' ');
    const bool between_words = blank != absl::string_view::npos && blank > 0;
    lines.emplace_back(text.substr(0, between_words ? blank : columns));
    text.remove_prefix(between_words ? blank + 1 : columns);
  }
  lines.emplace_back(text);
  return lines;
}

std::string AccountText(const lobby::v1::Account& account) {
  return absl::StrCat(account.handle(), account.guest() ? ", a guest" : "");
}

Lines RulesText(const lobby::v1::ListRuleSetsResponse& rules) {
  Lines lines;
  for (const game::v1::RuleSet& rule_set : rules.rule_sets()) Append(RuleSetText(rule_set), lines);
  return lines;
}

Lines TableText(const lobby::v1::Table& table) {
  Lines lines = {TableLine(table)};
  if (!table.match_id().empty()) lines.push_back(absl::StrCat("match ", table.match_id()));
  return lines;
}

Lines CreatedText(const lobby::v1::CreateTableResponse& created) {
  Lines lines = JoinedText(created.table());
  if (!created.join_code().empty()) {
    lines.push_back(absl::StrCat("the rival joins with: ",
                                 CommandLine(absl::StrCat("join ", created.join_code()))));
  }
  return lines;
}

Lines JoinedText(const lobby::v1::Table& table) {
  Lines lines = TableText(table);
  lines.push_back(absl::StrCat("go on with: ", CommandLine("play")));
  return lines;
}

Lines MatchesText(const std::vector<OpenTable>& tables) {
  Lines lines;
  for (const OpenTable& open : tables) lines.push_back(OpenTableLine(open));
  if (lines.empty()) return {"no match goes on, and no table is open"};
  if (std::any_of(tables.begin(), tables.end(),
                  [](const OpenTable& open) { return open.match.has_value(); })) {
    lines.push_back(absl::StrCat("come back to one with: ", CommandLine("play --match-id ID")));
  }
  return lines;
}

Lines StillOpenText(const std::vector<OpenTable>& tables) {
  if (tables.empty()) return {};
  Lines lines = MatchesText(tables);
  lines.insert(lines.begin(), "still going on:");
  return lines;
}

std::string RulesWords(const game::v1::GameRules& rules) {
  std::string words = rules.rule_set();
  for (const RuleOption& option : kRuleOptions) {
    if ((rules.*option.get)()) absl::StrAppend(&words, " ", option.name);
  }
  if (rules.pace() != game::v1::PACE_UNSPECIFIED) {
    absl::StrAppend(&words, " ", PaceWord(rules.pace()));
  }
  return words;
}

std::string OfferText(const lobby::v1::ListRuleSetsResponse& offered, absl::string_view rule_set) {
  Lines ids;
  for (const game::v1::RuleSet& rules : offered.rule_sets()) {
    ids.push_back(rules.id());
    if (rules.id() != rule_set) continue;
    Lines flags;
    for (const RuleOption& option : kRuleOptions) {
      if (Offers(rules, option.name)) flags.emplace_back(option.flag);
    }
    for (const game::v1::PaceOffer& pace : rules.paces()) {
      flags.push_back(absl::StrCat("--pace ", PaceWord(pace.pace())));
    }
    if (flags.empty()) return absl::StrCat(rule_set, " offers no options");
    return absl::StrCat(rule_set, " offers ", absl::StrJoin(flags, ", "),
                        "; '@ rules' tells what they do");
  }
  return absl::StrCat("the rule sets are ", absl::StrJoin(ids, ", "));
}

Lines TablesText(const lobby::v1::ListTablesResponse& tables) {
  Lines lines;
  for (const lobby::v1::Table& table : tables.tables()) lines.push_back(TableLine(table));
  if (lines.empty()) lines.push_back("no open public table");
  AppendNextPage(tables.next_page_token(), lines);
  return lines;
}

Lines LeaderboardText(const ranking::v1::ListLeaderboardResponse& leaderboard) {
  Lines lines;
  for (const ranking::v1::Rating& rating : leaderboard.ratings()) {
    lines.push_back(RatingText(rating));
  }
  if (lines.empty()) lines.push_back("nobody has played a rated match yet");
  AppendNextPage(leaderboard.next_page_token(), lines);
  return lines;
}

std::string RatingText(const ranking::v1::Rating& rating) {
  return absl::StrFormat("%4d. %-22s %7.1f   %d won, %d lost", rating.rank(), rating.handle(),
                         rating.rating(), rating.wins(), rating.losses());
}

std::string ViolationText(const v1::FleetViolation& violation) {
  const std::string kind =
      Word(v1::FleetViolationKind_Name(violation.kind()), "FLEET_VIOLATION_KIND_");
  return absl::StrCat(absl::StrReplaceAll(kind, {{"_", " "}}), ": ",
                      absl::StrJoin(violation.ship_ids(), ", "));
}

Lines ViolationsText(const v1::PlaceFleetResponse& placed, const game::v1::RuleSet& rule_set) {
  Lines lines = ViolationLines(placed.violations());
  if (!lines.empty() && rule_set.illegal_fleet_loses()) {
    lines.emplace_back("confirming this fleet loses the match");
  }
  return lines;
}

std::string ClaimHint(const v1::Match& match) {
  if (match.rules().untimed()) return "no clock runs in this match, so that nothing is claimed";
  switch (match.rule_set().clock_end()) {
    case game::v1::CLOCK_END_MAY_BE_CLAIMED:
      break;
    case game::v1::CLOCK_END_LOSES:
      return "nothing is claimed in this match: a clock that runs out ends it by itself";
    default:
      return "nothing is claimed in this match: when a clock runs out the server plays";
  }
  if (Awaits(match, match.viewer_seat())) return "your own move is awaited";
  return "'@ show' tells how long the rival has";
}

std::string EventText(const v1::MatchEvent& event, const v1::Match& match) {
  switch (event.event_case()) {
    case v1::MatchEvent::kPlacementStarted:
      return "the fleets are placed";
    case v1::MatchEvent::kFleetConfirmed:
      return FleetConfirmedText(event.fleet_confirmed(), match);
    case v1::MatchEvent::kBattleStarted:
      return BattleStartedText(event.battle_started(), match);
    case v1::MatchEvent::kVolleyDue:
      return VolleyDueText(event.volley_due(), match);
    case v1::MatchEvent::kVolleyFired:
      return absl::StrCat(OwnerOf(match, event.volley_fired().seat()), " volley is in",
                          event.volley_fired().by_clock() ? " (the clock fired)" : "");
    case v1::MatchEvent::kVolleyAnswered:
      return VolleyAnsweredText(event.volley_answered(), match);
    case v1::MatchEvent::kShotFired:
      return ShotFiredText(event.shot_fired(), match);
    case v1::MatchEvent::kClockRanOut:
      return ClockRanOutText(event.clock_ran_out(), match);
    case v1::MatchEvent::kClockAdjusted:
      // Where the rival may claim, a player who comes back sets it anew, too.
      return match.rule_set().clock_end() == game::v1::CLOCK_END_MAY_BE_CLAIMED
                 ? "the clock was set anew"
                 : "the server had been away: the clock was set anew";
    // The draft, whose shot is due, when all ends and how it ended are seen on the screen.
    case v1::MatchEvent::kMatchEnded:
    case v1::MatchEvent::kDraftChanged:
    case v1::MatchEvent::kShotDue:
    case v1::MatchEvent::kIdleClockSet:
    case v1::MatchEvent::EVENT_NOT_SET:
      break;
  }
  return "";
}

Lines EventsText(const google::protobuf::RepeatedPtrField<v1::MatchEvent>& events,
                 const v1::Match& match) {
  Lines lines;
  for (const v1::MatchEvent& event : events) {
    const std::string text = EventText(event, match);
    if (!text.empty()) lines.push_back(text);
  }
  return lines;
}

Lines PresenceText(const v1::Match& before, const v1::Match& after) {
  Lines lines;
  for (int i = 0; i < after.sides_size(); ++i) {
    const bool was_away = i < before.sides_size() && IsAway(before.sides(i));
    if (IsAway(after.sides(i)) && !was_away) lines.push_back(AwayText(after.sides(i)));
    if (was_away && after.sides(i).presence() == v1::PRESENCE_WATCHING) {
      lines.push_back(after.sides(i).player().handle() + " is back");
    }
  }
  return lines;
}

std::string StatusText(const v1::Match& match, absl::Time now) {
  std::string text = DueText(match, now);
  for (const v1::Side& side : match.sides()) {
    if (IsAway(side)) absl::StrAppend(&text, "; ", AwayText(side));
  }
  return text;
}

Lines SeasText(const v1::Match& match) {
  const v1::Seat left = LeftSeat(match);
  return client::SideBySide(SeaText(match, left), SeaText(match, RivalOf(left)), kSecondSeaColumn);
}

Lines ShipsText(const v1::Match& match) {
  const v1::Seat left = LeftSeat(match);
  return client::SideBySide(FleetText(match, left), FleetText(match, RivalOf(left)),
                            kSecondSeaColumn);
}

Lines MatchText(const v1::Match& match, absl::Time now) {
  Lines lines = HeadText(match, now);
  Append(SeasText(match), lines);
  Append(ShipsText(match), lines);
  lines.push_back(client::LegendOf(match.rule_set()));
  return lines;
}

Lines SceneText(const Scene& scene, int rows) {
  Lines ships = ShipsText(scene.match);
  Lines legend = {client::LegendOf(scene.match.rule_set())};
  const auto first_shown =
      scene.news.end() - static_cast<std::ptrdiff_t>(std::min(kNewsShown, scene.news.size()));
  Lines news(first_shown, scene.news.end());
  news.resize(kNewsShown);
  Lines seas = SeasText(scene.match);
  Lines lines = HeadText(scene.match, scene.now);
  // The head and the note stay.
  const auto kept = static_cast<int>(scene.note.size() + lines.size());
  const auto room = static_cast<size_t>(std::max(rows - kept, 0));
  for (Lines* const section : {&legend, &ships, &news}) {
    if (seas.size() + ships.size() + legend.size() + news.size() > room) section->clear();
  }
  for (Lines* const section : {&seas, &ships, &legend, &news}) Append(std::move(*section), lines);
  Append(scene.note, lines);
  if (lines.size() > static_cast<size_t>(rows)) lines.resize(static_cast<size_t>(rows));
  return lines;
}

}  // namespace naval::cli
