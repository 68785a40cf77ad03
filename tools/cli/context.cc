#include "tools/cli/context.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "tools/cli/failure.h"
#include "tools/cli/output.h"
#include "tools/client/player.h"
#include "tools/client/tables.h"

namespace naval::cli {
namespace {

namespace v1 = lobby::v1;

// Changes what was read and what is kept alike.
absl::Status Change(Context& context, absl::FunctionRef<void(State&)> change) {
  change(context.state);
  return context.file.Change([&](State& state) {
    change(state);
    return absl::OkStatus();
  });
}

// Nullopt for a table that is closed or gone, and for one whose match is over.
absl::StatusOr<std::optional<OpenTable>> FindOpenTable(const std::string& table_id,
                                                       Context& context) {
  v1::GetTableRequest request;
  request.set_table_id(table_id);
  auto found = context.client.Call(&v1::LobbyService::Stub::GetTable, request);
  if (absl::IsNotFound(found.status())) return std::nullopt;
  NAVAL_RETURN_IF_ERROR(found.status());
  OpenTable open = {.table = std::move(*found->mutable_table()), .match = std::nullopt};
  if (open.table.state() == v1::TABLE_STATE_CLOSED || open.table.state() == v1::TABLE_STATE_ENDED) {
    return std::nullopt;
  }
  if (open.table.match_id().empty()) return open;
  // The lobby hears of the end a moment later than the match service knows of it.
  NAVAL_ASSIGN_OR_RETURN(open.match, MatchGoingOn(open.table.match_id(), context));
  if (!open.match.has_value()) return std::nullopt;
  return open;
}

absl::Status WithOffer(const absl::Status& error, const std::string& rule_set, Context& context) {
  const std::string reason = base::ReasonOf(error);
  if (reason != "OPTION_NOT_OFFERED" && reason != "UNKNOWN_RULE_SET") return error;
  const auto offered = context.client.Call(&v1::LobbyService::Stub::ListRuleSets, {});
  return offered.ok() ? WithHint(error, OfferText(*offered, rule_set)) : error;
}

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
  return Change(context, [&](State& state) {
    state.table_id = table.table_id();
    state.match_id = table.match_id();
    std::vector<std::string>& open = state.open_table_ids;
    if (std::find(open.begin(), open.end(), table.table_id()) == open.end()) {
      open.push_back(table.table_id());
    }
  });
}

absl::Status Forget(const std::string& table_id, Context& context) {
  return Change(context, [&](State& state) {
    std::erase(state.open_table_ids, table_id);
    if (state.table_id != table_id) return;
    state.table_id.clear();
    state.match_id.clear();
  });
}

absl::StatusOr<std::optional<match::v1::Match>> MatchGoingOn(const std::string& match_id,
                                                             Context& context) {
  if (match_id.empty()) return std::nullopt;
  auto found = client::MatchOf(context.client, match_id);
  if (absl::IsNotFound(found.status())) return std::nullopt;
  NAVAL_RETURN_IF_ERROR(found.status());
  if (found->phase() == match::v1::PHASE_OVER) return std::nullopt;
  return *std::move(found);
}

absl::StatusOr<std::vector<OpenTable>> OpenTables(Context& context) {
  std::vector<OpenTable> tables;
  std::vector<std::string> gone;
  for (const std::string& table_id : context.state.open_table_ids) {
    NAVAL_ASSIGN_OR_RETURN(std::optional<OpenTable> table, FindOpenTable(table_id, context));
    if (table.has_value()) {
      tables.push_back(*std::move(table));
    } else {
      gone.push_back(table_id);
    }
  }
  if (gone.empty()) return tables;
  // Another command may have remembered one meanwhile.
  NAVAL_RETURN_IF_ERROR(Change(context, [&](State& state) {
    for (const std::string& table_id : gone) std::erase(state.open_table_ids, table_id);
  }));
  return tables;
}

absl::StatusOr<v1::CreateTableResponse> CreateTable(const v1::CreateTableRequest& request,
                                                    Context& context) {
  auto response = client::OpenTable(context.client, request);
  if (!response.ok()) {
    return WithOffer(response.status(), request.rules().rule_set(), context);
  }
  NAVAL_RETURN_IF_ERROR(Remember(response->table(), context));
  return response;
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
