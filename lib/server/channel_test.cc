#include "lib/server/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/server/echo_test_server.h"
#include "lib/server/grpc_status.h"
#include "tests/support/free_port.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::server {
namespace {

using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::naval::testing::WaitFor;

absl::Status Echo(const std::shared_ptr<grpc::Channel>& channel, absl::Duration timeout) {
  const auto context = NewClientContext(base::Secret(std::string("token")), timeout);
  const echo::v1::EchoRequest request;
  echo::v1::EchoResponse response;
  return FromGrpcStatus(
      echo::v1::EchoService::NewStub(channel)->Echo(context.get(), request, &response));
}

// Fails the first `failures` calls with `code`.
class Failing {
 public:
  Failing(int failures, absl::StatusCode code) : failures_(failures), code_(code) {}

  EchoApplication::EchoHandler Handler() {
    return [this](auto* context, auto*, auto*) {
      auto* const reactor = context->DefaultReactor();
      reactor->Finish(ToGrpcStatus(++calls_ <= failures_ ? base::Error(code_, "FAILING", "no")
                                                         : absl::OkStatus()));
      return reactor;
    };
  }
  int calls() const { return calls_; }

 private:
  const int failures_;
  const absl::StatusCode code_;
  std::atomic<int> calls_ = 0;
};

TEST(Channel, TriesAgainWhenAServiceIsUnavailable) {
  Failing failing(2, absl::StatusCode::kUnavailable);
  EchoTestServer server(failing.Handler());
  EXPECT_THAT(Echo(NewChannel(server.internal_address()), absl::Seconds(20)), IsOk());
  EXPECT_EQ(failing.calls(), 3);
}

TEST(Channel, GivesUpAfterFourTries) {
  Failing failing(100, absl::StatusCode::kUnavailable);
  EchoTestServer server(failing.Handler());
  EXPECT_THAT(Echo(NewChannel(server.internal_address()), absl::Seconds(20)),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(failing.calls(), 4);
}

TEST(Channel, TriesAgainAfterNoOtherError) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kAborted, absl::StatusCode::kResourceExhausted,
        absl::StatusCode::kFailedPrecondition, absl::StatusCode::kInternal}) {
    Failing failing(100, code);
    EchoTestServer server(failing.Handler());
    EXPECT_THAT(Echo(NewChannel(server.internal_address()), absl::Seconds(20)), StatusIs(code));
    EXPECT_EQ(failing.calls(), 1);
  }
}

TEST(Channel, EndsACallAtItsDeadline) {
  EchoTestServer server([](auto* context, auto*, auto*) {
    // Answers when the caller has gone.
    class Waiting : public grpc::ServerUnaryReactor {
      void OnCancel() override { Finish(grpc::Status::CANCELLED); }
      void OnDone() override { delete this; }
    };
    static_cast<void>(context);
    return static_cast<grpc::ServerUnaryReactor*>(new Waiting());
  });
  EXPECT_THAT(Echo(NewChannel(server.internal_address()), absl::Milliseconds(50)),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(Channel, FindsAServiceThatCameBack) {
  testing::PinGrpc();
  const std::string address = absl::StrCat("127.0.0.1:", testing::FreePort());
  const auto channel = NewChannel(address);
  EXPECT_THAT(Echo(channel, absl::Seconds(20)), StatusIs(absl::StatusCode::kUnavailable));
  EchoApplication application;
  const auto server =
      Server::Start({.listen_address = address, .internal_listen_address = ""}, application);
  ASSERT_THAT(server, IsOk());
  EXPECT_TRUE(WaitFor([&] { return Echo(channel, absl::Seconds(20)).ok(); }));
}

}  // namespace
}  // namespace naval::server
