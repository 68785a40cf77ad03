#include "services/match/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/mutex.h"
#include "lib/base/simulated_clock.h"
#include "services/match/fake_match_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::match {
namespace {

using ::naval::testing::IsOk;
using ::naval::testing::WaitFor;
using ::testing::UnorderedElementsAre;

constexpr int kAny = 1'000;

// A receiver that can be away, or take a message without its answer getting through.
class Receiver {
 public:
  Outbox::Send Send() {
    return [this](const std::string& body) {
      base::MutexLock lock(mutex_);
      ++calls_;
      if (left_ == 0) return absl::UnavailableError("away");
      --left_;
      received_.push_back(body);
      if (then_) then_();
      return absl::OkStatus();
    };
  }
  // It is away after so many.
  void TakeOnly(int messages) {
    base::MutexLock lock(mutex_);
    left_ = messages;
  }
  // After each message that it takes.
  void Then(std::function<void()> then) {
    base::MutexLock lock(mutex_);
    then_ = std::move(then);
  }
  int calls() {
    base::MutexLock lock(mutex_);
    return calls_;
  }
  std::vector<std::string> received() {
    base::MutexLock lock(mutex_);
    return received_;
  }

 private:
  base::Mutex mutex_;
  int left_ NAVAL_GUARDED_BY(mutex_) = kAny;
  int calls_ NAVAL_GUARDED_BY(mutex_) = 0;
  std::function<void()> then_ NAVAL_GUARDED_BY(mutex_);
  std::vector<std::string> received_ NAVAL_GUARDED_BY(mutex_);
};

// Keeps what it is told of deliveries.
class OutboxObserver final : public MatchObserver {
 public:
  void MessageSent(Destination, const absl::Status& status) override {
    base::MutexLock lock(mutex_);
    ++(status.ok() ? delivered_ : failed_);
  }
  void BacklogRead(Destination, const absl::StatusOr<Backlog>& backlog, absl::Time) override {
    base::MutexLock lock(mutex_);
    if (backlog.ok()) backlog_ = *backlog;
  }
  int delivered() {
    base::MutexLock lock(mutex_);
    return delivered_;
  }
  int failed() {
    base::MutexLock lock(mutex_);
    return failed_;
  }
  Backlog backlog() {
    base::MutexLock lock(mutex_);
    return backlog_;
  }

 private:
  base::Mutex mutex_;
  int delivered_ NAVAL_GUARDED_BY(mutex_) = 0;
  int failed_ NAVAL_GUARDED_BY(mutex_) = 0;
  Backlog backlog_ NAVAL_GUARDED_BY(mutex_);
};

// Counts how often something is marked as delivered, and how much was claimed at once at most.
class CountingStore final : public FakeMatchStore {
 public:
  using FakeMatchStore::FakeMatchStore;
  absl::StatusOr<std::vector<ClaimedMessage>> ClaimMessages(Destination destination, absl::Time now,
                                                            absl::Duration retry_delay,
                                                            int limit) override {
    {
      base::MutexLock lock(mutex_);
      limits_.push_back(limit);
    }
    return FakeMatchStore::ClaimMessages(destination, now, retry_delay, limit);
  }
  absl::Status MarkDelivered(Destination destination, absl::Span<const ClaimedMessage> messages,
                             absl::Time now) override {
    ++marks_;
    return FakeMatchStore::MarkDelivered(destination, messages, now);
  }
  int marks() const { return marks_; }
  std::vector<int> limits() {
    base::MutexLock lock(mutex_);
    return limits_;
  }

 private:
  std::atomic<int> marks_ = 0;
  base::Mutex mutex_;
  std::vector<int> limits_ NAVAL_GUARDED_BY(mutex_);
};

class OutboxTest : public ::testing::Test {
 protected:
  // The match whose id ends in this digit.
  void Store(const std::string& digit) {
    Append first{.match_id = "018f3f5e-7b5a-7c3d-8a21-00000000000" + digit,
                 .row = {.seq = 1, .event_time = clock_.Now(), .body = "body"},
                 .messages = {{Destination::kRanking, "result of " + digit}}};
    ASSERT_THAT(store_.Create("created", first), IsOk());
  }

  int64_t undelivered() { return store_.ReadBacklog(Destination::kRanking)->messages; }

