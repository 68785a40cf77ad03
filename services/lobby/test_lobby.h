#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/auth/access_token.h"
#include "lib/auth/password.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"
#include "lib/base/simulated_clock.h"
#include "lib/postgres/pool.h"
#include "lib/server/server.h"
#include "naval/lobby/v1/account_service.grpc.pb.h"
#include "naval/lobby/v1/lobby_internal_service.grpc.pb.h"
#include "naval/lobby/v1/lobby_service.grpc.pb.h"
#include "services/lobby/fake_match_service.h"
#include "services/lobby/lobby_application.h"
#include "tests/support/test_keys.h"

namespace naval::lobby {

inline constexpr char kGoodPassword[] = "correct horse battery";

// For tests: the whole lobby on a real database and real ports, with a simulated clock and a fake
// match service on a port of its own, and a client of its API. A call waits for 20 s at most.
class TestLobby {
 public:
  // Makes the tables. The lobby's own time stands still until `clock` is moved.
  explicit TestLobby(postgres::Pool::Options database,
                     auth::PasswordCost password_cost = auth::kCheapestPasswordCost);
  ~TestLobby();

  base::SimulatedClock& clock() { return clock_; }
  FakeMatchService& match() { return match_; }
  // Looks at what is stored.
  postgres::Pool& pool() { return pool_; }
  const auth::Signer& signer() const { return keys_.signer; }
  const auth::Verifier& verifier() const { return keys_.verifier; }
  // "127.0.0.1:PORT" of the public port.
  std::string address() const;

  // The match service goes away and comes back on the same port.
  void StopMatch();
  void StartMatch();
  // The lobby's process ends as SIGTERM ends it, and another begins.
  void StopLobby();
  void RestartLobby();

  std::string NewId();

  absl::StatusOr<v1::Session> CreateGuest(const std::string& request_id);
  absl::StatusOr<v1::Session> CreateGuest() { return CreateGuest(NewId()); }
  absl::StatusOr<v1::Session> Register(const v1::RegisterRequest& request,
                                       const std::string& access_token = "");
  absl::StatusOr<v1::Session> Register(const std::string& handle);
  absl::StatusOr<v1::Session> LogIn(const std::string& handle, const std::string& password);
  absl::StatusOr<v1::Session> Refresh(const std::string& refresh_token);
  absl::Status LogOut(const std::string& refresh_token);

  // Requests that are in order, with a new request id.
  v1::RegisterRequest NewRegistration(const std::string& handle);
  v1::CreateTableRequest PublicTable();
  v1::CreateTableRequest PrivateTable();
  v1::CreateTableRequest BotTable();

  absl::StatusOr<v1::ListRuleSetsResponse> ListRuleSets(const v1::Session& caller);
  absl::StatusOr<v1::CreateTableResponse> CreateTable(const v1::Session& caller,
                                                      const v1::CreateTableRequest& request);
  absl::StatusOr<v1::Table> GetTable(const v1::Session& caller, const std::string& table_id);
  absl::StatusOr<v1::ListTablesResponse> ListTables(const v1::Session& caller, int page_size = 0,
                                                    const std::string& page_token = "");
  absl::StatusOr<v1::Table> Join(const v1::Session& caller, const v1::JoinTableRequest& request);
  absl::StatusOr<v1::Table> JoinById(const v1::Session& caller, const std::string& table_id);
  absl::StatusOr<v1::Table> JoinByCode(const v1::Session& caller, const std::string& join_code);
  absl::Status Leave(const v1::Session& caller, const std::string& table_id);
  absl::Status RecordMatchChange(const v1::RecordMatchChangeRequest& request);
  absl::Status RecordMatchChange(const v1::RecordMatchChangeRequest& request,
                                 const base::Secret& service_token);

 private:
  class MatchApplication;

  base::SimulatedClock clock_;
  base::SecureRandom random_;
  const postgres::Pool::Options database_;
  const auth::PasswordCost password_cost_;
  const base::Secret service_token_;
  const testing::TestKeys keys_ = testing::NewTestKeys();
  postgres::Pool pool_;
  FakeMatchService match_;
  int match_port_ = 0;
  std::unique_ptr<MatchApplication> match_application_;
  std::unique_ptr<server::Server> match_server_;
  std::unique_ptr<LobbyApplication> lobby_;
  std::unique_ptr<server::Server> lobby_server_;
  std::unique_ptr<v1::AccountService::Stub> accounts_;
  std::unique_ptr<v1::LobbyService::Stub> tables_;
  std::unique_ptr<v1::LobbyInternalService::Stub> internal_;
};

}  // namespace naval::lobby
