#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "naval/game/v1/game.pb.h"
#include "naval/lobby/v1/account_service.pb.h"
#include "naval/lobby/v1/lobby_service.pb.h"
#include "naval/match/v1/match.pb.h"
#include "naval/match/v1/match_service.pb.h"
#include "naval/ranking/v1/ranking_service.pb.h"

namespace naval::cli {

// The API's values as text for people, in lines. Pure but for CommandLine, which hints use. Texts
// of the server come through as they are: whoever prints a line on a terminal prints Printable of
// it.

using Lines = std::vector<std::string>;

// `text` with '?' for each byte that is not printable ASCII, so that nobody's text can move the
// cursor or colour the screen.
std::string Printable(absl::string_view text);

// `text` in lines of at most `columns` characters, broken between words where that can be; one
// empty line when there is none. `columns` is at least 1.
Lines Wrapped(absl::string_view text, size_t columns);

std::string AccountText(const lobby::v1::Account& account);
Lines RulesText(const lobby::v1::ListRuleSetsResponse& rules);
Lines TableText(const lobby::v1::Table& table);
// What to do next is told too, with the code where there is one.
Lines CreatedText(const lobby::v1::CreateTableResponse& created);
Lines JoinedText(const lobby::v1::Table& table);

// A table of the player's own that is open, or whose match goes on.
struct OpenTable {
  lobby::v1::Table table;
  // As its player sees it; nullopt before it has begun.
  std::optional<match::v1::Match> match;
};

// A line for each, with the id that commands take, and how to come back to a match.
Lines MatchesText(const std::vector<OpenTable>& tables);
// The same for a player who has just begun another; nothing where there is none.
Lines StillOpenText(const std::vector<OpenTable>& tables);

// "salvo volley slow": the rule set with the chosen options.
std::string RulesWords(const game::v1::GameRules& rules);

// What may be chosen with this rule set, or which rule sets there are where it is none of them.
std::string OfferText(const lobby::v1::ListRuleSetsResponse& offered, absl::string_view rule_set);

Lines TablesText(const lobby::v1::ListTablesResponse& tables);
Lines LeaderboardText(const ranking::v1::ListLeaderboardResponse& leaderboard);
std::string RatingText(const ranking::v1::Rating& rating);

// "touching: fragata, lancha", as the API's errors name it.
std::string ViolationText(const match::v1::FleetViolation& violation);

// What would have to change before a draft can be confirmed, and what it costs to confirm it all
// the same; empty when nothing.
Lines ViolationsText(const match::v1::PlaceFleetResponse& placed,
                     const game::v1::RuleSet& rule_set);

// Why a player of this match can claim nothing now.
std::string ClaimHint(const match::v1::Match& match);

// One line, such as "you fire C7: hit"; empty for what a player need not be told, and for what the
// state says: whose shot is due, and how the match ended.
std::string EventText(const match::v1::MatchEvent& event, const match::v1::Match& match);
// EventText of each event that has one.
Lines EventsText(const google::protobuf::RepeatedPtrField<match::v1::MatchEvent>& events,
                 const match::v1::Match& match);

// Who has come or gone between two states of a match, such as "marina is away"; `before` may be
// empty.
Lines PresenceText(const match::v1::Match& before, const match::v1::Match& after);

// What is due, how long it has at `now` by the server's clock, and which player is away; at the
// end, who won and why.
std::string StatusText(const match::v1::Match& match, absl::Time now);

// Both seas side by side, the viewer's own on the left, with the last shot at each in brackets.
Lines SeasText(const match::v1::Match& match);

// The ships of both fleets under their seas: one's own with their hits, the rival's while afloat by
// their lengths.
Lines ShipsText(const match::v1::Match& match);

// StatusText, what is wrong with a fleet that lost the match, SeasText, ShipsText and the legend.
Lines MatchText(const match::v1::Match& match, absl::Time now);

// What the screen of a match holds above the line that is typed.
struct Scene {
  const match::v1::Match& match;
  // The server's time.
  absl::Time now;
  // What happened, the oldest first.
  const Lines& news;
  // An answer, or what is wrong with the connection; as wide as the screen.
  const Lines& note;
};

// The scene in at most `rows` lines: where they are too few the legend goes first, then the ships,
// then the news.
Lines SceneText(const Scene& scene, int rows);

}  // namespace naval::cli
