#pragma once

#include <grpcpp/grpcpp.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/mutex.h"
#include "lib/base/secret.h"
#include "lib/server/auth_context.h"
#include "lib/server/unary.h"
#include "naval/match/v1/match_internal_service.grpc.pb.h"

namespace naval::lobby {

// The match service as the lobby sees it: remembers what it was asked for, and answers as it is
// told. Thread safe.
class FakeMatchService final : public match::v1::MatchInternalService::CallbackService {
 public:
  // `service_token` must outlive the service.
  explicit FakeMatchService(const base::Secret& service_token) : service_token_(service_token) {}

  // What every call from now on ends with, and those that are held.
  void Answer(absl::Status answer) NAVAL_EXCLUDES(mutex_) {
    std::vector<server::Finisher> held;
    {
      base::MutexLock lock(mutex_);
      answer_ = answer;
      held.swap(held_);
    }
    for (server::Finisher& finish : held) finish(answer);
  }

  // Calls from now on get no answer until Answer is called.
  void Hold() NAVAL_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    answer_.reset();
  }

  // What it was asked for, in order, refused calls too.
  std::vector<match::v1::CreateMatchRequest> Requests() const NAVAL_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    return requests_;
  }

  grpc::ServerUnaryReactor* CreateMatch(grpc::CallbackServerContext* context,
                                        const match::v1::CreateMatchRequest* request,
                                        match::v1::CreateMatchResponse*) override {
    return server::ServeUnaryAsync(context, *request, [=, this](server::Finisher finish) {
      const absl::Status allowed = server::RequireServiceToken(*context, service_token_);
      if (!allowed.ok()) return finish(allowed);
      if (const auto answer = Take(*request, finish)) finish(*answer);
    });
  }

 private:
  // The answer, or nothing when the call is held.
  std::optional<absl::Status> Take(const match::v1::CreateMatchRequest& request,
                                   server::Finisher& finish) NAVAL_EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    requests_.push_back(request);
    if (!answer_) held_.push_back(std::move(finish));
    return answer_;
  }

  const base::Secret& service_token_;
  mutable base::Mutex mutex_;
  std::optional<absl::Status> answer_ NAVAL_GUARDED_BY(mutex_) = absl::OkStatus();
  std::vector<match::v1::CreateMatchRequest> requests_ NAVAL_GUARDED_BY(mutex_);
  std::vector<server::Finisher> held_ NAVAL_GUARDED_BY(mutex_);
};

}  // namespace naval::lobby
