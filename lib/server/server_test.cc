#include "lib/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/server/echo_test_server.h"
#include "lib/server/grpc_status.h"
#include "lib/server/request_check.h"
#include "lib/server/unary.h"
#include "tests/support/raw_call.h"
#include "tests/support/scrape.h"
#include "tests/support/status_matchers.h"

namespace naval::server {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace health = ::grpc::health::v1;

health::HealthCheckResponse::ServingStatus HealthOf(const std::string& address,
                                                    const std::string& service) {
  const auto stub =
      health::Health::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  health::HealthCheckRequest request;
  request.set_service(service);
  health::HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.status();
}

// A stream of Watch that has given its first message.
class OpenStream {
 public:
  explicit OpenStream(EchoTestServer& server)
      : stub_(echo::v1::EchoService::NewStub(server.NewPublicChannel())),
        reader_(stub_->Watch(&context_, echo::v1::EchoRequest())) {
    echo::v1::EchoResponse message;
    EXPECT_TRUE(reader_->Read(&message));
  }

  // Reads to the end.
  absl::Status Finish() {
    echo::v1::EchoResponse message;
    while (reader_->Read(&message)) {
    }
    return FromGrpcStatus(reader_->Finish());
  }

 private:
  const std::unique_ptr<echo::v1::EchoService::Stub> stub_;
  grpc::ClientContext context_;
  const std::unique_ptr<grpc::ClientReader<echo::v1::EchoResponse>> reader_;
};

TEST(Server, SaysThatItServesAndLivesOnBothPorts) {
  EchoTestServer server;
  EXPECT_NE(server.server().public_port(), server.server().internal_port());
  for (const std::string& address : {server.public_address(), server.internal_address()}) {
    EXPECT_EQ(HealthOf(address, ""), health::HealthCheckResponse::SERVING);
    EXPECT_EQ(HealthOf(address, "liveness"), health::HealthCheckResponse::SERVING);
  }
}

TEST(Server, HasNoInternalPortUnlessAsked) {
  testing::PinGrpc();
  EchoApplication application;
  const auto server =
      Server::Start({.listen_address = "127.0.0.1:0", .internal_listen_address = ""}, application);
  ASSERT_THAT(server, IsOk());
  EXPECT_GT((*server)->public_port(), 0);
  EXPECT_EQ((*server)->internal_port(), 0);
}

TEST(Server, DoesNotShareAPort) {
  EchoTestServer first;
  EchoApplication application;
  for (const std::string& address :
       {first.public_address(), std::string("127.0.0.1:http:no"), std::string("203.0.113.1:0")}) {
    const auto second =
        Server::Start({.listen_address = address, .internal_listen_address = ""}, application);
    EXPECT_THAT(second, StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(second, HasReason("CANNOT_LISTEN"));
    EXPECT_THAT(std::string(second.status().message()), HasSubstr(address));
  }
}

TEST(Server, ServesItsMetricsUntilItStops) {
  EchoTestServer server;
  const int port = server.server().metrics_port();
  EXPECT_EQ(testing::HttpRequest(port, "/metrics").code, 200);
  server.server().Stop();
  EXPECT_EQ(testing::HttpRequest(port, "/metrics").code, 0);
}

TEST(Server, DoesNotShareTheMetricsPort) {
  EchoTestServer first;
  EchoApplication application;
  const std::string address = absl::StrCat("127.0.0.1:", first.server().metrics_port());
  const auto second = Server::Start({.listen_address = "127.0.0.1:0",
                                     .internal_listen_address = "",
                                     .metrics_listen_address = address},
                                    application);
  EXPECT_THAT(second, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(address));
}

TEST(Server, TellsItsServicesWhenAskedToAndOnlyThen) {
  testing::PinGrpc();
  for (const bool reflection : {false, true}) {
    EchoApplication application;
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto server,
                               Server::Start({.listen_address = "127.0.0.1:0",
                                              .internal_listen_address = "127.0.0.1:0",
                                              .reflection = reflection},
                                             application));
    for (const int port : {server->public_port(), server->internal_port()}) {
      // A ServerReflectionRequest with list_services "*".
      testing::RawCall call(
          grpc::CreateChannel(absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials()),
          "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", /*access_token=*/"",
          "\x3a\x01*");
      const testing::RawAnswer answer = call.Finish();
      EXPECT_EQ(answer.code, reflection ? grpc::OK : grpc::UNIMPLEMENTED);
      if (!reflection) continue;
      EXPECT_THAT(answer.messages,
                  ElementsAre(AllOf(HasSubstr("naval.server.echo.v1.EchoService"),
                                    HasSubstr("grpc.health.v1.Health"),
                                    HasSubstr("grpc.reflection.v1alpha.ServerReflection"))));
    }
  }
}

// The longest text that fits into a request: a tag and a length of two bytes stand before it.
constexpr size_t kLongestText = kMaxRequestBytes - 3;

absl::Status EchoCheckingSize(EchoTestServer& server, size_t length) {
  return FromGrpcStatus(server.Echo(std::string(length, 'x')));
}

// A call of `method` whose request are these bytes.
absl::Status CallWithBytes(EchoTestServer& server, const std::string& method,
                           const std::string& bytes) {
  testing::RawCall call(server.NewPublicChannel(), method, /*access_token=*/"", bytes);
  return FromGrpcStatus(call.Finish().status());
}

TEST(Server, RefusesALongRequestAndSaysTheLimit) {
  EchoTestServer server([](auto* context, const auto* request, auto* response) {
    return ServeUnaryAsync(context, *request, [=](Finisher finish) {
      response->set_text("taken");
      finish(absl::OkStatus());
    });
  });
  EXPECT_THAT(EchoCheckingSize(server, kLongestText), IsOk());
  const absl::Status refusal = EchoCheckingSize(server, kLongestText + 1);
  EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(refusal, HasReason("REQUEST_TOO_LARGE"));
  EXPECT_EQ(base::MetadataOf(refusal)["limit"], "4096");
  // A field that comes twice is one of the parsed message.
  echo::v1::EchoRequest request;
  request.set_text(std::string(kLongestText, 'x'));
  const std::string bytes = request.SerializeAsString();
  EXPECT_THAT(CallWithBytes(server, "/naval.server.echo.v1.EchoService/Echo", bytes + bytes),
              IsOk());
  // This one gRPC does not read; its own words say the limit.
  const absl::Status too_long_to_read = EchoCheckingSize(server, kMaxReceivedBytes);
  EXPECT_THAT(too_long_to_read, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(std::string(too_long_to_read.message()), HasSubstr("vs. 65536"));
}

TEST(Server, SaysThatARequestDoesNotParse) {
  EchoTestServer server;
  for (const char* method :
       {"/naval.server.echo.v1.EchoService/Echo", "/naval.server.echo.v1.EchoService/Watch"}) {
    // A text that is cut off, one that is not UTF-8, a field that ends nowhere.
    for (const char* bytes : {"\x0a\x05"
                              "ab",
                              "\x0a\x02\xff\xfe", "\xff"}) {
      const absl::Status refusal = CallWithBytes(server, method, bytes);
      EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kInvalidArgument));
      EXPECT_THAT(refusal, HasReason("MALFORMED_REQUEST"));
      EXPECT_EQ(base::MetadataOf(refusal)["type"], "naval.server.echo.v1.EchoRequest");
    }
  }
  EXPECT_THAT(CallWithBytes(server, "/naval.server.echo.v1.EchoService/Unheard", ""),
              HasReason("UNKNOWN_METHOD"));
}