  base::SimulatedClock clock_{absl::UnixEpoch()};
  CountingStore store_{clock_};
  Receiver receiver_;
  OutboxObserver observer_;
};

TEST_F(OutboxTest, DeliversWhatWasStoredBeforeItStartedAndAfter) {
  Store("a");
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] { return receiver_.received().size() == 1; }));
  Store("b");
  outbox.Wake();
  ASSERT_TRUE(WaitFor([&] { return receiver_.received().size() == 2; }));
  EXPECT_THAT(receiver_.received(), UnorderedElementsAre("result of a", "result of b"));
}

TEST_F(OutboxTest, FindsWhatAnotherProcessLeftBehindWithoutBeingWoken) {
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  Store("a");
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return receiver_.received().size() == 1;
  }));
}

TEST_F(OutboxTest, TriesAgainUntilTheReceiverIsBackAndThenDeliversOnce) {
  receiver_.TakeOnly(0);
  Store("a");
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return receiver_.calls() >= 3;
  }));
  receiver_.TakeOnly(kAny);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return !receiver_.received().empty();
  }));
  Store("b");
  outbox.Wake();
  ASSERT_TRUE(WaitFor([&] { return receiver_.received().size() == 2; }));
  EXPECT_THAT(receiver_.received(), UnorderedElementsAre("result of a", "result of b"));
}

TEST_F(OutboxTest, TriesOneMessageAloneWhileTheReceiverIsAway) {
  receiver_.TakeOnly(0);
  for (const char* digit : {"a", "b", "c"}) Store(digit);
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return receiver_.calls() >= 3;
  }));
  EXPECT_EQ(store_.limits().at(1), 1);
  EXPECT_EQ(store_.limits().at(2), 1);
  receiver_.TakeOnly(kAny);
  EXPECT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return undelivered() == 0;
  }));
}

TEST_F(OutboxTest, ClaimsNoMoreThanThereWasTimeFor) {
  receiver_.Then([this] { clock_.Advance(absl::Seconds(1)); });
  for (const char* digit : {"a", "b", "c", "d", "e"}) Store(digit);
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return undelivered() == 0;
  }));
  EXPECT_GT(store_.limits().at(0), 5);
  EXPECT_LE(store_.limits().at(1), 2);
}

TEST_F(OutboxTest, MarksTogetherWhatWasClaimedTogether) {
  for (const char* digit : {"a", "b", "c"}) Store(digit);
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] { return undelivered() == 0; }));
  EXPECT_EQ(receiver_.calls(), 3);
  EXPECT_EQ(store_.marks(), 1);
}

TEST_F(OutboxTest, MarksWhatTheReceiverTookBeforeItWentAway) {
  for (const char* digit : {"a", "b", "c"}) Store(digit);
  receiver_.TakeOnly(2);
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] { return undelivered() == 1; }));
  receiver_.TakeOnly(kAny);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return undelivered() == 0;
  }));
  EXPECT_THAT(receiver_.received(),
              UnorderedElementsAre("result of a", "result of b", "result of c"));
}

TEST_F(OutboxTest, MarksWhatTheReceiverTookBeforeItIsStopped) {
  for (const char* digit : {"a", "b"}) Store(digit);
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  receiver_.Then([&] { outbox.Drain(); });
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] { return undelivered() == 1; }));
  outbox.Stop();
  EXPECT_EQ(undelivered(), 1);
  EXPECT_EQ(receiver_.calls(), 1);
}

TEST_F(OutboxTest, LeavesWhatItDidNotSendInTimeToOthers) {
  for (const char* digit : {"a", "b"}) Store(digit);
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  receiver_.Then([&] {
    clock_.Advance(absl::Seconds(2));
    EXPECT_THAT(
        store_.ClaimMessages(Destination::kRanking, clock_.Now(), absl::Seconds(2), 20)->size(), 2);
  });
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] { return undelivered() == 1; }));
  outbox.Stop();
  EXPECT_EQ(receiver_.calls(), 1);
}

TEST_F(OutboxTest, TellsWhatWasDeliveredAndWhatIsLeft) {
  const absl::Time stored = clock_.Now();
  Store("a");
  Store("b");
  receiver_.TakeOnly(0);
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] { return observer_.backlog().messages == 2; }));
  EXPECT_EQ(observer_.backlog().oldest, stored);
  EXPECT_EQ(observer_.delivered(), 0);
  EXPECT_GE(observer_.failed(), 1);
  receiver_.TakeOnly(kAny);
  EXPECT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return observer_.delivered() == 2 && observer_.backlog().messages == 0;
  }));
  EXPECT_EQ(observer_.backlog().oldest, std::nullopt);
}

}  // namespace
}  // namespace naval::match
