#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "lib/base/mutex.h"
#include "tests/support/free_port.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/subprocess.h"

namespace naval {
namespace {

using ::naval::testing::Subprocess;
using ::testing::HasSubstr;

struct Answer {
  int exit_code;
  std::string output;
};

Answer Ask(const std::string& address, const std::string& service = "") {
  Subprocess health({NAVAL_HEALTH, address, service});
  const int exit_code = health.Wait();
  return {exit_code, health.Output()};
}

namespace health = ::grpc::health::v1;

// Says of each service what it was told to say.
class HealthService final : public health::Health::CallbackService {
 public:
  void Set(const std::string& service, health::HealthCheckResponse::ServingStatus status) {
    base::MutexLock lock(mutex_);
    states_[service] = status;
  }

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const health::HealthCheckRequest* request,
                                  health::HealthCheckResponse* response) override {
    base::MutexLock lock(mutex_);
    const auto state = states_.find(request->service());
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    if (state != states_.end()) response->set_status(state->second);
    reactor->Finish(state != states_.end() ? grpc::Status::OK
                                           : grpc::Status(grpc::StatusCode::NOT_FOUND, ""));
    return reactor;
  }

 private:
  base::Mutex mutex_;
  std::map<std::string, health::HealthCheckResponse::ServingStatus> states_
      NAVAL_GUARDED_BY(mutex_);
};

class HealthTest : public ::testing::Test {
 protected:
  HealthTest() {
    testing::PinGrpc();
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
  }

  HealthService service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

TEST_F(HealthTest, SucceedsOnlyWhenTheServerServes) {
  service_.Set("", health::HealthCheckResponse::SERVING);
  const Answer serving = Ask(address_);
  EXPECT_EQ(serving.exit_code, 0);
  EXPECT_EQ(serving.output, "SERVING\n");
  service_.Set("", health::HealthCheckResponse::NOT_SERVING);
  const Answer not_serving = Ask(address_);
  EXPECT_EQ(not_serving.exit_code, 1);
  EXPECT_EQ(not_serving.output, "NOT_SERVING\n");
}

TEST_F(HealthTest, AsksForOneService) {
  service_.Set("boats", health::HealthCheckResponse::SERVING);
  EXPECT_EQ(Ask(address_, "boats").exit_code, 0);
  const Answer unknown = Ask(address_, "cars");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.output, HasSubstr("knows no service 'cars'"));
}

TEST(Health, FailsWhenNobodyAnswers) {
  const std::string address = absl::StrCat("127.0.0.1:", testing::FreePort());
  const Answer answer = Ask(address);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.output, HasSubstr("no answer from " + address));
}

TEST(Health, ExplainsItself) {
  Subprocess health({NAVAL_HEALTH});
  EXPECT_EQ(health.Wait(), 2);
  EXPECT_THAT(health.Output(), HasSubstr("naval-health ADDRESS [SERVICE]"));
}

}  // namespace
}  // namespace naval
