// SIGTERM while clients are connected and streams are open.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "lib/base/clock.h"
#include "lib/server/grpc_status.h"
#include "naval/match/v1/match_service.grpc.pb.h"
#include "naval/ranking/v1/ranking_service.grpc.pb.h"
#include "tests/e2e/people.h"
#include "tests/support/cluster.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/relay.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"
#include "tools/client/match_stream.h"
#include "tools/client/ratings.h"
#include "tools/client/tables.h"

namespace naval::testing {
namespace {

namespace health = grpc::health::v1;

// What a service promises.
constexpr absl::Duration kStopLimit = absl::Seconds(3);

// An open Watch of the standard health protocol.
class HealthWatch {
 public:
  explicit HealthWatch(const std::string& address)
      : stub_(health::Health::NewStub(
            grpc::CreateChannel(address, grpc::InsecureChannelCredentials()))),
        reader_(stub_->Watch(&context_, health::HealthCheckRequest())) {}
  ~HealthWatch() {
    context_.TryCancel();
    reader_->Finish();
  }

  // The next state; UNKNOWN when the stream has ended.
  health::HealthCheckResponse::ServingStatus Next() {
    health::HealthCheckResponse response;
    if (!reader_->Read(&response)) return health::HealthCheckResponse::UNKNOWN;
    return response.status();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<health::Health::Stub> stub_;
  std::unique_ptr<grpc::ClientReader<health::HealthCheckResponse>> reader_;
};

class Stop : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  // Asks these services to stop and expects each to say so before it goes, in time and in order.
  // The watches of their health stay open all the time.
  void ExpectOrderlyStop(const std::vector<Service>& services) {
    std::list<HealthWatch> watches;
    for (const Service service : services) {
      watches.emplace_back(cluster_.Address(service));
      ASSERT_EQ(watches.back().Next(), health::HealthCheckResponse::SERVING);
    }
    const absl::Time begin = people_.clock().Now();
    for (const Service service : services) cluster_.Signal(service, SIGTERM);
    for (HealthWatch& watch : watches) {
      EXPECT_EQ(watch.Next(), health::HealthCheckResponse::NOT_SERVING);
    }
    for (const Service service : services) {
      EXPECT_EQ(cluster_.Wait(service), 0) << ServiceName(service);
    }
    EXPECT_LT(people_.clock().Now() - begin, kStopLimit);
  }

  // Unlike a Client does, which tries again.
  template <typename Stub, typename Request, typename Response>
  absl::Status CallOnce(Service service, client::Client& caller,
                        grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                     Response*),
                        const Request& request, Response response) {
    Stub stub(grpc::CreateChannel(cluster_.Address(service), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + caller.session().access_token());
    context.set_deadline(gpr_time_from_seconds(20, GPR_TIMESPAN));
    return server::FromGrpcStatus((stub.*method)(&context, request, &response));
  }

  Cluster cluster_;
  People people_{cluster_};
};

TEST_F(Stop, OfEachServiceIsOrderlyWhileClientsAreConnected) {
  const auto ana = people_.NewAccount("stop-ana");
  const auto bruno = people_.NewAccount("stop-bruno");
  ASSERT_THAT(client::MeetAtPrivateTable(*ana, *bruno, /*rated=*/true), IsOk());
  EXPECT_THAT(RatingOf(*ana), HasReason("NOT_RATED"));
  ExpectOrderlyStop({kServices.begin(), kServices.end()});
}

TEST_F(Stop, OfTheMatchServiceEndsStreamsWithAReconnectMessageAfterEveryEvent) {
  const auto ana = people_.NewAccount("stream-ana");
  const auto bruno = people_.NewAccount("stream-bruno");
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::string match_id,
                             client::MeetAtPrivateTable(*ana, *bruno, /*rated=*/true));
  std::vector<std::unique_ptr<client::MatchStream>> streams;
  for (client::Client* const client : {ana.get(), ana.get(), bruno.get()}) {
    streams.push_back(client->Watch(match_id, std::nullopt));
    const auto first = streams.back()->Next();
    ASSERT_TRUE(first.has_value()) << streams.back()->status();
    ASSERT_TRUE(first->has_snapshot());
  }
  const auto player = people_.NewPlayer(*ana, match_id);
  ASSERT_THAT(player->LayFleet(), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const match::v1::Match seen_by_ana, MatchOf(*ana, match_id));
  NAVAL_ASSERT_OK_AND_ASSIGN(const match::v1::Match seen_by_bruno, MatchOf(*bruno, match_id));

