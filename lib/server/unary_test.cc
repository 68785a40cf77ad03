#include "lib/server/unary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/mutex.h"
#include "lib/server/echo_test_server.h"
#include "lib/server/grpc_status.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::server {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::naval::testing::WaitFor;

TEST(ServeUnary, AnswersWithWhatTheBodyMade) {
  base::Executor executor({.name = "test"});
  EchoTestServer server([&](auto* context, const auto* request, auto* response) {
    return ServeUnary(context, *request, executor, [=] {
      response->set_text(request->text() + request->text());
      return absl::OkStatus();
    });
  });
  EXPECT_THAT(FromGrpcStatus(server.Echo("ab")), IsOk());
  EXPECT_EQ(server.answer(), "abab");
}

TEST(ServeUnary, AnswersWithTheErrorOfTheBody) {
  base::Executor executor({.name = "test"});
  EchoTestServer server([&](auto* context, const auto* request, auto*) {
    return ServeUnary(context, *request, executor, [] {
      return base::Error(absl::StatusCode::kNotFound, "NO_SUCH_TABLE", "there is no such table");
    });
  });
  const absl::Status status = FromGrpcStatus(server.Echo("x"));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(status, HasReason("NO_SUCH_TABLE"));
}

TEST(ServeUnary, RefusesACallWhenTheExecutorIsFull) {
  base::Executor executor({.name = "test", .threads = 1, .max_queued = 0});
  EchoTestServer server([&](auto* context, const auto* request, auto*) {
    return ServeUnary(context, *request, executor, [] { return absl::OkStatus(); });
  });
  const absl::Status status = FromGrpcStatus(server.Echo("x"));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(status, HasReason("SERVER_BUSY"));
  EXPECT_NE(base::RetryDelayOf(status), std::nullopt);
}

TEST(ServeUnary, RefusesACallWhenTheExecutorHasStopped) {
  base::Executor executor({.name = "test"});
  executor.Stop();
  EchoTestServer server([&](auto* context, const auto* request, auto*) {
    return ServeUnary(context, *request, executor, [] { return absl::OkStatus(); });
  });
  EXPECT_THAT(FromGrpcStatus(server.Echo("x")), HasReason("SHUTTING_DOWN"));
}

TEST(ServeUnary, DoesNotWorkForACallerWhoHasGivenUp) {
  base::Executor executor({.name = "test", .threads = 1});
  std::atomic<bool> cancelled = false;
  std::atomic<bool> ran = false;
  std::atomic<bool> took_turn = false;
  EchoTestServer server([&](auto* context, const auto* request, auto*) {
    // The one thread is busy until the call has been cancelled.
    EXPECT_THAT(executor.Submit(
                    [&, context] { cancelled = WaitFor([&] { return context->IsCancelled(); }); }),
                IsOk());
    auto* const reactor = ServeUnary(context, *request, executor, [&] {
      ran = true;
      return absl::OkStatus();
    });
    EXPECT_THAT(executor.Submit([&] { took_turn = true; }), IsOk());
    return reactor;
  });
  grpc::ClientContext context;
  context.set_deadline(gpr_time_from_millis(50, GPR_TIMESPAN));
  EXPECT_EQ(server.Echo("x", context).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(WaitFor([&] { return took_turn.load(); }));
  EXPECT_TRUE(cancelled);
  EXPECT_FALSE(ran);
}

TEST(ServeUnaryAsync, AnswersFromAnotherThreadLater) {
  std::optional<std::thread> thread;
  EchoTestServer server([&](auto* context, const auto* request, auto* response) {
    return ServeUnaryAsync(context, *request, [&, response](Finisher finish) {
      thread.emplace([response, finish = std::move(finish)]() mutable {
        response->set_text("later");
        finish(absl::OkStatus());
      });
    });
  });
  EXPECT_THAT(FromGrpcStatus(server.Echo("x")), IsOk());
  EXPECT_EQ(server.answer(), "later");
  thread->join();
}

TEST(ServeUnaryAsync, AnswersEvenWhenTheCallWasForgotten) {
  EchoTestServer server([&](auto* context, const auto* request, auto*) {
    return ServeUnaryAsync(context, *request, [](Finisher) {});
  });
  EXPECT_THAT(FromGrpcStatus(server.Echo("x")), StatusIs(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace naval::server
