// What a WatchMatch stream promises, in simulated time.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/wire/time_wire.h"
#include "tests/integration/match_server.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"
#include "tools/client/match_state.h"

namespace naval::testing {
namespace {

namespace v1 = match::v1;
using client::MatchStream;
using MatchStub = v1::MatchService::Stub;

class MatchStreams : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  std::string Create(const v1::CreateMatchRequest& request) {
    EXPECT_THAT(server_.Create(request), IsOk());
    return request.match_id();
  }

  // A practice match whose bot has moved: until the human is ready nothing happens in it by itself.
  std::string CreatePractice() {
    std::string match_id = Create(server_.NewPractice());
    EXPECT_THAT(server_.WaitForMatch(
                    kAna, match_id,
                    [](const v1::Match& match) { return match.sides(1).fleet_confirmed(); }),
                IsOk());
    return match_id;
  }

  absl::Status Draft(const std::string& match_id, int row) {
    v1::PlaceFleetRequest request;
    request.set_match_id(match_id);
    *request.mutable_fleet() = ParseFleet(absl::StrCat("lancha A", row, " right"));
    return server_.Call(kAna, &MatchStub::PlaceFleet, request).status();
  }

  // An open stream that has said its first word.
  std::unique_ptr<MatchStream> Open(const std::string& account_id, const std::string& match_id) {
    auto stream = server_.Watch(account_id, match_id, std::nullopt);
    const auto first = stream->Next();
    EXPECT_TRUE(first.has_value() && first->has_snapshot()) << stream->status();
    return stream;
  }

  // The first `count` messages of a stream. The server may still count one that has just been left.
  std::vector<std::string> FirstMessages(const std::string& match_id, int64_t after_seq,
                                         size_t count) {
    std::vector<std::string> messages;
    EXPECT_TRUE(WaitFor([&] {
      const auto stream = server_.Watch(kAna, match_id, after_seq);
      while (messages.size() < count) {
        const auto message = stream->Next();
        if (!message.has_value()) break;
        messages.push_back(message->SerializeAsString());
      }
      return messages.size() == count || !absl::IsResourceExhausted(stream->status());
    }));
    return messages;
  }

  // The next that the stream tells of the rival.
  static v1::Presence NextPresence(MatchStream& stream) {
    while (const auto message = stream.Next()) {
      if (message->has_presence_changed()) return message->presence_changed().presence();
    }
    ADD_FAILURE() << "the stream ended: " << stream.status();
    return v1::PRESENCE_UNSPECIFIED;
  }

  // How a stream ends that cannot begin.
  absl::Status Refused(const std::string& account_id, const std::string& match_id,
                       std::optional<int64_t> after_seq) {
    const auto stream = server_.Watch(account_id, match_id, after_seq);
    EXPECT_FALSE(stream->Next().has_value());
    return stream->status();
  }

  MatchServer server_;
};

TEST_F(MatchStreams, BeginWithTheWholeStateAndGoOnFromIt) {
  const std::string match_id = Create(server_.NewMatch());
  ASSERT_THAT(Draft(match_id, 1), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match whole, server_.Get(kAna, match_id));
  const auto stream = server_.Watch(kAna, match_id, std::nullopt);
  const auto first = stream->Next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->snapshot().SerializeAsString(), whole.SerializeAsString());
  ASSERT_THAT(Draft(match_id, 2), IsOk());
  const auto second = stream->Next();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->event().seq(), whole.seq() + 1);
  EXPECT_EQ(second->event().draft_changed().fleet(0).bow(), "A2");
}

