#pragma once

#include <grpcpp/grpcpp.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/auth/access_token.h"
#include "lib/auth/sealer.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"
#include "lib/base/simulated_clock.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/pool.h"
#include "lib/server/grpc_status.h"
#include "lib/server/server.h"
#include "naval/match/v1/match_internal_service.grpc.pb.h"
#include "naval/match/v1/match_service.grpc.pb.h"
#include "naval/ranking/v1/ranking_internal_service.pb.h"
#include "services/match/match_application.h"
#include "tests/support/reserved_port.h"
#include "tests/support/test_database.h"
#include "tests/support/test_keys.h"
#include "tools/client/match_stream.h"

namespace naval::testing {

// Three accounts that every test knows.
inline constexpr char kAna[] = "0190a000-0000-7000-8000-00000000000a";
inline constexpr char kBruno[] = "0190a000-0000-7000-8000-00000000000b";
inline constexpr char kCarla[] = "0190a000-0000-7000-8000-00000000000c";

// When every simulated clock begins.
absl::Time StartTime();

// What all processes of a match service share: a database, a clock that stands still until it is
// moved, and keys.
struct MatchHouse {
  MatchHouse();

  base::SimulatedClock clock;
  base::SecureRandom random;
  TestDatabase database;
  postgres::Pool pool;
  const base::Secret service_token;
  const TestKeys keys = NewTestKeys();
  const auth::Sealer sealer = NewTestSealer();
};

// The whole match service on ports of its own, in a house of its own or beside another process; and
// a client of it. Ends the test program when something does not start.
class MatchServer {
 public:
  explicit MatchServer(std::shared_ptr<MatchHouse> house = std::make_shared<MatchHouse>(),
                       const std::string& owner = "match-server");
  ~MatchServer();
  MatchServer(const MatchServer&) = delete;
  MatchServer& operator=(const MatchServer&) = delete;

  base::SimulatedClock& clock() { return house_->clock; }
  postgres::Pool& pool() { return house_->pool; }
  // What the service seals its rows with.
  const auth::Sealer& sealer() const { return house_->sealer; }
  // "127.0.0.1:PORT" of the public port; another one after Start.
  std::string address() const;

  // The service ends; it comes back with all that it had in the database only.
  void Stop();
  void Start();

  std::string NewId();
  // An access token that is good now.
  std::string TokenFor(const std::string& account_id);

  // A match between kAna, at SEAT_FIRST, and kBruno; rated.
  match::v1::CreateMatchRequest NewMatch(bool spectators_allowed = false);
  // A match of kAna against a bot, without clocks.
  match::v1::CreateMatchRequest NewPractice();
  absl::Status Create(const match::v1::CreateMatchRequest& request);
  // As the operator does.
  absl::StatusOr<match::v1::AbortMatchResponse> Abort(const std::string& match_id);

  // Calls a method of MatchService as this account; a request without a request_id gets one.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(const std::string& account_id,
                                grpc::Status (match::v1::MatchService::Stub::*method)(
                                    grpc::ClientContext*, const Request&, Response*),
                                std::common_type_t<Request> request) {
    if constexpr (requires { request.set_request_id(""); }) {
      if (request.request_id().empty()) request.set_request_id(NewId());
    }
    const auto context = NewContext(account_id);
    Response response;
    NAVAL_RETURN_IF_ERROR(
        server::FromGrpcStatus((NextStub().*method)(context.get(), request, &response)));
    return response;
  }

  absl::StatusOr<match::v1::Match> Get(const std::string& account_id, const std::string& match_id);
  absl::StatusOr<match::v1::FireShotsResponse> Fire(const std::string& account_id,
                                                    const std::string& match_id,
                                                    const std::string& square);
  absl::StatusOr<match::v1::ConfirmFleetResponse> Confirm(
      const std::string& account_id, const std::string& match_id,
      const google::protobuf::RepeatedPtrField<match::v1::ShipPlacement>& fleet);
  std::unique_ptr<client::MatchStream> Watch(const std::string& account_id,
                                             const std::string& match_id,
                                             std::optional<int64_t> after_seq);

  // For a call that is made by hand. Calls go by one connection after the other, as those of
  // different devices do.
  std::unique_ptr<grpc::ClientContext> NewContext(const std::string& account_id);
  match::v1::MatchService::Stub& NextStub() { return *stubs_[calls_++ % stubs_.size()]; }

  // Waits until the account sees what it waits for.
  absl::StatusOr<match::v1::Match> WaitForMatch(
      const std::string& account_id, const std::string& match_id,
      const std::function<bool(const match::v1::Match&)>& condition);

  // The results that were handed to the ranking, in order.
  std::vector<ranking::v1::RecordResultRequest> results() const;

 private:
  std::unique_ptr<match::v1::MatchInternalService::Stub> NewInternalStub() const;

  const std::shared_ptr<MatchHouse> house_;
  const std::string owner_;
  // The same after every start.
  const ReservedPort internal_port_;
  mutable base::Mutex mutex_;
  std::vector<ranking::v1::RecordResultRequest> results_ NAVAL_GUARDED_BY(mutex_);
  std::unique_ptr<match::MatchApplication> application_;
  std::unique_ptr<server::Server> server_;
  std::array<std::unique_ptr<match::v1::MatchService::Stub>, 2> stubs_;
  std::atomic<size_t> calls_ = 0;
};

// Holds the row of a match in the database, so that no command of it becomes durable, from its
// construction until it goes.
class HeldMatch {
 public:
  HeldMatch(postgres::Pool& pool, const std::string& match_id);
  ~HeldMatch();
  HeldMatch(const HeldMatch&) = delete;
  HeldMatch& operator=(const HeldMatch&) = delete;

  // Whether a command waits to become durable, which it then does for as long as the row is held.
  bool HasWaiting();

 private:
  postgres::Pool& pool_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool held_ NAVAL_GUARDED_BY(mutex_) = false;
  bool released_ NAVAL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

using Fleet = google::protobuf::RepeatedPtrField<match::v1::ShipPlacement>;

// A fleet written as "portaaviones A1 right, lancha J9 down"; ends the test program when it is not.
Fleet ParseFleet(absl::string_view text);

// A legal fleet: every ship to the right from column A, longest first, on the rows 1, 3, 5, 7, 9.
Fleet RowsFleet();

}  // namespace naval::testing
