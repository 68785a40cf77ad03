#include "tools/load/echo.h"

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/base/ids.h"
#include "lib/base/status_macros.h"
#include "naval/match/v1/match_service.grpc.pb.h"
#include "tests/support/local_address.h"
#include "tests/support/subprocess.h"
#include "tools/client/connect.h"
#include "tools/load/calls.h"
#include "tools/load/cpu.h"
#include "tools/load/event_loop.h"
#include "tools/load/players.h"

namespace naval::load {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;

class Callers {
 public:
  Callers(const std::string& address, base::Clock& clock, base::Random& random)
      : random_(random), loop_(clock) {
    for (int i = 0; i < kConnections; ++i) {
      stubs_.push_back(v1::MatchService::NewStub(client::Connect(address)));
    }
  }

  // Begins one more call, which is followed by another when it is answered.
  void Call() {
    v1::FireShotsRequest request;
    request.set_match_id(base::NewId(loop_.clock(), random_));
    request.set_request_id(base::NewId(loop_.clock(), random_));
    request.add_squares("C7");
    MatchStub& stub = *stubs_[next_++ % stubs_.size()];
    new UnaryCall<MatchStub, v1::FireShotsRequest, v1::FireShotsResponse>(
        loop_, [&stub]() -> MatchStub& { return stub; }, &MatchStub::PrepareAsyncFireShots,
        no_token_, request, Patience(),
        [this](const absl::Status& status, const MatchStub&) { status_.Update(status); },
        [this](const absl::Status&, const v1::FireShotsResponse&) {
          ++answered_;
          if (status_.ok()) Call();
        });
  }

  absl::Status RunFor(absl::Duration duration) {
    loop_.RunUntil([this] { return !status_.ok(); }, loop_.clock().Now() + duration);
    return status_;
  }

  int64_t answered() const { return answered_; }

 private:
  base::Random& random_;
  std::vector<std::unique_ptr<MatchStub>> stubs_;
  const std::string no_token_;
  std::size_t next_ = 0;
  int64_t answered_ = 0;
  absl::Status status_;
  // Below what its calls refer to: it goes first.
  EventLoop loop_;
};

}  // namespace

absl::StatusOr<EchoFigures> MeasureEcho(int concurrency, absl::Duration duration,
                                        base::Clock& clock, base::Random& random) {
  // It goes with this program, however that ends.
  testing::Subprocess server(
      {"/usr/bin/setpriv", "--pdeathsig", "KILL", testing::BinaryNamed("naval-load-echo")});
  const std::string line = server.WaitForLine("\"serving\"");
  if (line.empty()) return absl::InternalError("naval-load-echo did not start: " + server.Output());
  const auto ports = nlohmann::json::parse(line);
  const int metrics_port = ports.at("metrics_port").get<int>();

  Callers callers(testing::LocalAddress(ports.at("port").get<int>()), clock, random);
  for (int i = 0; i < concurrency; ++i) callers.Call();
  NAVAL_RETURN_IF_ERROR(callers.RunFor(duration / 4));
  NAVAL_ASSIGN_OR_RETURN(const absl::Duration cpu_before, CpuOfService(metrics_port));
  const int64_t answered_before = callers.answered();
  const absl::Time begin = clock.Now();
  NAVAL_RETURN_IF_ERROR(callers.RunFor(duration));
  const auto answered = static_cast<double>(callers.answered() - answered_before);
  if (answered == 0) return absl::DeadlineExceededError("the echo server answered no call");
  const double seconds = absl::ToDoubleSeconds(clock.Now() - begin);
  NAVAL_ASSIGN_OR_RETURN(const absl::Duration cpu_after, CpuOfService(metrics_port));
  return EchoFigures{.calls_per_second = answered / seconds,
                     .cpu_per_call = (cpu_after - cpu_before) / answered};
}

}  // namespace naval::load
