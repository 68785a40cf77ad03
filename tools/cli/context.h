#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "lib/base/clock.h"
#include "naval/lobby/v1/lobby_service.pb.h"
#include "naval/match/v1/match.pb.h"
#include "tools/cli/arguments.h"
#include "tools/cli/state_file.h"
#include "tools/cli/text.h"
#include "tools/client/client.h"

namespace naval::cli {

// What every command works with.
struct Context {
  const Arguments& arguments;
  StateFile& file;
  // As it was when the command began, but for what Remember has put there.
  State state;
  base::Clock& clock;
  client::Client& client;
};

bool IsLoggedIn(const Context& context);

// Prints the answer in the form that was asked for.
absl::Status Answer(const Context& context, const google::protobuf::Message& message,
                    absl::FunctionRef<Lines()> text);

// From now on commands without an id mean this table and its match.
absl::Status Remember(const lobby::v1::Table& table, Context& context);

// The account has left this table: nothing means it any more.
absl::Status Forget(const std::string& table_id, Context& context);

// The match, unless it is over or gone; nullopt without an id, too.
absl::StatusOr<std::optional<match::v1::Match>> MatchGoingOn(const std::string& match_id,
                                                             Context& context);

// The remembered tables that are open or whose match goes on, the oldest first, as the services
// know them. The others are taken from the list.
absl::StatusOr<std::vector<OpenTable>> OpenTables(Context& context);

// Opens a table, see client::OpenTable, and remembers it. The error of what is not offered has a
// hint at what is.
absl::StatusOr<lobby::v1::CreateTableResponse> CreateTable(
    const lobby::v1::CreateTableRequest& request, Context& context);

// The id that was given, else the stored one; a UsageError where there is neither.
absl::StatusOr<std::string> TableIdOf(const std::string& given, const Context& context);

// The same for a match. The match of the stored table is asked for where it was not known yet.
// FAILED_PRECONDITION, reason NO_MATCH_YET, while that table waits for a rival.
absl::StatusOr<std::string> MatchIdOf(const std::string& given, Context& context);

// Waits until somebody has joined the stored table, and gives its match as MatchIdOf does;
// DEADLINE_EXCEEDED after `limit`; FAILED_PRECONDITION, reason TABLE_CLOSED.
absl::StatusOr<std::string> AwaitMatchId(const std::string& given, absl::Duration limit,
                                         Context& context);

}  // namespace naval::cli