  ExpectOrderlyStop({Service::kMatch});
  for (const auto& stream : streams) {
    int64_t seq = 1;
    std::optional<match::v1::WatchMatchResponse> last;
    while (auto message = stream->Next()) {
      if (message->has_event()) {
        EXPECT_EQ(message->event().seq(), ++seq);
      }
      last = std::move(message);
    }
    EXPECT_THAT(stream->status(), IsOk());
    ASSERT_TRUE(last.has_value());
    EXPECT_TRUE(last->has_reconnect()) << last->DebugString();
    EXPECT_EQ(last->reconnect().seq(), seq);
    EXPECT_EQ(seq, stream == streams.back() ? seen_by_bruno.seq() : seen_by_ana.seq());
  }

  // Whoever follows finds the match again when the service is back.
  cluster_.Start(Service::kMatch);
  const auto rival = people_.NewPlayer(*bruno, match_id);
  ASSERT_THAT(rival->LayFleet(), IsOk());
  EXPECT_THAT(player->feed().WaitFor([](const match::v1::Match& match) {
    return match.phase() == match::v1::PHASE_BATTLE;
  }),
              IsOk());
}

// Postgres is not away, it says nothing: only the services' own limits end the wait.
TEST_F(Stop, OfEachServiceIsOrderlyWhileAFrozenDatabaseKeepsCallsWaiting) {
  Relay relay(TestDatabase::port());
  // libpqxx leaks a little with each connection that breaks (lib/postgres/connection.cc), and to
  // see that this may be passed over takes a sanitizer longer than a stop may.
  setenv("ASAN_OPTIONS", "detect_leaks=0", /*overwrite=*/1);
  for (const Service service : kServices) {
    cluster_.Kill(service);
    cluster_.Start(service, relay.port());
  }
  unsetenv("ASAN_OPTIONS");
  const auto ana = people_.NewAccount("frozen-ana");
  const auto bruno = people_.NewAccount("frozen-bruno");
  match::v1::ProposeFleetRequest proposal;
  NAVAL_ASSERT_OK_AND_ASSIGN(*proposal.mutable_match_id(),
                             client::MeetAtPrivateTable(*ana, *bruno, /*rated=*/true));
  proposal.set_request_id(ana->NewRequestId());
  ranking::v1::GetRatingRequest question;
  question.set_account_id(ana->account().account_id());
  question.set_rule_set("tablu");

  relay.Freeze();
  absl::Status proposed;
  absl::Status rated;
  std::vector<std::thread> calls;
  calls.emplace_back([&] {
    proposed = CallOnce(Service::kMatch, *ana, &match::v1::MatchService::Stub::ProposeFleet,
                        proposal, match::v1::ProposeFleetResponse());
  });
  calls.emplace_back([&] {
    rated = CallOnce(Service::kRanking, *ana, &ranking::v1::RankingService::Stub::GetRating,
                     question, ranking::v1::GetRatingResponse());
  });
  // The two calls, and the two outboxes of the match service.
  EXPECT_TRUE(WaitFor([&] { return relay.waiting() >= 4; }));
  ExpectOrderlyStop({kServices.begin(), kServices.end()});
  for (std::thread& call : calls) call.join();
  EXPECT_THAT(proposed, HasReason("MATCH_UNAVAILABLE"));
  EXPECT_THAT(rated, HasReason("DATABASE_UNAVAILABLE"));

  cluster_.Start(Service::kMatch);
  EXPECT_THAT(ana->Call(&match::v1::MatchService::Stub::ProposeFleet, proposal), IsOk());
}

}  // namespace
}  // namespace naval::testing
