#include "lib/server/rpc_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "lib/base/error.h"
#include "lib/server/echo_test_server.h"
#include "lib/server/grpc_status.h"
#include "tests/support/raw_call.h"
#include "tests/support/scrape.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::server {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::MetricsPage;
using ::naval::testing::RawAnswer;
using ::naval::testing::RawCall;
using ::naval::testing::WaitFor;
using ::testing::HasSubstr;

constexpr char kEcho[] =
    "grpc_method=\"Echo\",grpc_service=\"naval.server.echo.v1.EchoService\",grpc_type=\"unary\"";
constexpr char kWatch[] =
    "grpc_method=\"Watch\",grpc_service=\"naval.server.echo.v1.EchoService\","
    "grpc_type=\"server_stream\"";
constexpr char kUnknown[] =
    "grpc_method=\"unknown\",grpc_service=\"unknown\",grpc_type=\"bidi_stream\"";

std::string Started(absl::string_view method) {
  return absl::StrCat("grpc_server_started_total{", method, "}");
}
std::string Handled(absl::string_view method, absl::string_view code) {
  return absl::StrCat("grpc_server_handled_total{grpc_code=\"", code, "\",", method, "}");
}
std::string Received(absl::string_view method) {
  return absl::StrCat("grpc_server_msg_received_total{", method, "}");
}
std::string Sent(absl::string_view method) {
  return absl::StrCat("grpc_server_msg_sent_total{", method, "}");
}
std::string Durations(absl::string_view method) {
  return absl::StrCat("grpc_server_handling_seconds_count{", method, "}");
}

class RpcMetricsTest : public ::testing::Test {
 protected:
  // An answer can reach its caller before the call is counted as ended: waits for that.
  MetricsPage PageAfter(double calls) {
    const auto handled = [&] {
      return MetricsPage::Of(server_.server().metrics_port()).Sum("grpc_server_handled_total");
    };
    EXPECT_TRUE(WaitFor([&] { return handled() >= calls; }));
    return MetricsPage::Of(server_.server().metrics_port());
  }

  RawAnswer Call(const std::string& path, const std::string& bytes) {
    return RawCall(server_.NewPublicChannel(), path, /*access_token=*/"", bytes).Finish();
  }

  EchoTestServer server_;
};

TEST_F(RpcMetricsTest, HaveEveryMethodWithEveryCodeBeforeAnyCall) {
  const MetricsPage page = PageAfter(0);
  // Echo and Watch; Check and Watch of the health service, which has List in later versions; and
  // what the server does not have.
  constexpr int kMethods = 2 + 2 + 1;
  int handled = 0;
  for (const auto& [series, value] : page.values()) {
    if (!absl::StrContains(series, "grpc_")) continue;
    EXPECT_EQ(value, 0) << series;
    if (absl::StartsWith(series, "grpc_server_handled_total{")) ++handled;
  }
  EXPECT_EQ(handled, kMethods * 17);
  for (const char* const method : {kEcho, kWatch, kUnknown}) {
    for (const char* const code : {"OK", "Canceled", "Unimplemented", "Unauthenticated"}) {
      EXPECT_TRUE(page.Has(Handled(method, code)));
    }
    EXPECT_TRUE(page.Has(Durations(method)));
  }
}

TEST_F(RpcMetricsTest, CountACall) {
  EXPECT_THAT(FromGrpcStatus(server_.Echo("x")), IsOk());
  const MetricsPage page = PageAfter(1);
  EXPECT_EQ(page[Started(kEcho)], 1);
  EXPECT_EQ(page[Handled(kEcho, "OK")], 1);
  EXPECT_EQ(page[Received(kEcho)], 1);
  EXPECT_EQ(page[Sent(kEcho)], 1);
  EXPECT_EQ(page[Durations(kEcho)], 1);
  EXPECT_EQ(page.Sum("grpc_server_handled_total"), 1);
}

TEST_F(RpcMetricsTest, CountAStreamFromItsBeginningToItsEnd) {
  const auto stub = echo::v1::EchoService::NewStub(server_.NewPublicChannel());
  grpc::ClientContext context;
  const auto reader = stub->Watch(&context, echo::v1::EchoRequest());
  echo::v1::EchoResponse message;
  ASSERT_TRUE(reader->Read(&message));
  const MetricsPage open = PageAfter(0);
  EXPECT_EQ(open[Started(kWatch)], 1);
  EXPECT_EQ(open[Received(kWatch)], 1);
  EXPECT_EQ(open[Sent(kWatch)], 1);
  EXPECT_EQ(open.Sum("grpc_server_handled_total"), 0);
  context.TryCancel();
  reader->Finish();
  const MetricsPage ended = PageAfter(1);
  EXPECT_EQ(ended[Handled(kWatch, "Canceled")], 1);
  EXPECT_EQ(ended[Durations(kWatch)], 1);
}

TEST_F(RpcMetricsTest, CountARequestThatReachesNoHandlerBecauseItDoesNotParse) {
  EXPECT_NE(Call("/naval.server.echo.v1.EchoService/Echo", "\x0a\x05no").code, grpc::OK);
  const MetricsPage page = PageAfter(1);
  EXPECT_EQ(page[Started(kEcho)], 1);
  EXPECT_EQ(page.Sum("grpc_server_handled_total", kEcho), 1);
  EXPECT_EQ(page[Handled(kEcho, "InvalidArgument")], 1);
}

TEST_F(RpcMetricsTest, CountMethodsThatThereAreNotTogether) {
  for (const char* const path : {"/naval.server.echo.v1.EchoService/Ecco", "/a.B/C", "/a.B/D"}) {
    const RawAnswer answer = Call(path, "");
    EXPECT_EQ(answer.code, grpc::UNIMPLEMENTED);
    EXPECT_THAT(answer.error_details, HasSubstr("UNKNOWN_METHOD"));
  }
  const MetricsPage page = PageAfter(3);
  EXPECT_EQ(page[Started(kUnknown)], 3);
  EXPECT_EQ(page[Handled(kUnknown, "Unimplemented")], 3);
  EXPECT_FALSE(absl::StrContains(page.text(), "Ecco"));
}

TEST_F(RpcMetricsTest, CountTheCodesOfHandlersOnBothPorts) {
  EchoTestServer failing([](auto* context, auto*, auto*) {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(
        ToGrpcStatus(base::Error(absl::StatusCode::kFailedPrecondition, "NO", "not now")));
    return reactor;
  });
  EXPECT_THAT(FromGrpcStatus(failing.Echo("x")), HasReason("NO"));
  const auto internal = echo::v1::EchoService::NewStub(
      grpc::CreateChannel(failing.internal_address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  echo::v1::EchoResponse response;
  EXPECT_FALSE(internal->Echo(&context, echo::v1::EchoRequest(), &response).ok());
  const auto page = [&] { return MetricsPage::Of(failing.server().metrics_port()); };
  EXPECT_TRUE(WaitFor([&] { return page()[Handled(kEcho, "FailedPrecondition")] == 2; }));
  EXPECT_EQ(page()[Started(kEcho)], 2);
}

}  // namespace
}  // namespace naval::server
