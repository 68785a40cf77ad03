#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"
#include "lib/base/status_macros.h"
#include "naval/lobby/v1/account_service.grpc.pb.h"
#include "naval/lobby/v1/lobby_service.grpc.pb.h"
#include "naval/match/v1/match_service.grpc.pb.h"
#include "naval/ranking/v1/ranking_service.grpc.pb.h"
#include "tools/client/match_stream.h"

namespace naval::client {

// The public ports of the three services, each as HOST:PORT.
struct Addresses {
  std::string lobby;
  std::string match;
  std::string ranking;
};

// One account at the public API. A call that finds a service away is made again with the same
// request_id until it is answered or its time is up; an access token that has run out is exchanged.
// Thread safe; every call blocks.
class Client {
 public:
  struct Options {
    Addresses addresses;
    // How long a call may take, all its tries together.
    absl::Duration call_timeout = absl::Seconds(20);
  };

  // Connects when first used. `clock` and `random`, which must be thread safe, must outlive the
  // client.
  Client(const Options& options, base::Clock& clock, base::Random& random);

  // Get a session, which every later call carries. Errors are those of AccountService. Register in
  // a guest's session turns that guest into an account.
  absl::Status CreateGuest();
  absl::Status Register(const std::string& handle, const base::Secret& password);
  absl::Status LogIn(const std::string& handle, const base::Secret& password);

  // Exchanges the tokens.
  absl::Status Refresh();

  // Who the session speaks for; empty before there is one.
  lobby::v1::Account account() const NAVAL_EXCLUDES(mutex_);
  // The session with its secrets.
  lobby::v1::Session session() const NAVAL_EXCLUDES(mutex_);

  // Calls any unary method of the public API:
  //   client.Call(&MatchService::Stub::GetMatch, request)
  // A request without a request_id gets a new one. DEADLINE_EXCEEDED or the last UNAVAILABLE when
  // no answer came in time; else the error of the method.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                std::common_type_t<Request> request) {
    if constexpr (requires { request.set_request_id(""); }) {
      if (request.request_id().empty()) request.set_request_id(NewRequestId());
    }
    Response response;
    NAVAL_RETURN_IF_ERROR(Try(Identity::kSession, [&](grpc::ClientContext& context) {
      response.Clear();
      return (StubOf<Stub>().*method)(&context, request, &response);
    }));
    return response;
  }

  // Opens a stream on a match; nullopt begins with the whole state.
  std::unique_ptr<MatchStream> Watch(const std::string& match_id, std::optional<int64_t> after_seq);

  // A new UUID.
  std::string NewRequestId();

  // Asks `condition` again and again until it gives true. DEADLINE_EXCEEDED, naming `what`, after
  // `limit`; else its error.
  absl::Status WaitUntil(absl::string_view what, absl::Duration limit,
                         absl::FunctionRef<absl::StatusOr<bool>()> condition);

 private:
  enum class Identity { kNone, kSession };

  template <typename Stub>
  Stub& StubOf() {
    if constexpr (std::is_same_v<Stub, lobby::v1::AccountService::Stub>) {
      return *accounts_;
    } else if constexpr (std::is_same_v<Stub, lobby::v1::LobbyService::Stub>) {
      return *lobby_;
    } else if constexpr (std::is_same_v<Stub, match::v1::MatchService::Stub>) {
      return *match_;
    } else {
      static_assert(std::is_same_v<Stub, ranking::v1::RankingService::Stub>);
      return *ranking_;
    }
  }

  absl::Status Try(Identity identity, absl::FunctionRef<grpc::Status(grpc::ClientContext&)> call);
  absl::Status RefreshUnlessChanged(const std::string& access_token);
  void Adopt(const lobby::v1::Session& session) NAVAL_EXCLUDES(mutex_);
  void Pause(absl::Duration duration) NAVAL_EXCLUDES(pause_mutex_);

  const absl::Duration call_timeout_;
  base::Clock& clock_;
  base::Random& random_;
  const std::unique_ptr<lobby::v1::AccountService::Stub> accounts_;
  const std::unique_ptr<lobby::v1::LobbyService::Stub> lobby_;
  const std::unique_ptr<match::v1::MatchService::Stub> match_;
  const std::unique_ptr<ranking::v1::RankingService::Stub> ranking_;
  // Held while tokens are exchanged, so that one thread does it for all.
  base::Mutex refresh_mutex_;
  mutable base::Mutex mutex_;
  lobby::v1::Session session_ NAVAL_GUARDED_BY(mutex_);
  base::Mutex pause_mutex_;
  base::CondVar never_;
};

}  // namespace naval::client
