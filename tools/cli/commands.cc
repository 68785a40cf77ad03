#include "tools/cli/commands.h"

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/secret.h"
#include "lib/base/status_macros.h"
#include "tools/cli/context.h"
#include "tools/cli/failure.h"
#include "tools/cli/match_commands.h"
#include "tools/cli/password.h"
#include "tools/cli/play.h"
#include "tools/client/tables.h"

namespace naval::cli {
namespace {

using LobbyStub = lobby::v1::LobbyService::Stub;
using RankingStub = ranking::v1::RankingService::Stub;

// The tokens stay in the state file.
absl::Status AnswerWithAccount(const Context& context) {
  const lobby::v1::Account account = context.client.account();
  return Answer(context, account, [&] { return Lines{AccountText(account)}; });
}

// A session that is replaced is lost, and a guest with it.
absl::Status RefuseIfLoggedIn(const Context& context) {
  if (!IsLoggedIn(context)) return absl::OkStatus();
  const lobby::v1::Account account = context.client.account();
  const bool guest = account.guest();
  return UsageError(absl::StrCat(
      AccountText(account), guest ? "," : "", " is logged in: '", CommandLine("logout"), "' first",
      guest ? ", which is the guest's end" : "", ", or use another file with --state"));
}

absl::Status Run(const GuestCommand&, Context& context) {
  NAVAL_RETURN_IF_ERROR(RefuseIfLoggedIn(context));
  NAVAL_RETURN_IF_ERROR(context.client.CreateGuest());
  return AnswerWithAccount(context);
}

absl::Status Run(const RegisterCommand& command, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const base::Secret password,
                         ReadPassword(command.password_file, /*repeated=*/true));
  NAVAL_RETURN_IF_ERROR(context.client.Register(command.handle, password));
  return AnswerWithAccount(context);
}

absl::Status Run(const LogInCommand& command, Context& context) {
  NAVAL_RETURN_IF_ERROR(RefuseIfLoggedIn(context));
  NAVAL_ASSIGN_OR_RETURN(const base::Secret password,
                         ReadPassword(command.password_file, /*repeated=*/false));
  NAVAL_RETURN_IF_ERROR(context.client.LogIn(command.handle, password));
  return AnswerWithAccount(context);
}

absl::Status Run(const LogOutCommand& command, Context& context) {
  if (command.forget) {
    NAVAL_RETURN_IF_ERROR(context.file.Change([](State& state) {
      state = {};
      return absl::OkStatus();
    }));
  } else {
    if (!IsLoggedIn(context)) return NotLoggedIn();
    NAVAL_RETURN_IF_ERROR(context.client.LogOut());
  }
  return Answer(context, lobby::v1::LogOutResponse(), [] { return Lines{"logged out"}; });
}

absl::Status Run(const WhoAmICommand&, Context& context) { return AnswerWithAccount(context); }

absl::Status Run(const RulesCommand&, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::ListRuleSetsResponse response,
                         context.client.Call(&LobbyStub::ListRuleSets, {}));
  return Answer(context, response, [&] { return RulesText(response); });
}

absl::Status Run(const TablesCommand& command, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::ListTablesResponse response,
                         context.client.Call(&LobbyStub::ListTables, command.request));
  return Answer(context, response, [&] { return TablesText(response); });
}

absl::Status Run(const TableCommand& command, Context& context) {
  lobby::v1::GetTableRequest request;
  NAVAL_ASSIGN_OR_RETURN(*request.mutable_table_id(), TableIdOf(command.table_id, context));
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::GetTableResponse response,
                         context.client.Call(&LobbyStub::GetTable, request));
  return Answer(context, response, [&] { return TableText(response.table()); });
}

Lines Both(Lines first, const Lines& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

absl::Status Run(const CreateCommand& command, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const std::vector<OpenTable> others, OpenTables(context));
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::CreateTableResponse response,
                         CreateTable(command.request, context));
  return Answer(context, response,
                [&] { return Both(CreatedText(response), StillOpenText(others)); });
}

absl::Status Run(const JoinCommand& command, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(std::vector<OpenTable> others, OpenTables(context));
  lobby::v1::JoinTableResponse response;
  NAVAL_ASSIGN_OR_RETURN(*response.mutable_table(), client::Join(context.client, command.request));
  NAVAL_RETURN_IF_ERROR(Remember(response.table(), context));
  // One may join again where one sits already.
  std::erase_if(others, [&](const OpenTable& other) {
    return other.table.table_id() == response.table().table_id();
  });
  return Answer(context, response,
                [&] { return Both(JoinedText(response.table()), StillOpenText(others)); });
}

absl::Status Run(const LeaveCommand& command, Context& context) {
  lobby::v1::LeaveTableRequest request;
  NAVAL_ASSIGN_OR_RETURN(*request.mutable_table_id(), TableIdOf(command.table_id, context));
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::LeaveTableResponse response,
                         context.client.Call(&LobbyStub::LeaveTable, request));
  NAVAL_RETURN_IF_ERROR(Forget(request.table_id(), context));
  return Answer(context, response, [] { return Lines{"left"}; });
}

// The tables, as the lobby has them, are the answer in JSON.
absl::Status Run(const MatchesCommand&, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const std::vector<OpenTable> open, OpenTables(context));
  lobby::v1::ListTablesResponse tables;
  for (const OpenTable& table : open) *tables.add_tables() = table.table;
  return Answer(context, tables, [&] { return MatchesText(open); });
}

absl::Status Run(const LeaderboardCommand& command, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const ranking::v1::ListLeaderboardResponse response,
                         context.client.Call(&RankingStub::ListLeaderboard, command.request));
  return Answer(context, response, [&] { return LeaderboardText(response); });
}

absl::Status Run(const RatingCommand& command, Context& context) {
  ranking::v1::GetRatingRequest request = command.request;
  if (request.account_id().empty()) request.set_account_id(context.client.account().account_id());
  NAVAL_ASSIGN_OR_RETURN(const ranking::v1::GetRatingResponse response,
                         context.client.Call(&RankingStub::GetRating, request));
  return Answer(context, response, [&] { return Lines{RatingText(response.rating())}; });
}

// These begin a session, end it, or bring one along.
template <typename C>
constexpr bool kWorksWithoutSession =
    std::is_same_v<C, GuestCommand> || std::is_same_v<C, RegisterCommand> ||
    std::is_same_v<C, LogInCommand> || std::is_same_v<C, LogOutCommand> ||
    std::is_same_v<C, PlayCommand>;

}  // namespace

absl::Status RunCommand(const Arguments& arguments, base::Clock& clock, base::Random& random) {
  std::string path = arguments.state_file;
  if (path.empty()) {
    NAVAL_ASSIGN_OR_RETURN(path, StateFile::DefaultPath());
  }
  StateFile file(path);
  NAVAL_ASSIGN_OR_RETURN(State state, file.Read());
  client::Client client({.addresses = arguments.addresses,
                         .call_timeout = arguments.timeout,
                         .session = state.session,
                         .store = &file},
                        clock, random);
  Context context{.arguments = arguments,
                  .file = file,
                  .state = std::move(state),
                  .clock = clock,
                  .client = client};
  return std::visit(
      [&]<typename C>(const C& command) -> absl::Status {
        if (!kWorksWithoutSession<C> && !IsLoggedIn(context)) return NotLoggedIn();
        return Run(command, context);
      },
      arguments.command);
}

}  // namespace naval::cli