TEST_F(MatchStreams, ResumeAfterAnyNumberWithTheSameEvents) {
  const std::string match_id = Create(server_.NewMatch());
  std::vector<std::string> events;
  const auto whole = server_.Watch(kAna, match_id, 0);
  for (int row = 1; row <= 5; ++row) ASSERT_THAT(Draft(match_id, row), IsOk());
  for (int64_t seq = 1; seq <= 6; ++seq) {
    const auto message = whole->Next();
    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->event().seq(), seq);
    events.push_back(message->SerializeAsString());
  }
  server_.Stop();
  server_.Start();
  for (size_t after_seq = 0; after_seq < events.size(); ++after_seq) {
    const std::vector<std::string> rest(events.begin() + static_cast<ptrdiff_t>(after_seq),
                                        events.end());
    EXPECT_EQ(FirstMessages(match_id, static_cast<int64_t>(after_seq), rest.size()), rest);
  }
  // The rival's numbers are its own: of six it saw one.
  EXPECT_THAT(Refused(kBruno, match_id, 2), HasReason("AFTER_SEQ_OUT_OF_RANGE"));
  EXPECT_THAT(Refused(kAna, match_id, 7), HasReason("AFTER_SEQ_OUT_OF_RANGE"));
  EXPECT_THAT(Refused(kAna, match_id, -1), HasReason("AFTER_SEQ_OUT_OF_RANGE"));
}

TEST_F(MatchStreams, SendAHeartbeatWithinFifteenSeconds) {
  const std::string match_id = CreatePractice();
  const auto stream = Open(kAna, match_id);
  server_.clock().Advance(absl::Seconds(15));
  const auto message = stream->Next();
  ASSERT_TRUE(message.has_value()) << stream->status();
  ASSERT_TRUE(message->has_heartbeat()) << message->DebugString();
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match match, server_.Get(kAna, match_id));
  EXPECT_EQ(message->heartbeat().seq(), match.seq());
  const auto time = wire::FromProto(message->heartbeat().server_time(), "server_time");
  ASSERT_THAT(time, IsOk());
  EXPECT_EQ(*time, server_.clock().Now());
}

TEST_F(MatchStreams, EndWithTheMatch) {
  const std::string match_id = Create(server_.NewMatch());
  const auto stream = Open(kBruno, match_id);
  v1::ResignRequest resignation;
  resignation.set_match_id(match_id);
  ASSERT_THAT(server_.Call(kAna, &MatchStub::Resign, resignation), IsOk());
  const auto last = stream->Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->event().match_ended().result().winner(), v1::SEAT_SECOND);
  // Nothing was confirmed, so nothing is revealed.
  EXPECT_TRUE(last->event().match_ended().fleets().empty());
  EXPECT_FALSE(stream->Next().has_value());
  EXPECT_THAT(stream->status(), IsOk());
  // Who comes later gets the end, and no waiting.
  const auto late = server_.Watch(kBruno, match_id, 0);
  std::optional<v1::WatchMatchResponse> message;
  while (auto next = late->Next()) message = std::move(next);
  EXPECT_TRUE(message.has_value() && message->event().has_match_ended());
  EXPECT_THAT(late->status(), IsOk());
}

TEST_F(MatchStreams, AreThreeForAPlayerAtMost) {
  const std::string match_id = Create(server_.NewMatch());
  std::vector<std::unique_ptr<MatchStream>> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(Open(kAna, match_id));
  EXPECT_THAT(Refused(kAna, match_id, std::nullopt), HasReason("TOO_MANY_STREAMS"));
  // The rival has three of its own.
  Open(kBruno, match_id);
  streams.pop_back();
  EXPECT_TRUE(
      WaitFor([&] { return server_.Watch(kAna, match_id, std::nullopt)->Next().has_value(); }));
}

TEST_F(MatchStreams, AreOpenToSpectatorsOfPublicMatchesOnly) {
  const std::string public_id = Create(server_.NewMatch(/*spectators_allowed=*/true));
  Open(kCarla, public_id);
  const std::string private_id = Create(server_.NewMatch());
  EXPECT_THAT(Refused(kCarla, private_id, std::nullopt), HasReason("MATCH_NOT_FOUND"));
  EXPECT_THAT(Refused(kAna, server_.NewId(), std::nullopt), HasReason("MATCH_NOT_FOUND"));
}

