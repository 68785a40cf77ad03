#include "services/lobby/lobby_service.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/auth/opaque_token.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"
#include "lib/base/status_macros.h"
#include "lib/bots/bot.h"
#include "lib/rules/rule_sets.h"
#include "lib/server/auth_context.h"
#include "lib/server/fields.h"
#include "lib/wire/rules_wire.h"
#include "lib/wire/time_wire.h"

namespace naval::lobby {
namespace {

v1::TableKind ToProto(TableKind kind) {
  switch (kind) {
    case TableKind::kPublic:
      return v1::TABLE_KIND_PUBLIC;
    case TableKind::kPrivate:
      return v1::TABLE_KIND_PRIVATE;
    case TableKind::kBot:
      return v1::TABLE_KIND_BOT;
  }
  return v1::TABLE_KIND_UNSPECIFIED;
}

v1::TableState ToProto(TableState state) {
  switch (state) {
    case TableState::kOpen:
      return v1::TABLE_STATE_OPEN;
    case TableState::kStarting:
      return v1::TABLE_STATE_STARTING;
    case TableState::kPlaying:
      return v1::TABLE_STATE_PLAYING;
    case TableState::kEnded:
      return v1::TABLE_STATE_ENDED;
    case TableState::kClosed:
      return v1::TABLE_STATE_CLOSED;
  }
  return v1::TABLE_STATE_UNSPECIFIED;
}

void AddPlayer(const Player& player, v1::Table& table) {
  match::v1::Player* proto = table.add_players();
  proto->set_account_id(player.account_id);
  proto->set_handle(player.handle);
}

// A starting table has an id in store for a match that the match service does not know yet.
bool HasMatch(const Table& table) {
  return table.state == TableState::kPlaying || table.state == TableState::kEnded;
}

void AddAwaited(const AwaitedMove& awaited, v1::Table& table) {
  if (awaited.of_first) table.add_awaited_seats(match::v1::SEAT_FIRST);
  if (awaited.of_second) table.add_awaited_seats(match::v1::SEAT_SECOND);
  if (awaited.deadline) *table.mutable_deadline() = wire::ToProto(*awaited.deadline);
}

v1::Table ToProto(const Table& table) {
  v1::Table proto;
  proto.set_table_id(table.table_id);
  *proto.mutable_rules() = wire::ToProto(table.rules);
  proto.set_kind(ToProto(table.kind));
  proto.set_state(ToProto(table.state));
  proto.set_rated(table.rated);
  AddPlayer(table.creator, proto);
  if (table.rival) AddPlayer(*table.rival, proto);
  if (table.bot) {
    match::v1::Player* bot = proto.add_players();
    bot->set_bot(*table.bot);
    bot->set_handle(*table.bot);
  }
  if (HasMatch(table) && table.match_id) proto.set_match_id(*table.match_id);
  if (table.state == TableState::kPlaying) AddAwaited(table.awaited, proto);
  *proto.mutable_create_time() = wire::ToProto(table.create_time);
  if (table.state == TableState::kOpen)
    *proto.mutable_expire_time() = wire::ToProto(*table.expire_time);
  return proto;
}

absl::StatusOr<TableKind> ReadKind(const v1::CreateTableRequest& request) {
  switch (request.kind()) {
    case v1::TABLE_KIND_PUBLIC:
      return TableKind::kPublic;
    case v1::TABLE_KIND_PRIVATE:
      return TableKind::kPrivate;
    case v1::TABLE_KIND_BOT:
      return TableKind::kBot;
    default:
      return base::InvalidField("INVALID_TABLE_KIND", "kind",
                                "must be TABLE_KIND_PUBLIC, TABLE_KIND_PRIVATE or TABLE_KIND_BOT",
                                {{"kind", absl::StrCat(request.kind())}});
  }
}

absl::StatusOr<rules::RulesChoice> ReadRules(const v1::CreateTableRequest& request,
                                             TableKind kind) {
  const auto opponent = kind == TableKind::kBot ? rules::Opponent::kBot : rules::Opponent::kPerson;
  return wire::ReadRules(request.rules(), opponent, "rules");
}

absl::StatusOr<bool> ReadRated(const v1::CreateTableRequest& request, TableKind kind) {
  if (kind == TableKind::kBot && request.rated()) {
    return base::InvalidField("RATED_NOT_ALLOWED", "rated",
                              "must be false: a match against a bot changes no ratings");
  }
  if (kind == TableKind::kPublic && !request.rated()) {
    return base::InvalidField("RATED_REQUIRED", "rated",
                              "must be true: a match at a public table always changes ratings");
  }
  return request.rated();
}

absl::StatusOr<std::optional<std::string>> ReadBot(const v1::CreateTableRequest& request,
                                                   TableKind kind) {
  if (kind == TableKind::kBot) {
    const absl::Status status = bots::MakeBot(request.bot()).status();
    if (status.ok()) return request.bot();
    return base::InField(status, "bot");
  }
  if (request.bot().empty()) return std::nullopt;
  return base::InvalidField("BOT_NOT_ALLOWED", "bot",
                            "must be empty: only a table of TABLE_KIND_BOT has one",
                            {{"bot", base::Shown(request.bot())}});
}

// A page token is the id of the last table of the page before.
std::string PageTokenAfter(const std::string& table_id) {
  return absl::WebSafeBase64Escape(table_id);
}

absl::StatusOr<std::optional<std::string>> ReadPageToken(const v1::ListTablesRequest& request) {
  if (request.page_token().empty()) return std::nullopt;
  std::string table_id;
  if (absl::WebSafeBase64Unescape(request.page_token(), &table_id) && base::IsId(table_id)) {
    return table_id;
  }
  return server::PageTokenInvalid();
}

absl::StatusOr<TableReference> ReadReference(const v1::JoinTableRequest& request) {
  switch (request.table_case()) {
    case v1::JoinTableRequest::kTableId:
      NAVAL_RETURN_IF_ERROR(server::CheckId("table_id", request.table_id()));
      return TableId{request.table_id()};
    case v1::JoinTableRequest::kJoinCode:
      return JoinCode{base::Secret(request.join_code())};
    case v1::JoinTableRequest::TABLE_NOT_SET:
      break;
  }
  return base::InvalidField("TABLE_MISSING", "table", "must be a table_id or a join_code");
}

}  // namespace

absl::StatusOr<auth::Claims> LobbyService::Caller(
    const grpc::CallbackServerContext& context) const {
  return server::Authenticate(context, verifier_, clock_.Now());
}

grpc::ServerUnaryReactor* LobbyService::ListRuleSets(grpc::CallbackServerContext* context,
                                                     const v1::ListRuleSetsRequest* request,
                                                     v1::ListRuleSetsResponse* response) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_RETURN_IF_ERROR(Caller(*context).status());
    for (const rules::Preset& preset : rules::AllRuleSets()) {
      *response->add_rule_sets() = wire::ToProto(preset);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* LobbyService::ServeStartingTable(
    grpc::CallbackServerContext* context, const google::protobuf::MessageLite& request,
    v1::Table* answer, absl::AnyInvocable<absl::StatusOr<Table>()> find) {
  return server::ServeUnaryAsync(
      context, request, [=, this, find = std::move(find)](server::Finisher finish) mutable {
        // Shared, so that it is still there when the executor takes no task.
        const auto end = std::make_shared<server::Finisher>(std::move(finish));
        const absl::Status submitted =
            executor_.Submit([=, this, find = std::move(find)]() mutable {
              // gRPC cancels a call also when its deadline passes.
              if (context->IsCancelled()) return (*end)(server::CallCancelled());
              const absl::StatusOr<Table> table = find();
              if (!table.ok()) return (*end)(table.status());
              const auto finish_with = [=](const Table& now) {
                *answer = ToProto(now);
                (*end)(absl::OkStatus());
              };
              if (table->state == TableState::kStarting) return starter_.Start(*table, finish_with);
              finish_with(*table);
            });
        if (!submitted.ok()) (*end)(submitted);
      });
}

grpc::ServerUnaryReactor* LobbyService::CreateTable(grpc::CallbackServerContext* context,
                                                    const v1::CreateTableRequest* request,
                                                    v1::CreateTableResponse* response) {
  return ServeStartingTable(context, *request, response->mutable_table(),
                            [=, this] { return Create(*context, *request, *response); });
}

absl::StatusOr<Table> LobbyService::Create(const grpc::CallbackServerContext& context,
                                           const v1::CreateTableRequest& request,
                                           v1::CreateTableResponse& response) {
  NAVAL_ASSIGN_OR_RETURN(const auth::Claims caller, Caller(context));
  NAVAL_RETURN_IF_ERROR(server::CheckId("request_id", request.request_id()));
  NewTable table;
  table.table_id = base::NewId(clock_, random_);
  table.creator_id = caller.account_id;
  table.request_id = request.request_id();
  table.create_time = clock_.Now();
  NAVAL_ASSIGN_OR_RETURN(table.kind, ReadKind(request));
  NAVAL_ASSIGN_OR_RETURN(table.rules, ReadRules(request, table.kind));
  NAVAL_ASSIGN_OR_RETURN(table.rated, ReadRated(request, table.kind));
  NAVAL_ASSIGN_OR_RETURN(table.bot, ReadBot(request, table.kind));
  if (table.kind == TableKind::kBot) table.match_id = base::NewId(clock_, random_);
  if (table.kind == TableKind::kPrivate) table.join_code = auth::NewJoinCode(random_);
  NAVAL_ASSIGN_OR_RETURN(CreatedTable created, store_.Create(table));
  if (created.join_code_valid) response.set_join_code(std::string(table.join_code->Reveal()));
  return std::move(created.table);
}

grpc::ServerUnaryReactor* LobbyService::GetTable(grpc::CallbackServerContext* context,
                                                 const v1::GetTableRequest* request,
                                                 v1::GetTableResponse* response) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_ASSIGN_OR_RETURN(const auth::Claims caller, Caller(*context));
    NAVAL_RETURN_IF_ERROR(server::CheckId("table_id", request->table_id()));
    NAVAL_ASSIGN_OR_RETURN(const Table table,
                           store_.Find(request->table_id(), caller.account_id, clock_.Now()));
    *response->mutable_table() = ToProto(table);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* LobbyService::ListTables(grpc::CallbackServerContext* context,
                                                   const v1::ListTablesRequest* request,
                                                   v1::ListTablesResponse* response) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_RETURN_IF_ERROR(Caller(*context).status());
    NAVAL_ASSIGN_OR_RETURN(const int page_size, server::ReadPageSize(request->page_size()));
    NAVAL_ASSIGN_OR_RETURN(const std::optional<std::string> after_id, ReadPageToken(*request));
    // One more tells whether there is another page.
    NAVAL_ASSIGN_OR_RETURN(std::vector<Table> tables,
                           store_.ListOpen(after_id, page_size + 1, clock_.Now()));
    if (tables.size() > static_cast<size_t>(page_size)) {
      tables.pop_back();
      response->set_next_page_token(PageTokenAfter(tables.back().table_id));
    }
    for (const Table& table : tables) *response->add_tables() = ToProto(table);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* LobbyService::JoinTable(grpc::CallbackServerContext* context,
                                                  const v1::JoinTableRequest* request,
                                                  v1::JoinTableResponse* response) {
  return ServeStartingTable(context, *request, response->mutable_table(),
                            [=, this] { return Join(*context, *request); });
}

absl::StatusOr<Table> LobbyService::Join(const grpc::CallbackServerContext& context,
                                         const v1::JoinTableRequest& request) {
  NAVAL_ASSIGN_OR_RETURN(const auth::Claims caller, Caller(context));
  NAVAL_ASSIGN_OR_RETURN(const TableReference reference, ReadReference(request));
  return store_.Join(reference, {.account_id = caller.account_id,
                                 .match_id = base::NewId(clock_, random_),
                                 .time = clock_.Now()});
}

grpc::ServerUnaryReactor* LobbyService::LeaveTable(grpc::CallbackServerContext* context,
                                                   const v1::LeaveTableRequest* request,
                                                   v1::LeaveTableResponse*) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_ASSIGN_OR_RETURN(const auth::Claims caller, Caller(*context));
    NAVAL_RETURN_IF_ERROR(server::CheckId("table_id", request->table_id()));
    return store_.Leave(request->table_id(), caller.account_id, clock_.Now());
  });
}

}  // namespace naval::lobby
