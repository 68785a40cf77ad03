// naval-load-echo: what naval-load measures Naval against. A callback server that answers FireShots
// at once with what the answer to a shot holds, and does nothing else. It says on which ports it
// serves and runs until it is killed.

#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "lib/metrics/listener.h"
#include "lib/metrics/process_metrics.h"
#include "naval/match/v1/match_service.grpc.pb.h"

namespace naval::load {
namespace {

namespace v1 = match::v1;

class EchoService final : public v1::MatchService::CallbackService {
 public:
  grpc::ServerUnaryReactor* FireShots(grpc::CallbackServerContext* context,
                                      const v1::FireShotsRequest* request,
                                      v1::FireShotsResponse* response) override {
    v1::MatchEvent& shot = *response->add_events();
    shot.set_seq(100);
    shot.mutable_event_time()->set_seconds(1'800'000'000);
    shot.mutable_event_time()->set_nanos(123'456'000);
    shot.mutable_shot_fired()->set_seat(v1::SEAT_FIRST);
    shot.mutable_shot_fired()->set_square(request->squares_size() > 0 ? request->squares(0) : "");
    shot.mutable_shot_fired()->set_result(v1::SHOT_RESULT_WATER);
    v1::MatchEvent& due = *response->add_events();
    due.set_seq(101);
    *due.mutable_event_time() = shot.event_time();
    due.mutable_shot_due()->set_seat(v1::SEAT_SECOND);
    *due.mutable_shot_due()->mutable_deadline() = shot.event_time();
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

int Serve() {
  // As the services do.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  EchoService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const metrics::ProcessMetrics process;
  const auto listener = metrics::Listener::Start("127.0.0.1:0", {&process});
  if (server == nullptr || port == 0 || !listener.ok()) {
    absl::FPrintF(stderr, "naval-load-echo: cannot listen on 127.0.0.1\n");
    return 1;
  }
  absl::PrintF("{\"event\":\"serving\",\"port\":%d,\"metrics_port\":%d}\n", port,
               (*listener)->port());
  std::fflush(stdout);
  server->Wait();
  return 0;
}

}  // namespace
}  // namespace naval::load

int main() { return naval::load::Serve(); }
