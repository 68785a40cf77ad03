#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

// What a scraper gets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/metrics/families.h"
#include "lib/metrics/listener.h"
#include "lib/metrics/process_metrics.h"
#include "tests/support/scrape.h"
#include "tests/support/status_matchers.h"

namespace naval::metrics {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::HttpRequest;
using ::naval::testing::MetricsPage;
using ::naval::testing::StatusIs;
using ::testing::HasSubstr;

TEST(Listener, ServesAllPartsOnOnePage) {
  prometheus::Registry registry;
  auto& boats = prometheus::BuildCounter().Name("boats_total").Help("Boats.").Register(registry);
  boats.Add({{"kind", "red"}}).Increment(3);
  const ProcessMetrics process;
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto listener,
                             Listener::Start("127.0.0.1:0", {&registry, &process}));
  const auto answer = HttpRequest(listener->port(), "/metrics");
  EXPECT_EQ(answer.code, 200);
  EXPECT_THAT(answer.head, HasSubstr("text/plain; version=0.0.4"));
  const MetricsPage page = MetricsPage::Of(listener->port());
  EXPECT_EQ(page["boats_total{kind=\"red\"}"], 3);
  EXPECT_GT(page["process_resident_memory_bytes"], 1e6);
}

TEST(Listener, SaysWhatElseThereIs) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto listener, Listener::Start("127.0.0.1:0", {}));
  EXPECT_EQ(HttpRequest(listener->port(), "/metrics", "HEAD").body, "");
  const auto other_page = HttpRequest(listener->port(), "/");
  EXPECT_EQ(other_page.code, 404);
  EXPECT_THAT(other_page.body, HasSubstr("/metrics"));
  const auto other_method = HttpRequest(listener->port(), "/metrics", "POST");
  EXPECT_EQ(other_method.code, 405);
  EXPECT_THAT(other_method.head, HasSubstr("Allow: GET, HEAD"));
}

TEST(Listener, RefusesATakenPortAndWhatIsNoAddress) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto first, Listener::Start("127.0.0.1:0", {}));
  for (const std::string& address :
       {absl::StrCat("127.0.0.1:", first->port()), std::string("203.0.113.1:0"),
        std::string("127.0.0.1"), std::string("127.0.0.1:"), std::string(":7301"),
        std::string("127.0.0.1:http"), std::string("[::1:0"), std::string("")}) {
    const auto second = Listener::Start(address, {});
    EXPECT_THAT(second, StatusIs(absl::StatusCode::kFailedPrecondition)) << address;
    EXPECT_THAT(second, HasReason("CANNOT_LISTEN"));
    EXPECT_THAT(std::string(second.status().message()), HasSubstr(address));
  }
}

TEST(Listener, TakesNamesAndAllAddresses) {
  for (const char* const address : {"localhost:0", "0.0.0.0:0", "[::]:0"}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto listener, Listener::Start(address, {}));
    EXPECT_GT(listener->port(), 0) << address;
  }
}

// A stop of a service has 3 s for everything.
TEST(Listener, StopsAtOnceWithAConnectionOpen) {
  NAVAL_ASSERT_OK_AND_ASSIGN(auto listener, Listener::Start("127.0.0.1:0", {}));
  const int port = listener->port();
  // A reader that never ends its request.
  const int reader = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(reader, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  constexpr absl::string_view kHalf = "GET /metrics HTTP/1.1\r\n";
  ASSERT_EQ(write(reader, kHalf.data(), kHalf.size()), static_cast<ssize_t>(kHalf.size()));
  const base::SystemClock clock;
  const absl::Time begin = clock.Now();
  listener = nullptr;
  EXPECT_LT(clock.Now() - begin, absl::Seconds(1));
  EXPECT_EQ(HttpRequest(port, "/metrics").code, 0);
  close(reader);
}

TEST(ProcessMetrics, TellOfTheProcess) {
  const ProcessMetrics process;
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto listener, Listener::Start("127.0.0.1:0", {&process}));
  const MetricsPage page = MetricsPage::Of(listener->port());
  EXPECT_GE(page["process_cpu_seconds_total"], 0);
  const double start = page["process_start_time_seconds"];
  const double now = absl::ToDoubleSeconds(base::SystemClock().Now() - absl::UnixEpoch());
  // Boot time and ticks are exact to a second or so.
  EXPECT_LT(start, now + 5);
  EXPECT_GT(start, now - 3600);
  EXPECT_GT(page["process_virtual_memory_bytes"], page["process_resident_memory_bytes"]);
  EXPECT_GE(page["process_open_fds"], 3);
  EXPECT_GT(page["process_max_fds"], page["process_open_fds"]);
  EXPECT_GE(page["process_threads"], 2);
  EXPECT_EQ(page.Sum("naval_build_info", "version=\"0."), 1);
}

TEST(ProcessMetrics, TellOfTheLog) {
  const ProcessMetrics process;
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto listener, Listener::Start("127.0.0.1:0", {&process}));
  const MetricsPage before = MetricsPage::Of(listener->port());
  EXPECT_EQ(before["naval_log_level{level=\"info\"}"], 1);
  EXPECT_EQ(before.Sum("naval_log_level"), 1);
  base::SetLogLevel(base::LogLevel::kDebug);
  base::Log(base::LogLevel::kWarning, "counted");
  const MetricsPage after = MetricsPage::Of(listener->port());
  base::SetLogLevel(base::LogLevel::kInfo);
  EXPECT_EQ(after["naval_log_level{level=\"debug\"}"], 1);
  EXPECT_EQ(after.Sum("naval_log_level"), 1);
  constexpr char kWarnings[] = "naval_log_lines_total{level=\"warning\"}";
  EXPECT_EQ(after[kWarnings], before[kWarnings] + 1);
  EXPECT_EQ(after["naval_log_suppressed_lines_total"], 0);
}

}  // namespace
}  // namespace naval::metrics