TEST_F(MatchStreams, TellWhetherTheRivalWatches) {
  const std::string match_id = Create(server_.NewMatch());
  const auto stream = Open(kAna, match_id);
  auto rivals = Open(kBruno, match_id);
  EXPECT_EQ(NextPresence(*stream), v1::PRESENCE_WATCHING);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match seen, server_.Get(kAna, match_id));
  EXPECT_EQ(seen.sides(1).presence(), v1::PRESENCE_WATCHING);
  // Time goes on in small steps, for the server learns by itself that the stream is gone.
  rivals.reset();
  EXPECT_TRUE(WaitFor([&] {
    server_.clock().Advance(absl::Seconds(1));
    const auto match = server_.Get(kAna, match_id);
    return match.ok() && match->sides(1).presence() == v1::PRESENCE_AWAY;
  }));
  EXPECT_EQ(NextPresence(*stream), v1::PRESENCE_AWAY);
  rivals = server_.Watch(kBruno, match_id, 0);
  ASSERT_TRUE(rivals->Next().has_value());
  EXPECT_EQ(NextPresence(*rivals), v1::PRESENCE_WATCHING);
  EXPECT_EQ(NextPresence(*stream), v1::PRESENCE_WATCHING);
}

TEST_F(MatchStreams, AreToldToReconnectAfterAQuarterOfAnHour) {
  const std::string match_id = CreatePractice();
  const auto stream = Open(kAna, match_id);
  server_.clock().Advance(absl::Minutes(15));
  std::optional<v1::WatchMatchResponse> last;
  while (auto message = stream->Next()) last = std::move(message);
  EXPECT_THAT(stream->status(), IsOk());
  ASSERT_TRUE(last.has_value() && last->has_reconnect()) << last->DebugString();
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match match, server_.Get(kAna, match_id));
  EXPECT_EQ(last->reconnect().seq(), match.seq());
}

// A stream on a connection that takes in little before its reader reads.
class SlowReader {
 public:
  SlowReader(MatchServer& server, const std::string& match_id) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1024);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub_ = v1::MatchService::NewStub(
        grpc::CreateCustomChannel(server.address(), grpc::InsecureChannelCredentials(), arguments));
    auto context = std::make_unique<grpc::ClientContext>();
    context->AddMetadata("authorization", absl::StrCat("Bearer ", server.TokenFor(kAna)));
    v1::WatchMatchRequest request;
    request.set_match_id(match_id);
    stream_ = std::make_unique<MatchStream>(*stub_, std::move(context), request);
  }

  MatchStream& stream() { return *stream_; }

 private:
  std::unique_ptr<MatchStub> stub_;
  std::unique_ptr<MatchStream> stream_;
};

TEST_F(MatchStreams, AreCutWhenTheirReaderIsTooSlowAndTheMatchGoesOn) {
  const std::string match_id = CreatePractice();
  SlowReader slow(server_, match_id);
  ASSERT_TRUE(slow.stream().Next().has_value());
  // More than wait for a reader at the server (128) and on the way to it.
  constexpr int kDrafts = 200;
  for (int draft = 0; draft < kDrafts; ++draft) {
    ASSERT_THAT(Draft(match_id, 1 + draft % 10), IsOk());
  }
  int64_t seq = 0;
  while (const auto message = slow.stream().Next()) {
    if (message->has_event()) seq = message->event().seq();
  }
  EXPECT_THAT(slow.stream().status(), HasReason("SLOW_READER"));
  // What it missed it gets by its last number.
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match match, server_.Get(kAna, match_id));
  EXPECT_LT(seq, match.seq());
  const auto resumed = server_.Watch(kAna, match_id, seq);
  const auto next = resumed->Next();
  ASSERT_TRUE(next.has_value()) << resumed->status();
  EXPECT_EQ(next->event().seq(), seq + 1);
}

}  // namespace
}  // namespace naval::testing
