// SIGTERM while clients are connected and streams are open.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "lib/base/clock.h"
#include "naval/match/v1/match_service.pb.h"
#include "tests/e2e/people.h"
#include "tests/support/cluster.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
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
    for (const Service service : services) cluster_.Terminate(service);
    for (HealthWatch& watch : watches) {
      EXPECT_EQ(watch.Next(), health::HealthCheckResponse::NOT_SERVING);
    }
    for (const Service service : services) {
      EXPECT_EQ(cluster_.Wait(service), 0) << ServiceName(service);
    }
    EXPECT_LT(people_.clock().Now() - begin, kStopLimit);
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

}  // namespace
}  // namespace naval::testing
