#include "tools/load/pair.h"

#include "lib/base/ids.h"

namespace naval::load {
namespace {

namespace v1 = lobby::v1;
using LobbyStub = v1::LobbyService::Stub;

// How often the lobby is asked whether a match has started that is just starting.
constexpr absl::Duration kTablePause = absl::Milliseconds(50);

}  // namespace

void Pair::Begin() {
  if (common_.ending != Ending::kNone) {
    resting_ = true;
    return;
  }
  v1::CreateTableRequest request;
  request.set_request_id(base::NewId(common_.loop.clock(), common_.random));
  *request.mutable_rules() = rules_;
  request.set_kind(v1::TABLE_KIND_PRIVATE);
  request.set_rated(true);
  creator_.Call<LobbyStub, v1::CreateTableRequest, v1::CreateTableResponse>(
      *lobby_.lobby, &LobbyStub::PrepareAsyncCreateTable, request, [this] { Begin(); },
      [this](const v1::CreateTableResponse& response) { Join(response.join_code()); });
}

void Pair::Stop() {
  creator_.Act();
  rival_.Act();
}

void Pair::Join(const std::string& join_code) {
  v1::JoinTableRequest request;
  request.set_join_code(join_code);
  rival_.Call<LobbyStub, v1::JoinTableRequest, v1::JoinTableResponse>(
      *rival_lobby_.lobby, &LobbyStub::PrepareAsyncJoinTable, request,
      [this, join_code] { Join(join_code); },
      [this](const v1::JoinTableResponse& response) { AwaitMatch(response.table()); });
}

void Pair::AwaitMatch(const v1::Table& table) {
  if (!table.match_id().empty()) return Play(table.match_id());
  if (table.state() == v1::TABLE_STATE_CLOSED) return Begin();
  v1::GetTableRequest request;
  request.set_table_id(table.table_id());
  common_.loop.After(kTablePause, [this, table, request] {
    rival_.Call<LobbyStub, v1::GetTableRequest, v1::GetTableResponse>(
        *rival_lobby_.lobby, &LobbyStub::PrepareAsyncGetTable, request,
        [this, table] { AwaitMatch(table); },
        [this](const v1::GetTableResponse& response) { AwaitMatch(response.table()); });
  });
}

void Pair::Play(const std::string& match_id) {
  playing_ = 2;
  creator_.Play(match_id, rival_, [this] { End(); });
  rival_.Play(match_id, creator_, [this] { End(); });
}

void Pair::End() {
  if (--playing_ > 0) return;
  common_.tally.Add(creator_.FaultsWith(rival_));
  common_.tally.Add(rival_.FaultsWith(creator_));
  common_.tally.Game();
  ++games_;
  Begin();
}

}  // namespace naval::load
