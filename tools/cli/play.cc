#include "tools/cli/play.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/util/message_differencer.h"
#include "lib/base/status_macros.h"
#include "tools/cli/failure.h"
#include "tools/cli/live.h"
#include "tools/cli/output.h"
#include "tools/client/match_feed.h"
#include "tools/client/match_state.h"

namespace naval::cli {
namespace {

namespace v1 = match::v1;

absl::Status AnotherIsGoingOn(const v1::Match& match) {
  const v1::Player& rival = client::SideOf(match, client::RivalOf(match.viewer_seat())).player();
  return UsageError(absl::StrCat("a match against ", rival.handle(), " (",
                                 RulesWords(match.rules()), ") is going on: '", CommandLine("play"),
                                 "' goes on with it, '", CommandLine("resign"), "' ends it"));
}

absl::StatusOr<std::string> OpenMatch(const lobby::v1::CreateTableRequest& table,
                                      Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const std::vector<OpenTable> others, OpenTables(context));
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::CreateTableResponse response,
                         CreateTable(table, context));
  PrintLines(StillOpenText(others));
  return response.table().match_id();
}

bool IsMatchOf(const lobby::v1::CreateTableRequest& table, const v1::Match& match) {
  const v1::Player& rival = client::SideOf(match, client::RivalOf(match.viewer_seat())).player();
  return rival.bot() == table.bot() &&
         google::protobuf::util::MessageDifferencer::Equals(match.rules(), table.rules());
}

// The match to play: the named one, the one that is going on, a new one, or that of the table at
// which a rival is awaited.
absl::StatusOr<std::string> FindMatch(const PlayCommand& command, Context& context) {
  if (!command.match_id.empty()) return command.match_id;
  NAVAL_ASSIGN_OR_RETURN(const std::optional<v1::Match> going_on,
                         MatchGoingOn(context.state.match_id, context));
  if (going_on.has_value()) {
    if (command.table.has_value() && !IsMatchOf(*command.table, *going_on)) {
      return AnotherIsGoingOn(*going_on);
    }
    return going_on->match_id();
  }
  if (command.table.has_value()) return OpenMatch(*command.table, context);
  if (!context.state.match_id.empty()) {
    return UsageError(absl::StrCat("the last match is over; begin one with '",
                                   CommandLine("play --bot jota"), "', '", CommandLine("create"),
                                   "' or '", CommandLine("join"), "'; '", CommandLine("matches"),
                                   "' lists those that go on"));
  }
  if (!context.state.table_id.empty()) {
    PrintLines({"waiting for a rival; Ctrl-C leaves the table open"});
  }
  return AwaitMatchId("", absl::InfiniteDuration(), context);
}

void SayHowToComeBack(const v1::Match& match, const Context& context) {
  const std::string way = match.match_id() == context.state.match_id
                              ? "play"
                              : absl::StrCat("play --match-id ", match.match_id());
  PrintLines(
      {absl::StrCat("the match goes on", match.has_deadline() ? ", and so does its clock" : "",
                    "; come back with: ", CommandLine(way))});
}

absl::Status Follow(const std::string& match_id, bool playing, Context& context) {
  Live live(context.client, context.clock, match_id, playing);
  absl::Status status = live.Run();
  if (!live.match().has_value()) return status;
  // What was drawn is gone from the screen now.
  if (live.draws()) PrintLines(MatchText(*live.match(), live.ServerNow()));
  if (live.match()->phase() != v1::PHASE_OVER) SayHowToComeBack(*live.match(), context);
  return status;
}

absl::Status PrintSnapshot(const v1::Match& match) {
  v1::WatchMatchResponse message;
  *message.mutable_snapshot() = match;
  return PrintJson(message);
}

absl::Status WatchAsJson(const std::string& match_id, Context& context) {
  client::MatchFeed feed(context.client, context.clock, match_id);
  NAVAL_ASSIGN_OR_RETURN(v1::Match match, feed.WaitForState(context.arguments.timeout));
  NAVAL_RETURN_IF_ERROR(PrintSnapshot(match));
  int64_t printed = match.seq();
  while (match.phase() != v1::PHASE_OVER) {
    NAVAL_ASSIGN_OR_RETURN(match,
                           feed.WaitFor([&](const v1::Match& now) { return now.seq() > printed; },
                                        absl::InfiniteDuration()));
    for (const v1::MatchEvent& event : feed.events()) {
      if (event.seq() != printed + 1) continue;
      v1::WatchMatchResponse message;
      *message.mutable_event() = event;
      NAVAL_RETURN_IF_ERROR(PrintJson(message));
      printed = event.seq();
    }
    if (printed >= match.seq()) continue;
    // The feed jumped over events that this client does not know.
    NAVAL_RETURN_IF_ERROR(PrintSnapshot(match));
    printed = match.seq();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Run(const PlayCommand& command, Context& context) {
  if (context.arguments.json) {
    return UsageError("play is for people; scripts use wait, fire and show");
  }
  if (!IsLoggedIn(context)) {
    if (!command.table.has_value()) return NotLoggedIn();
    NAVAL_RETURN_IF_ERROR(context.client.CreateGuest());
    PrintLines({absl::StrCat("you are ", AccountText(context.client.account()))});
  }
  NAVAL_ASSIGN_OR_RETURN(const std::string match_id, FindMatch(command, context));
  return Follow(match_id, /*playing=*/true, context);
}

absl::Status Run(const WatchCommand& command, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const std::string match_id, MatchIdOf(command.match_id, context));
  if (context.arguments.json) return WatchAsJson(match_id, context);
  return Follow(match_id, /*playing=*/false, context);
}

}  // namespace naval::cli
