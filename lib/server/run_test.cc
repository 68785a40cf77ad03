#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/server/grpc_status.h"
#include "lib/server/testdata/echo.grpc.pb.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/scrape.h"
#include "tests/support/status_matchers.h"
#include "tests/support/subprocess.h"
#include "tests/support/wait_for.h"

namespace naval::server {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::Subprocess;
using ::naval::testing::WaitFor;
using ::testing::HasSubstr;

// A whole server process, NAVAL_ECHO_SERVER, started with `flags`.
class RunTest : public ::testing::Test {
 protected:
  RunTest() { testing::PinGrpc(); }

  std::unique_ptr<Subprocess> Start(std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), NAVAL_ECHO_SERVER);
    return std::make_unique<Subprocess>(flags);
  }

  // Starts one and waits until it serves.
  std::unique_ptr<Subprocess> Serve(std::vector<std::string> flags = {}) {
    auto process = Start(std::move(flags));
    const std::string line = process->WaitForLine("\"serving\"");
    EXPECT_NE(line, "") << process->Output();
    const auto serving = nlohmann::json::parse(line);
    address_ = absl::StrCat("127.0.0.1:", serving["port"].get<int>());
    metrics_port_ = serving["metrics_port"].get<int>();
    return process;
  }

  std::unique_ptr<echo::v1::EchoService::Stub> NewStub() {
    return echo::v1::EchoService::NewStub(
        grpc::CreateChannel(address_, grpc::InsecureChannelCredentials()));
  }

  // How often `part` stands in `text`.
  static int Count(const std::string& text, const std::string& part) {
    const std::vector<std::string> parts = absl::StrSplit(text, part);
    return static_cast<int>(parts.size()) - 1;
  }

  std::string address_;
  int metrics_port_ = 0;
};

TEST_F(RunTest, ServesUntilItIsToldToStop) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto process = Serve();
    grpc::ClientContext context;
    echo::v1::EchoResponse response;
    EXPECT_TRUE(NewStub()->Echo(&context, echo::v1::EchoRequest(), &response).ok());
    process->Signal(signal);
    EXPECT_EQ(process->Wait(), 0) << process->Output();
    EXPECT_THAT(process->Output(), HasSubstr("\"event\":\"stopped\""));
  }
}

TEST_F(RunTest, EndsOpenStreamsBeforeItStops) {
  const auto process = Serve();
  const auto stub = NewStub();
  grpc::ClientContext context;
  const auto reader = stub->Watch(&context, echo::v1::EchoRequest());
  echo::v1::EchoResponse message;
  ASSERT_TRUE(reader->Read(&message));
  process->Signal(SIGTERM);
  EXPECT_FALSE(reader->Read(&message));
  EXPECT_THAT(FromGrpcStatus(reader->Finish()), HasReason("SHUTTING_DOWN"));
  EXPECT_EQ(process->Wait(), 0) << process->Output();
}

// A call that its handler never finishes.
class EndlessCall {
 public:
  explicit EndlessCall(std::unique_ptr<echo::v1::EchoService::Stub> stub)
      : stub_(std::move(stub)), thread_([this] {
          echo::v1::EchoResponse response;
          stub_->Echo(&context_, echo::v1::EchoRequest(), &response);
        }) {}
  ~EndlessCall() { thread_.join(); }

 private:
  const std::unique_ptr<echo::v1::EchoService::Stub> stub_;
  grpc::ClientContext context_;
  std::thread thread_;
};

TEST_F(RunTest, EndsAtOnceAtASecondSignal) {
  const auto process = Serve({"--never_answer"});
  const EndlessCall call(NewStub());
  ASSERT_NE(process->WaitForLine("echo_taken"), "");
  process->Signal(SIGTERM);
  ASSERT_NE(process->WaitForLine("\"stopping\""), "");
  process->Signal(SIGTERM);
  EXPECT_EQ(process->Wait(), 1);
  EXPECT_THAT(process->Output(), HasSubstr("stop_forced"));
}

TEST_F(RunTest, EndsByItselfWhenAStopTakesTooLong) {
  const auto process = Serve({"--never_answer"});
  const EndlessCall call(NewStub());
  ASSERT_NE(process->WaitForLine("echo_taken"), "");
  process->Signal(SIGTERM);
  EXPECT_EQ(process->Wait(), 1);
  EXPECT_THAT(process->Output(), HasSubstr("stop_forced"));
}

