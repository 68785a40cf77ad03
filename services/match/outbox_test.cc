#include "services/match/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
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

// A receiver that can be away, or take a message without its answer getting through.
class Receiver {
 public:
  Outbox::Send Send() {
    return [this](const std::string& body) {
      base::MutexLock lock(mutex_);
      ++calls_;
      if (away_) return absl::UnavailableError("away");
      received_.push_back(body);
      return absl::OkStatus();
    };
  }
  void SetAway(bool away) {
    base::MutexLock lock(mutex_);
    away_ = away;
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
  bool away_ NAVAL_GUARDED_BY(mutex_) = false;
  int calls_ NAVAL_GUARDED_BY(mutex_) = 0;
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

class OutboxTest : public ::testing::Test {
 protected:
  // The match whose id ends in this digit.
  void Store(const std::string& digit) {
    Append first{.match_id = "018f3f5e-7b5a-7c3d-8a21-00000000000" + digit,
                 .row = {.seq = 1, .event_time = clock_.Now(), .body = "body"},
                 .messages = {{Destination::kRanking, "result of " + digit}}};
    ASSERT_THAT(store_.Create("created", first), IsOk());
  }

  base::SimulatedClock clock_{absl::UnixEpoch()};
  FakeMatchStore store_{clock_};
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
  receiver_.SetAway(true);
  Store("a");
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return receiver_.calls() >= 3;
  }));
  receiver_.SetAway(false);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return !receiver_.received().empty();
  }));
  Store("b");
  outbox.Wake();
  ASSERT_TRUE(WaitFor([&] { return receiver_.received().size() == 2; }));
  EXPECT_THAT(receiver_.received(), UnorderedElementsAre("result of a", "result of b"));
}

TEST_F(OutboxTest, TellsWhatWasDeliveredAndWhatIsLeft) {
  const absl::Time stored = clock_.Now();
  Store("a");
  Store("b");
  receiver_.SetAway(true);
  Outbox outbox(Destination::kRanking, store_, clock_, receiver_.Send(), observer_);
  outbox.Start();
  ASSERT_TRUE(WaitFor([&] { return observer_.backlog().messages == 2; }));
  EXPECT_EQ(observer_.backlog().oldest, stored);
  EXPECT_EQ(observer_.delivered(), 0);
  EXPECT_GE(observer_.failed(), 1);
  receiver_.SetAway(false);
  EXPECT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return observer_.delivered() == 2 && observer_.backlog().messages == 0;
  }));
  EXPECT_EQ(observer_.backlog().oldest, std::nullopt);
}

}  // namespace
}  // namespace naval::match