TEST(Server, EndsOpenStreamsFirstWhenItStops) {
  EchoTestServer server;
  OpenStream first(server);
  OpenStream second(server);
  const base::SystemClock clock;
  const absl::Time begin = clock.Now();
  server.server().Stop();
  // Long before the time that it would wait for streams nobody ends.
  EXPECT_LT(clock.Now() - begin, kDrainDuration);
  EXPECT_TRUE(server.application().drained());
  for (OpenStream* stream : {&first, &second}) {
    const absl::Status status = stream->Finish();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_THAT(status, HasReason("SHUTTING_DOWN"));
  }
}

TEST(Server, CancelsWhatIsStillOpenAfterTheDrain) {
  EchoTestServer server;
  server.application().IgnoreDrain();
  OpenStream stream(server);
  const base::SystemClock clock;
  const absl::Time begin = clock.Now();
  server.server().Stop();
  EXPECT_LT(clock.Now() - begin, kMaxStopDuration);
  // What a connection that breaks looks like to any client: no words of ours can come any more.
  EXPECT_THAT(stream.Finish(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(Server, TurnsNotServingBeforeItDrains) {
  EchoTestServer server;
  const auto stub = health::Health::NewStub(server.NewPublicChannel());
  grpc::ClientContext context;
  const auto watch = stub->Watch(&context, health::HealthCheckRequest());
  health::HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::SERVING);
  server.server().Stop();
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::NOT_SERVING);
}

TEST(Server, TakesNoCallAfterItStopped) {
  EchoTestServer server;
  server.server().Stop();
  EXPECT_THAT(FromGrpcStatus(server.Echo("x")), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace naval::server
