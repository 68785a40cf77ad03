#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace naval::testing {

struct HttpAnswer {
  // 0 when nobody answered.
  int code = 0;
  std::string head;
  std::string body;
};

// One request over HTTP to 127.0.0.1.
HttpAnswer HttpRequest(int port, absl::string_view path, absl::string_view method = "GET");

// A page of metrics in Prometheus's text format.
class MetricsPage {
 public:
  // As a process serves it on its --metrics_listen port. A page that cannot be had or read fails
  // the test.
  static MetricsPage Of(int port);

  // The value of one series as the page writes it, labels in alphabetic order, `le` last:
  //   page["naval_shots_total{result=\"sunk\"}"]
  // Fails the test and gives a NaN when there is none.
  double operator[](absl::string_view series) const;

  bool Has(absl::string_view series) const { return values_.contains(std::string(series)); }

  // The sum of all series of a metric whose labels hold `labels`, such as "grpc_code=\"OK\""; of
  // all of them when it is empty.
  double Sum(absl::string_view name, absl::string_view labels = "") const;

  const std::map<std::string, double>& values() const { return values_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::map<std::string, double> values_;
};

}  // namespace naval::testing
