#include "tools/client/tables.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace naval::client {
namespace {

namespace v1 = lobby::v1;
using LobbyStub = v1::LobbyService::Stub;

// A match service that is just starting answers well within this.
constexpr absl::Duration kStartLimit = absl::Seconds(20);

}  // namespace

game::v1::GameRules TabluRules() {
  game::v1::GameRules rules;
  rules.set_rule_set("tablu");
  return rules;
}

absl::StatusOr<v1::CreateTableResponse> OpenTable(Client& client,
                                                  const v1::CreateTableRequest& request) {
  NAVAL_ASSIGN_OR_RETURN(v1::CreateTableResponse response,
                         client.Call(&LobbyStub::CreateTable, request));
  if (request.kind() == v1::TABLE_KIND_BOT) {
    NAVAL_ASSIGN_OR_RETURN(
        *response.mutable_table(),
        WaitForTable(client, response.table().table_id(), v1::TABLE_STATE_PLAYING, kStartLimit));
  }
  return response;
}

absl::StatusOr<v1::Table> Join(Client& client, const v1::JoinTableRequest& request) {
  NAVAL_ASSIGN_OR_RETURN(const v1::JoinTableResponse response,
                         client.Call(&LobbyStub::JoinTable, request));
  return WaitForTable(client, response.table().table_id(), v1::TABLE_STATE_PLAYING, kStartLimit);
}

absl::StatusOr<v1::CreateTableResponse> OpenPrivateTable(Client& client, bool rated,
                                                         const game::v1::GameRules& rules) {
  v1::CreateTableRequest request;
  *request.mutable_rules() = rules;
  request.set_kind(v1::TABLE_KIND_PRIVATE);
  request.set_rated(rated);
  return OpenTable(client, request);
}

absl::StatusOr<v1::Table> OpenBotTable(Client& client, absl::string_view bot,
                                       const game::v1::GameRules& rules) {
  v1::CreateTableRequest request;
  *request.mutable_rules() = rules;
  request.set_kind(v1::TABLE_KIND_BOT);
  request.set_bot(std::string(bot));
  NAVAL_ASSIGN_OR_RETURN(const v1::CreateTableResponse response, OpenTable(client, request));
  return response.table();
}

absl::StatusOr<v1::Table> JoinByCode(Client& client, const std::string& join_code) {
  v1::JoinTableRequest request;
  request.set_join_code(join_code);
  return Join(client, request);
}

absl::StatusOr<v1::Table> WaitForTable(Client& client, const std::string& table_id,
                                       v1::TableState state, absl::Duration limit) {
  v1::GetTableRequest request;
  request.set_table_id(table_id);
  v1::Table table;
  const auto is_there = [&]() -> absl::StatusOr<bool> {
    NAVAL_ASSIGN_OR_RETURN(const v1::GetTableResponse response,
                           client.Call(&LobbyStub::GetTable, request));
    table = response.table();
    return table.state() == state;
  };
  NAVAL_RETURN_IF_ERROR(client.WaitUntil(
      absl::StrCat("table ", table_id, " in ", v1::TableState_Name(state)), limit, is_there));
  return table;
}

absl::StatusOr<std::string> MeetAtPrivateTable(Client& creator, Client& guest, bool rated,
                                               const game::v1::GameRules& rules) {
  NAVAL_ASSIGN_OR_RETURN(const v1::CreateTableResponse opened,
                         OpenPrivateTable(creator, rated, rules));
  NAVAL_ASSIGN_OR_RETURN(const v1::Table table, JoinByCode(guest, opened.join_code()));
  return table.match_id();
}

}  // namespace naval::client
