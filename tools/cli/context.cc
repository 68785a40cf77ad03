#include "tools/cli/context.h"

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "tools/cli/failure.h"
#include "tools/cli/output.h"

namespace naval::cli {
namespace {

namespace v1 = lobby::v1;

absl::StatusOr<v1::Table> StoredTable(Context& context) {
  if (context.state.table_id.empty()) {
    return UsageError(absl::StrCat("no match: name one with --match-id, or begin one with '",
                                   CommandLine("play --bot jota"), "'"));
  }
  v1::GetTableRequest request;
  request.set_table_id(context.state.table_id);
  NAVAL_ASSIGN_OR_RETURN(const v1::GetTableResponse response,
                         context.client.Call(&v1::LobbyService::Stub::GetTable, request));
  NAVAL_RETURN_IF_ERROR(Remember(response.table(), context));
  return response.table();
}

}  // namespace

bool IsLoggedIn(const Context& context) { return !context.client.account().account_id().empty(); }

absl::Status Answer(const Context& context, const google::protobuf::Message& message,
                    absl::FunctionRef<Lines()> text) {
  return PrintAnswer(context.arguments.json, message, text);
}

absl::Status Remember(const v1::Table& table, Context& context) {
  context.state.table_id = table.table_id();
  context.state.match_id = table.match_id();
  return context.file.Change([&](State& state) {
    state.table_id = table.table_id();
    state.match_id = table.match_id();
    return absl::OkStatus();
  });
}

absl::StatusOr<std::string> TableIdOf(const std::string& given, const Context& context) {
  if (!given.empty()) return given;
  if (!context.state.table_id.empty()) return context.state.table_id;
  return UsageError(
      absl::StrCat("no table: name one, or open one with '", CommandLine("create"), "'"));
}

absl::StatusOr<std::string> MatchIdOf(const std::string& given, Context& context) {
  if (!given.empty()) return given;
  if (!context.state.match_id.empty()) return context.state.match_id;
  NAVAL_ASSIGN_OR_RETURN(const v1::Table table, StoredTable(context));
  if (!table.match_id().empty()) return table.match_id();
  return base::Error(absl::StatusCode::kFailedPrecondition, "NO_MATCH_YET",
                     absl::StrCat("the match of table ", table.table_id(), " has not begun"));
}

absl::StatusOr<std::string> AwaitMatchId(const std::string& given, absl::Duration limit,
                                         Context& context) {
  if (!given.empty()) return given;
  if (!context.state.match_id.empty()) return context.state.match_id;
  v1::Table table;
  NAVAL_RETURN_IF_ERROR(
      context.client.WaitUntil("a match at the last table", limit, [&]() -> absl::StatusOr<bool> {
        NAVAL_ASSIGN_OR_RETURN(table, StoredTable(context));
        return !table.match_id().empty() || table.state() == v1::TABLE_STATE_CLOSED;
      }));
  if (!table.match_id().empty()) return table.match_id();
  return base::Error(absl::StatusCode::kFailedPrecondition, "TABLE_CLOSED",
                     absl::StrCat("table ", table.table_id(), " closed before its match began"));
}

}  // namespace naval::cli
