#include "tests/capacity/idle_watchers.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "absl/strings/str_cat.h"
#include "naval/match/v1/match_service.grpc.pb.h"
#include "tools/client/connect.h"

namespace naval::capacity {
namespace {

constexpr std::size_t kStreamsPerConnection = 100;

}  // namespace

struct IdleWatchers::Connection {
  std::unique_ptr<match::v1::MatchService::Stub> stub;
};

class IdleWatcher final : public grpc::ClientReadReactor<match::v1::WatchMatchResponse> {
 public:
  IdleWatcher(match::v1::MatchService::Stub& stub, const std::string& access_token,
              const std::string& match_id) {
    context_.AddMetadata("authorization", absl::StrCat("Bearer ", access_token));
    context_.set_wait_for_ready(true);
    request_.set_match_id(match_id);
    stub.async()->WatchMatch(&context_, &request_, this);
    StartRead(&response_);
    StartCall();
  }

  ~IdleWatcher() override {
    context_.TryCancel();
    done_.get_future().wait();
  }

  bool watching() const { return watching_; }

  void OnReadDone(bool ok) override {
    watching_ = ok;
    if (ok) StartRead(&response_);
  }
  void OnDone(const grpc::Status&) override { done_.set_value(); }

 private:
  grpc::ClientContext context_;
  match::v1::WatchMatchRequest request_;
  match::v1::WatchMatchResponse response_;
  std::atomic<bool> watching_ = false;
  std::promise<void> done_;
};

IdleWatchers::IdleWatchers(const std::string& address, const std::string& access_token)
    : address_(address), access_token_(access_token) {}

IdleWatchers::~IdleWatchers() = default;

void IdleWatchers::Watch(const std::string& match_id) {
  if (watchers_.size() % kStreamsPerConnection == 0) {
    connections_.push_back(std::make_unique<Connection>(
        Connection{match::v1::MatchService::NewStub(client::Connect(address_))}));
  }
  watchers_.push_back(
      std::make_unique<IdleWatcher>(*connections_.back()->stub, access_token_, match_id));
}

int IdleWatchers::watching() const {
  return static_cast<int>(std::count_if(watchers_.begin(), watchers_.end(),
                                        [](const auto& each) { return each->watching(); }));
}

}  // namespace naval::capacity
