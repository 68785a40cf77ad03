#include "services/match/watchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/random.h"
#include "services/match/live_matches.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"

namespace naval::match {
namespace {

using ::naval::testing::IsOk;
using rules::Viewer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

RecordedMatch NewMatch(bool against_bot) {
  auto created = TestMatchCreated(against_bot);
  created.set_spectators_allowed(true);
  auto match = RecordedMatch::New(kTestMatchId, std::move(created));
  EXPECT_THAT(match, IsOk());
  match->Apply(match->Start(absl::FromUnixSeconds(1'700'000'000)));
  return *std::move(match);
}

// Two players, SEAT_FIRST of whom watches; and time that heartbeats divide.
class Presence : public ::testing::Test {
 protected:
  explicit Presence(bool against_bot = false)
      : match_(NewMatch(against_bot)), watchers_(match_, now_, observer_) {}

  std::shared_ptr<RecordingWatcher> Open(Viewer viewer,
                                         std::optional<int64_t> after_seq = std::nullopt,
                                         bool events_together = false) {
    auto watcher = std::make_shared<RecordingWatcher>(events_together);
    EXPECT_THAT(watchers_.CheckNew(match_, AccountOf(viewer), viewer, after_seq), IsOk());
    watchers_.Add(match_, nullptr, AccountOf(viewer), viewer, after_seq, now_, watcher);
    return watcher;
  }

  void Close(const std::shared_ptr<RecordingWatcher>& watcher) {
    watchers_.Remove(watcher.get(), now_);
  }

  void Beat(absl::Duration later = kHeartbeatInterval) {
    now_ += later;
    watchers_.Beat(match_, now_);
  }

  // Longer than anything takes to be told.
  void BeatTwice() {
    Beat();
    Beat();
  }

  void Do(rules::Command command, rules::Seat seat) {
    const auto entry =
        match_.Decide({.command = std::move(command), .seat = seat}, now_, {random_, random_});
    ASSERT_THAT(entry, IsOk());
    match_.Apply(**entry);
    watchers_.Publish(match_, **entry);
  }

  // What GetMatch says of both.
  std::vector<v1::Presence> Seen(Viewer viewer) const {
    const v1::Match match = watchers_.ViewFor(match_, viewer, now_);
    return {match.sides(0).presence(), match.sides(1).presence()};
  }

  // What the stream was told, such as "2 watching", in order.
  static std::vector<std::string> Told(const std::shared_ptr<RecordingWatcher>& watcher) {
    std::vector<std::string> told;
    for (const v1::WatchMatchResponse& message : watcher->messages()) {
      if (!message.has_presence_changed()) continue;
      const v1::PresenceChanged& change = message.presence_changed();
      told.push_back(absl::StrCat(
          change.seat(), change.presence() == v1::PRESENCE_WATCHING ? " watching" : " away"));
    }
    return told;
  }

  static std::string AccountOf(Viewer viewer) {
    if (viewer == Viewer::kSpectator) return kStranger;
    return viewer == Viewer::kFirst ? kFirstAccount : kSecondAccount;
  }

  static constexpr auto kUnknown = v1::PRESENCE_UNSPECIFIED;
  static constexpr auto kWatching = v1::PRESENCE_WATCHING;
  static constexpr auto kAway = v1::PRESENCE_AWAY;

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  MatchObserver observer_;
  base::SeededRandom random_{1};
  RecordedMatch match_;
  Watchers watchers_;
};

TEST_F(Presence, IsToldAtOnceOfWhoComesAndLaterOfWhoGoes) {
  const auto first = Open(Viewer::kFirst);
  EXPECT_THAT(Seen(Viewer::kFirst), ElementsAre(kUnknown, kUnknown));
  const auto second = Open(Viewer::kSecond);
  EXPECT_THAT(Told(first), ElementsAre("2 watching"));
  EXPECT_THAT(Seen(Viewer::kFirst), ElementsAre(kUnknown, kWatching));
  BeatTwice();
  Close(second);
  Beat(kAwayDelay - absl::Nanoseconds(1));
  EXPECT_THAT(Told(first), ElementsAre("2 watching"));
  EXPECT_THAT(Seen(Viewer::kFirst), ElementsAre(kUnknown, kWatching));
  Beat(absl::Nanoseconds(1));
  EXPECT_THAT(Told(first), ElementsAre("2 watching", "2 away"));
  EXPECT_THAT(Seen(Viewer::kFirst), ElementsAre(kUnknown, kAway));
  BeatTwice();
  Open(Viewer::kSecond);
  EXPECT_THAT(Told(first), ElementsAre("2 watching", "2 away", "2 watching"));
}

TEST_F(Presence, DoesNotFlickerWhenAStreamIsOpenedAnew) {
  const auto first = Open(Viewer::kFirst);
  auto second = Open(Viewer::kSecond);
  for (int i = 0; i < 10; ++i) {
    Close(second);
    Beat(kAwayDelay - absl::Milliseconds(1));
    second = Open(Viewer::kSecond, 1);
    Beat();
  }
  EXPECT_THAT(Told(first), ElementsAre("2 watching"));
}

TEST_F(Presence, LastsWhileOneOfSeveralStreamsIsOpenAndTellsNotHowMany) {
  const auto first = Open(Viewer::kFirst);
  const auto one = Open(Viewer::kSecond);
  const auto other = Open(Viewer::kSecond);
  Close(one);
  BeatTwice();
  EXPECT_THAT(Told(first), ElementsAre("2 watching"));
  Close(other);
  BeatTwice();
  EXPECT_THAT(Told(first), ElementsAre("2 watching", "2 away"));
}

TEST_F(Presence, LastsForAMomentAfterAStreamIsToldToReconnectButNotUntilItIsGone) {
  const auto second = Open(Viewer::kSecond);
  now_ += kMaxStreamAge / 2;
  const auto first = Open(Viewer::kFirst);
  Beat(kMaxStreamAge / 2);
  ASSERT_TRUE(second->messages().back().has_reconnect());
  Beat(kAwayDelay - absl::Nanoseconds(1));
  EXPECT_THAT(Told(first), IsEmpty());
  Beat(absl::Nanoseconds(1));
  EXPECT_THAT(Told(first), ElementsAre("2 away"));
}

TEST_F(Presence, IsNotKnownBeforeAPlayerHadTimeToCome) {
  const auto first = Open(Viewer::kFirst);
  Beat(kAwayDelay - absl::Nanoseconds(1));
  EXPECT_THAT(Seen(Viewer::kFirst), ElementsAre(kUnknown, kUnknown));
  EXPECT_THAT(Told(first), IsEmpty());
  Beat();
  EXPECT_THAT(Told(first), ElementsAre("2 away"));
}

TEST_F(Presence, OfBothPlayersIsShownToSpectatorsAndOfThemToNobody) {
  const auto first = Open(Viewer::kFirst);
  const auto spectator = Open(Viewer::kSpectator);
  const auto other_spectator = Open(Viewer::kSpectator);
  EXPECT_THAT(Seen(Viewer::kSpectator), ElementsAre(kWatching, kUnknown));
  BeatTwice();
  Close(other_spectator);
  BeatTwice();
  EXPECT_THAT(Told(spectator), ElementsAre("2 away"));
  EXPECT_THAT(Told(first), ElementsAre("2 away"));
  Close(first);
  BeatTwice();
  EXPECT_THAT(Told(spectator), ElementsAre("2 away", "1 away"));
}

TEST_F(Presence, HasNoNumberAndComesToAResumedStreamAfterTheEventsThatItMissed) {
  const auto first = Open(Viewer::kFirst);
  const int64_t last_seq = match_.LastSeq(Viewer::kSecond);
  Do(rules::ConfirmFleet{rules::Seat::kFirst, RowsFleet(match_.game().rules())},
     rules::Seat::kFirst);
  const auto resumed = Open(Viewer::kSecond, last_seq);
  ASSERT_EQ(resumed->messages().size(), 2u);
  EXPECT_EQ(resumed->messages()[0].event().seq(), last_seq + 1);
  EXPECT_THAT(Told(resumed), ElementsAre("1 watching"));
  Close(first);
  BeatTwice();
  EXPECT_THAT(Told(resumed), ElementsAre("1 watching", "1 away"));
  // In heartbeats and to who resumes, the event stays the last number.
  Beat();
  EXPECT_EQ(resumed->messages().back().heartbeat().seq(), last_seq + 1);
  EXPECT_THAT(Told(Open(Viewer::kSecond, last_seq + 1)), ElementsAre("1 away"));
}

using EventsTogether = Presence;

TEST_F(EventsTogether, AreTheSameInFewerMessages) {
  const auto one_by_one = Open(Viewer::kFirst, 0);
  const auto together = Open(Viewer::kFirst, 0, /*events_together=*/true);
  const rules::Fleet fleet = RowsFleet(match_.game().rules());
  Do(rules::ConfirmFleet{rules::Seat::kFirst, fleet}, rules::Seat::kFirst);
  Do(rules::ConfirmFleet{rules::Seat::kSecond, fleet}, rules::Seat::kSecond);
  const auto resumed = Open(Viewer::kFirst, 0, /*events_together=*/true);
  EXPECT_EQ(resumed->messages()[0].events().events_size(), match_.LastSeq(Viewer::kFirst));
  EXPECT_EQ(resumed->messages().size(), 1u);
  const auto told = [](RecordingWatcher& watcher) {
    std::vector<std::string> events;
    for (const v1::MatchEvent& event : watcher.events()) events.push_back(event.DebugString());
    return events;
  };
  EXPECT_EQ(told(*together), told(*one_by_one));
  EXPECT_EQ(told(*resumed), told(*one_by_one));
  EXPECT_LT(together->messages().size(), one_by_one->messages().size());
  for (const v1::WatchMatchResponse& message : together->messages()) {
    EXPECT_FALSE(message.has_event());
  }
}

TEST_F(Presence, IsNotSaidOnceTheMatchIsOver) {
  const auto first = Open(Viewer::kFirst);
  const auto second = Open(Viewer::kSecond);
  Do(rules::Resign{rules::Seat::kSecond}, rules::Seat::kSecond);
  EXPECT_THAT(Seen(Viewer::kFirst), ElementsAre(kUnknown, kUnknown));
  Close(second);
  BeatTwice();
  EXPECT_TRUE(first->messages().back().event().has_match_ended());
  EXPECT_THAT(Told(Open(Viewer::kFirst, 0)), IsEmpty());
}

class PresenceOfABot : public Presence {
 protected:
  PresenceOfABot() : Presence(/*against_bot=*/true) {}
};

TEST_F(PresenceOfABot, NeverEnds) {
  const auto first = Open(Viewer::kFirst);
  EXPECT_THAT(Seen(Viewer::kFirst), ElementsAre(kUnknown, kWatching));
  BeatTwice();
  EXPECT_THAT(Told(first), IsEmpty());
  EXPECT_THAT(Told(Open(Viewer::kFirst, 0)), ElementsAre("2 watching"));
}

}  // namespace
}  // namespace naval::match
