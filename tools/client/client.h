#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
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
#include "tools/client/addresses.h"
#include "tools/client/answer.h"
#include "tools/client/match_stream.h"
#include "tools/client/session_store.h"

namespace naval::client {

// One account at the public API. A call that finds a service away is made again with the same
// request_id until it is answered or its time is up; an access token that has run out is exchanged.
// Thread safe; every call blocks.
class Client {
 public:
  struct Options {
    Addresses addresses;
    // How long a call may take, all its tries together.
    absl::Duration call_timeout = absl::Seconds(20);
    // The session to begin with, if there is one already.
    lobby::v1::Session session = {};
    // Keeps every session that the client gets; must outlive it. Null: the client alone has it.
    SessionStore* store = nullptr;
  };

  // Connects when first used. `clock` and `random`, which must be thread safe, must outlive the
  // client.
  Client(const Options& options, base::Clock& clock, base::Random& random);

  // Get a session, which every later call carries. Errors are those of AccountService and of the
  // store. Register in a guest's session turns that guest into an account.
  absl::Status CreateGuest();
  absl::Status Register(const std::string& handle, const base::Secret& password);
  absl::Status LogIn(const std::string& handle, const base::Secret& password);

  // Ends the session, for every client that shares it.
  absl::Status LogOut();

  // Exchanges the tokens, or takes those that a client of the same store has got meanwhile.
  // UNAUTHENTICATED, reason SESSION_REPLACED, when that store holds another account by now or none.
  absl::Status Refresh();

  // Who the session speaks for; empty before there is one.
  lobby::v1::Account account() const NAVAL_EXCLUDES(mutex_);
  // The session with its secrets.
  lobby::v1::Session session() const NAVAL_EXCLUDES(mutex_);

  // Calls any unary method of the public API:
  //   client.Call(&MatchService::Stub::GetMatch, request)
  // A request without a request_id gets a new one. DEADLINE_EXCEEDED, reason NO_ANSWER, or the last
  // UNAVAILABLE when no answer came in time; CANCELLED after Stop; DATA_LOSS, see CheckAnswer; else
  // the error of the method.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                std::common_type_t<Request> request) {
    if constexpr (requires { request.set_request_id(""); }) {
      if (request.request_id().empty()) request.set_request_id(NewRequestId());
    }
    Response response;
    NAVAL_RETURN_IF_ERROR(
        Try(Identity::kSession, AddressOf<Stub>(), [&](grpc::ClientContext& context) {
          response.Clear();
          return (StubOf<Stub>().*method)(&context, request, &response);
        }));
    NAVAL_RETURN_IF_ERROR(CheckAnswer(response));
    return response;
  }

  // Opens a stream on a match; nullopt begins with the whole state.
  std::unique_ptr<MatchStream> Watch(const std::string& match_id, std::optional<int64_t> after_seq);

  // OK while a connection to the match service stands; UNAVAILABLE, reason NOT_CONNECTED, while
  // none can be made; nullopt when that is not known: nothing asks for it yet, or it is being
  // tried.
  std::optional<absl::Status> ConnectionToMatch() const;

  // Ends every call under way, and every later one, with CANCELLED. Streams go on.
  void Stop() NAVAL_EXCLUDES(calls_mutex_);

  // A new UUID.
  std::string NewRequestId();

  // Asks `condition` again and again, more and more slowly, until it gives true. DEADLINE_EXCEEDED,
  // naming `what`, after `limit`; else its error.
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

  template <typename Stub>
  const std::string& AddressOf() const {
    if constexpr (std::is_same_v<Stub, match::v1::MatchService::Stub>) {
      return addresses_.match;
    } else if constexpr (std::is_same_v<Stub, ranking::v1::RankingService::Stub>) {
      return addresses_.ranking;
    } else {
      return addresses_.lobby;
    }
  }

  using UnaryCall = absl::FunctionRef<grpc::Status(grpc::ClientContext&)>;
  absl::Status Try(Identity identity, const std::string& address, UnaryCall call);
  absl::Status TryOnce(grpc::ClientContext& context, UnaryCall call) NAVAL_EXCLUDES(calls_mutex_);
  absl::Status RefreshUnlessChanged(const std::string& access_token);
  absl::StatusOr<lobby::v1::Session> Exchange(const lobby::v1::Session& session);
  absl::Status ChangeSession(SessionStore::Change change) NAVAL_EXCLUDES(mutex_);
  absl::Status Adopt(const lobby::v1::Session& session);
  // CANCELLED once stopped.
  absl::Status Pause(absl::Duration duration) NAVAL_EXCLUDES(calls_mutex_);

  const Addresses addresses_;
  const absl::Duration call_timeout_;
  SessionStore* const store_;
  base::Clock& clock_;
  base::Random& random_;
  const std::unique_ptr<lobby::v1::AccountService::Stub> accounts_;
  const std::unique_ptr<lobby::v1::LobbyService::Stub> lobby_;
  const std::shared_ptr<grpc::Channel> match_channel_;
  const std::unique_ptr<match::v1::MatchService::Stub> match_;
  const std::unique_ptr<ranking::v1::RankingService::Stub> ranking_;
  // Held while tokens are exchanged, so that one thread does it for all.
  base::Mutex refresh_mutex_;
  mutable base::Mutex mutex_;
  lobby::v1::Session session_ NAVAL_GUARDED_BY(mutex_);
  base::Mutex calls_mutex_;
  base::CondVar stop_;
  bool stopped_ NAVAL_GUARDED_BY(calls_mutex_) = false;
  std::set<grpc::ClientContext*> under_way_ NAVAL_GUARDED_BY(calls_mutex_);
};

}  // namespace naval::client
