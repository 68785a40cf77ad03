#include "services/lobby/test_lobby.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/ids.h"
#include "lib/postgres/migrations.h"
#include "lib/server/channel.h"
#include "lib/server/grpc_status.h"
#include "naval/lobby/migrations.h"
#include "tests/support/local_address.h"
#include "tests/support/or_die.h"

namespace naval::lobby {
namespace {

constexpr absl::Duration kCallTimeout = absl::Seconds(20);

std::unique_ptr<grpc::ClientContext> ContextFor(const std::string& access_token) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(gpr_time_from_nanos(absl::ToInt64Nanoseconds(kCallTimeout), GPR_TIMESPAN));
  if (!access_token.empty()) context->AddMetadata("authorization", "Bearer " + access_token);
  return context;
}

template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> Call(Stub& stub,
                              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Response*),
                              const Request& request, const std::string& access_token = "") {
  const auto context = ContextFor(access_token);
  Response response;
  const grpc::Status status = (stub.*method)(context.get(), request, &response);
  if (!status.ok()) return server::FromGrpcStatus(status);
  return response;
}

// The session in a response.
template <typename Response>
absl::StatusOr<v1::Session> SessionOf(const absl::StatusOr<Response>& response) {
  if (!response.ok()) return response.status();
  return response->session();
}

template <typename Response>
absl::StatusOr<v1::Table> TableOf(const absl::StatusOr<Response>& response) {
  if (!response.ok()) return response.status();
  return response->table();
}

}  // namespace

class TestLobby::MatchApplication final : public server::Application {
 public:
  explicit MatchApplication(FakeMatchService& match) : match_(match) {}
  std::vector<grpc::Service*> PublicServices() override { return {&match_}; }
  std::vector<grpc::Service*> InternalServices() override { return {}; }
  void Drain() override {}

 private:
  FakeMatchService& match_;
};

