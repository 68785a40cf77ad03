#include "tests/support/scrape.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace naval::testing {

HttpAnswer HttpRequest(int port, absl::string_view path, absl::string_view method) {
  HttpAnswer answer;
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const std::string request =
      absl::StrCat(method, " ", path, " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  std::string text;
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      send(connection, request.data(), request.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(request.size())) {
    std::array<char, 65536> part;
    ssize_t size = 0;
    while ((size = read(connection, part.data(), part.size())) > 0) {
      text.append(part.data(), static_cast<size_t>(size));
    }
  }
  close(connection);
  const size_t end = text.find("\r\n\r\n");
  // "HTTP/1.1 200 OK"
  if (end == std::string::npos || !absl::SimpleAtoi(text.substr(9, 3), &answer.code)) return {};
  answer.head = text.substr(0, end);
  answer.body = text.substr(end + 4);
  return answer;
}

MetricsPage MetricsPage::Of(int port) {
  const HttpAnswer answer = HttpRequest(port, "/metrics");
  EXPECT_EQ(answer.code, 200) << answer.body;
  MetricsPage page;
  page.text_ = answer.body;
  for (const absl::string_view line : absl::StrSplit(answer.body, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, "#")) continue;
    const size_t space = line.rfind(' ');
    double value = 0;
    const bool read =
        space != absl::string_view::npos && absl::SimpleAtod(line.substr(space + 1), &value);
    EXPECT_TRUE(read) << line;
    if (!read) continue;
    EXPECT_TRUE(page.values_.emplace(std::string(line.substr(0, space)), value).second)
        << "twice: " << line;
  }
  return page;
}

double MetricsPage::operator[](absl::string_view series) const {
  const auto it = values_.find(std::string(series));
  if (it != values_.end()) return it->second;
  ADD_FAILURE() << "no series " << series << " in\n" << text_;
  return std::numeric_limits<double>::quiet_NaN();
}

double MetricsPage::Sum(absl::string_view name, absl::string_view labels) const {
  double sum = 0;
  for (const auto& [series, value] : values_) {
    if (absl::StartsWith(series, absl::StrCat(name, "{")) && absl::StrContains(series, labels)) {
      sum += value;
    }
  }
  return sum;
}

}  // namespace naval::testing