TEST_F(RunTest, SaysWhyItCannotServe) {
  const auto first = Serve();
  const auto second = Start({"--listen=" + address_});
  EXPECT_EQ(second->Wait(), 1);
  EXPECT_THAT(second->Output(), HasSubstr("CANNOT_LISTEN: cannot listen on " + address_));
  const std::string metrics_address = absl::StrCat("127.0.0.1:", metrics_port_);
  const auto blind = Start({"--metrics_listen=" + metrics_address});
  EXPECT_EQ(blind->Wait(), 1);
  EXPECT_THAT(blind->Output(),
              HasSubstr("CANNOT_LISTEN: cannot serve metrics on " + metrics_address));
  const auto third = Start({"--fail_to_start"});
  EXPECT_EQ(third->Wait(), 1);
  EXPECT_THAT(third->Output(), HasSubstr("UNAVAILABLE: no database"));
}

TEST_F(RunTest, ChangesItsLogLevelBySignals) {
  const auto process = Serve();
  const auto expect_level_after = [&](int signal, const std::string& level, int times) {
    process->Signal(signal);
    const std::string line = absl::StrCat("\"level\":\"", level, "\",\"event\":\"log_level_set\"");
    EXPECT_TRUE(WaitFor([&] { return Count(process->Output(), line) == times; }))
        << process->Output();
  };
  expect_level_after(SIGUSR1, "debug", 1);
  expect_level_after(SIGUSR1, "debug", 2);  // There is no further step.
  expect_level_after(SIGUSR2, "info", 1);
  expect_level_after(SIGUSR2, "warning", 1);
  expect_level_after(SIGUSR2, "error", 1);
  expect_level_after(SIGUSR2, "error", 2);
  const auto page = testing::MetricsPage::Of(metrics_port_);
  EXPECT_EQ(page["naval_log_level{level=\"error\"}"], 1);
  // A log that says little still says what a stop is about: nothing, if all is well.
  process->Signal(SIGTERM);
  EXPECT_EQ(process->Wait(), 0);
  EXPECT_EQ(Count(process->Output(), "\"stopped\""), 0);
}

TEST_F(RunTest, BeginsWithTheLogLevelOfItsFlag) {
  const auto process = Start({"--log_level=error", "--fail_to_start"});
  EXPECT_EQ(process->Wait(), 1);
  EXPECT_THAT(process->Output(), HasSubstr("\"event\":\"failed\""));
  const auto quiet = Start({"--log_level=error", "--migrate"});
  EXPECT_EQ(quiet->Wait(), 0);
  EXPECT_EQ(quiet->Output(), "");
}

TEST_F(RunTest, OnlyMigratesWhenAskedTo) {
  const auto process = Start({"--migrate", "--fail_to_start"});
  EXPECT_EQ(process->Wait(), 0);
  EXPECT_THAT(process->Output(), HasSubstr("\"event\":\"migrated\""));
}

TEST_F(RunTest, ExplainsItsFlags) {
  const auto help = Start({"--help"});
  help->Wait();
  EXPECT_THAT(help->Output(), HasSubstr("Echoes what it is sent."));
  for (const char* flag : {"--listen", "--internal_listen", "--metrics_listen", "--reflection",
                           "--database", "--service_token_file", "--verify_key_file", "--log_level",
                           "--migrate", "--never_answer"}) {
    EXPECT_THAT(help->Output(), HasSubstr(flag));
  }
}

TEST_F(RunTest, SaysWhatIsWrongWithAFlag) {
  const auto bad_value = Start({"--log_level=loud"});
  EXPECT_EQ(bad_value->Wait(), 1);
  EXPECT_THAT(bad_value->Output(), HasSubstr("must be debug, info, warning or error"));
  const auto unknown = Start({"--lisen=x"});
  EXPECT_EQ(unknown->Wait(), 1);
  EXPECT_THAT(unknown->Output(), HasSubstr("lisen"));
  const auto no_flag = Start({"serve"});
  EXPECT_EQ(no_flag->Wait(), 1);
  EXPECT_THAT(no_flag->Output(), HasSubstr("'serve' is no flag"));
}

}  // namespace
}  // namespace naval::server
