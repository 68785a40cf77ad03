#include "lib/server/auth_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/auth/access_token.h"
#include "lib/base/error.h"
#include "lib/server/channel.h"
#include "lib/server/echo_test_server.h"
#include "lib/server/grpc_status.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace naval::server {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

// Answers a call with the result of `check`.
EchoApplication::EchoHandler Checking(
    std::function<absl::Status(const grpc::CallbackServerContext&)> check) {
  return [check = std::move(check)](auto* context, auto*, auto*) {
    auto* const reactor = context->DefaultReactor();
    reactor->Finish(ToGrpcStatus(check(*context)));
    return reactor;
  };
}

class AuthenticateTest : public ::testing::Test {
 protected:
  AuthenticateTest() { EXPECT_THAT(auth::GenerateKeyFiles(seed_path_, public_path_), IsOk()); }

  // Calls with `headers` as the values of "authorization".
  absl::Status Call(const std::vector<std::string>& headers) {
    const auth::Verifier verifier = auth::Verifier::FromFile(public_path_).value();
    EchoTestServer server(Checking([&](const grpc::CallbackServerContext& context) {
      const auto claims = Authenticate(context, verifier, kNow);
      EXPECT_EQ(claims.ok() ? claims->account_id : account_id_, account_id_);
      return claims.status();
    }));
    grpc::ClientContext context;
    for (const std::string& header : headers) context.AddMetadata("authorization", header);
    return FromGrpcStatus(server.Echo("x", context));
  }

  std::string Token(absl::Time issue_time) {
    const auto signer = auth::Signer::FromFile(seed_path_);
    return std::string(signer
                           ->Sign({.account_id = account_id_,
                                   .session_id = account_id_,
                                   .kind = auth::AccountKind::kGuest,
                                   .handle = "",
                                   .issue_time = issue_time,
                                   .expire_time = issue_time + auth::kAccessTokenLifetime})
                           .Reveal());
  }

  testing::TemporaryFolder folder_;
  const std::string seed_path_ = folder_.path() + "/seed";
  const std::string public_path_ = folder_.path() + "/public";
  const std::string account_id_ = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
};

TEST_F(AuthenticateTest, KnowsTheCallerByABearerToken) {
  EXPECT_THAT(Call({"Bearer " + Token(kNow)}), IsOk());
  EXPECT_THAT(Call({"bearer " + Token(kNow)}), IsOk());
}

TEST_F(AuthenticateTest, SaysWhatIsWrongWithTheToken) {
  EXPECT_THAT(Call({}), HasReason("TOKEN_MISSING"));
  EXPECT_THAT(Call({}), StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(Call({"Bearer " + Token(kNow - absl::Hours(1))}), HasReason("TOKEN_EXPIRED"));
  EXPECT_THAT(Call({"Bearer x"}), HasReason("TOKEN_INVALID"));
  EXPECT_THAT(Call({"Basic " + Token(kNow)}), HasReason("TOKEN_INVALID"));
  EXPECT_THAT(Call({Token(kNow)}), HasReason("TOKEN_INVALID"));
  EXPECT_THAT(Call({"Bearer " + Token(kNow), "Bearer " + Token(kNow)}), HasReason("TOKEN_INVALID"));
}

absl::Status CallWithServiceToken(std::unique_ptr<grpc::ClientContext> call) {
  EchoTestServer server(Checking([](const grpc::CallbackServerContext& context) {
    return RequireServiceToken(context, base::Secret(std::string("right")));
  }));
  return FromGrpcStatus(server.Echo("x", *call));
}

TEST(RequireServiceToken, LetsServicesThroughOnly) {
  const auto with = [](const std::string& token) {
    return NewClientContext(base::Secret(token), absl::Seconds(20));
  };
  EXPECT_THAT(CallWithServiceToken(with("right")), IsOk());
  EXPECT_THAT(CallWithServiceToken(with("wrong")), HasReason("SERVICE_TOKEN_INVALID"));
  EXPECT_THAT(CallWithServiceToken(with("righ")), HasReason("SERVICE_TOKEN_INVALID"));
  const absl::Status missing = CallWithServiceToken(std::make_unique<grpc::ClientContext>());
  EXPECT_THAT(missing, HasReason("SERVICE_TOKEN_MISSING"));
  EXPECT_THAT(missing, StatusIs(absl::StatusCode::kUnauthenticated));
}

}  // namespace
}  // namespace naval::server