TestLobby::TestLobby(postgres::Pool::Options database, auth::PasswordCost password_cost)
    : clock_(absl::FromUnixSeconds(1'800'000'000)),
      database_(std::move(database)),
      password_cost_(password_cost),
      service_token_(std::string(40, 't')),
      pool_(database_),
      match_(service_token_),
      match_application_(std::make_unique<MatchApplication>(match_)) {
  testing::DieUnless(postgres::Migrate(pool_, kSchema));
  StartMatch();
  RestartLobby();
}

TestLobby::~TestLobby() = default;

void TestLobby::StopMatch() { match_server_.reset(); }

void TestLobby::StartMatch() {
  match_server_ = testing::ValueOrDie(server::Server::Start(
      {.listen_address = testing::LocalAddress(match_port_), .internal_listen_address = ""},
      *match_application_));
  match_port_ = match_server_->public_port();
}

void TestLobby::StopLobby() {
  lobby_server_.reset();
  lobby_.reset();
}

void TestLobby::RestartLobby() {
  StopLobby();
  lobby_ = testing::ValueOrDie(
      LobbyApplication::Start({.database = database_,
                               .match_address = testing::LocalAddress(match_port_),
                               .password_cost = password_cost_},
                              keys_.signer, keys_.verifier, service_token_, clock_));
  lobby_server_ = testing::ValueOrDie(
      server::Server::Start({.listen_address = testing::LocalAddress(0),
                             .internal_listen_address = testing::LocalAddress(0)},
                            *lobby_));
  const auto channel = server::NewChannel(testing::LocalAddress(lobby_server_->public_port()));
  accounts_ = v1::AccountService::NewStub(channel);
  tables_ = v1::LobbyService::NewStub(channel);
  internal_ = v1::LobbyInternalService::NewStub(
      server::NewChannel(testing::LocalAddress(lobby_server_->internal_port())));
}

std::string TestLobby::address() const {
  return testing::LocalAddress(lobby_server_->public_port());
}

std::string TestLobby::NewId() { return base::NewId(clock_, random_); }

absl::StatusOr<v1::Session> TestLobby::CreateGuest(const std::string& request_id) {
  v1::CreateGuestRequest request;
  request.set_request_id(request_id);
  return SessionOf(Call(*accounts_, &v1::AccountService::Stub::CreateGuest, request));
}

absl::StatusOr<v1::Session> TestLobby::Register(const v1::RegisterRequest& request,
                                                const std::string& access_token) {
  return SessionOf(Call(*accounts_, &v1::AccountService::Stub::Register, request, access_token));
}

absl::StatusOr<v1::Session> TestLobby::Register(const std::string& handle) {
  return Register(NewRegistration(handle));
}

absl::StatusOr<v1::Session> TestLobby::LogIn(const std::string& handle,
                                             const std::string& password) {
  v1::LogInRequest request;
  request.set_handle(handle);
  request.set_password(password);
  return SessionOf(Call(*accounts_, &v1::AccountService::Stub::LogIn, request));
}

absl::StatusOr<v1::Session> TestLobby::Refresh(const std::string& refresh_token) {
  v1::RefreshRequest request;
  request.set_refresh_token(refresh_token);
  return SessionOf(Call(*accounts_, &v1::AccountService::Stub::Refresh, request));
}

absl::Status TestLobby::LogOut(const std::string& refresh_token) {
  v1::LogOutRequest request;
  request.set_refresh_token(refresh_token);
  return Call(*accounts_, &v1::AccountService::Stub::LogOut, request).status();
}

v1::RegisterRequest TestLobby::NewRegistration(const std::string& handle) {
  v1::RegisterRequest request;
  request.set_request_id(NewId());
  request.set_handle(handle);
  request.set_password(kGoodPassword);
  return request;
}

v1::CreateTableRequest TestLobby::PublicTable() {
  v1::CreateTableRequest request;
  request.set_request_id(NewId());
  request.mutable_rules()->set_rule_set("tablu");
  request.set_kind(v1::TABLE_KIND_PUBLIC);
  request.set_rated(true);
  return request;
}

v1::CreateTableRequest TestLobby::PrivateTable() {
  v1::CreateTableRequest request = PublicTable();
  request.set_kind(v1::TABLE_KIND_PRIVATE);
  return request;
}

v1::CreateTableRequest TestLobby::BotTable() {
  v1::CreateTableRequest request = PublicTable();
  request.set_kind(v1::TABLE_KIND_BOT);
  request.set_rated(false);
  request.set_bot("jota");
  return request;
}

absl::StatusOr<v1::ListRuleSetsResponse> TestLobby::ListRuleSets(const v1::Session& caller) {
  return Call(*tables_, &v1::LobbyService::Stub::ListRuleSets, v1::ListRuleSetsRequest(),
              caller.access_token());
}

absl::StatusOr<v1::CreateTableResponse> TestLobby::CreateTable(
    const v1::Session& caller, const v1::CreateTableRequest& request) {
  return Call(*tables_, &v1::LobbyService::Stub::CreateTable, request, caller.access_token());
}

absl::StatusOr<v1::Table> TestLobby::GetTable(const v1::Session& caller,
                                              const std::string& table_id) {
  v1::GetTableRequest request;
  request.set_table_id(table_id);
  return TableOf(Call(*tables_, &v1::LobbyService::Stub::GetTable, request, caller.access_token()));
}

absl::StatusOr<v1::ListTablesResponse> TestLobby::ListTables(const v1::Session& caller,
                                                             int page_size,
                                                             const std::string& page_token) {
  v1::ListTablesRequest request;
  request.set_page_size(page_size);
  request.set_page_token(page_token);
  return Call(*tables_, &v1::LobbyService::Stub::ListTables, request, caller.access_token());
}

absl::StatusOr<v1::Table> TestLobby::Join(const v1::Session& caller,
                                          const v1::JoinTableRequest& request) {
  return TableOf(
      Call(*tables_, &v1::LobbyService::Stub::JoinTable, request, caller.access_token()));
}

absl::StatusOr<v1::Table> TestLobby::JoinById(const v1::Session& caller,
                                              const std::string& table_id) {
  v1::JoinTableRequest request;
  request.set_table_id(table_id);
  return Join(caller, request);
}

absl::StatusOr<v1::Table> TestLobby::JoinByCode(const v1::Session& caller,
                                                const std::string& join_code) {
  v1::JoinTableRequest request;
  request.set_join_code(join_code);
  return Join(caller, request);
}

absl::Status TestLobby::Leave(const v1::Session& caller, const std::string& table_id) {
  v1::LeaveTableRequest request;
  request.set_table_id(table_id);
  return Call(*tables_, &v1::LobbyService::Stub::LeaveTable, request, caller.access_token())
      .status();
}

absl::Status TestLobby::RecordMatchChange(const v1::RecordMatchChangeRequest& request) {
  return RecordMatchChange(request, service_token_);
}

absl::Status TestLobby::RecordMatchChange(const v1::RecordMatchChangeRequest& request,
                                          const base::Secret& service_token) {
  const auto context = server::NewClientContext(service_token, kCallTimeout);
  v1::RecordMatchChangeResponse response;
  return server::FromGrpcStatus(internal_->RecordMatchChange(context.get(), request, &response));
}

}  // namespace naval::lobby
