#include "tools/load/history.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace naval::load {

void PrintTo(const Faults& faults, std::ostream* out) {
  *out << faults.lost << " lost, " << faults.doubled << " doubled, " << faults.reordered
       << " reordered, " << faults.differing << " differing";
}

namespace {

namespace v1 = match::v1;

// The event `seq` of a match: a shot of the first seat at the square of that number.
v1::MatchEvent Shot(int64_t seq, v1::Seat seat = v1::SEAT_FIRST) {
  v1::MatchEvent event;
  event.set_seq(seq);
  event.mutable_shot_fired()->set_seat(seat);
  event.mutable_shot_fired()->set_square("A" + std::to_string(seq));
  event.mutable_shot_fired()->set_result(v1::SHOT_RESULT_WATER);
  return event;
}

v1::MatchEvent End(int64_t seq) {
  v1::MatchEvent event;
  event.set_seq(seq);
  event.mutable_match_ended()->mutable_result()->set_winner(v1::SEAT_FIRST);
  return event;
}

History::Events Answer(const std::vector<v1::MatchEvent>& events) {
  return {events.begin(), events.end()};
}

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() {
    v1::Match snapshot;
    snapshot.set_seq(3);
    snapshot.set_phase(v1::PHASE_BATTLE);
    snapshot.add_sides()->set_seat(v1::SEAT_FIRST);
    snapshot.add_sides()->set_seat(v1::SEAT_SECOND);
    history_.Begin(snapshot);
  }

  History history_;
};

TEST_F(HistoryTest, FindsNothingWhereNothingIsWrong) {
  EXPECT_TRUE(history_.Tell(Shot(4)));
  history_.Acknowledge(Answer({Shot(4), Shot(5)}));
  EXPECT_EQ(history_.state().seq(), 5);
  EXPECT_EQ(history_.told_seq(), 4);
  EXPECT_TRUE(history_.Tell(Shot(5)));
  EXPECT_TRUE(history_.TellLast(5));
  // A stream that breaks off and is resumed loses nothing.
  history_.EndStream();
  history_.Acknowledge(Answer({Shot(6), End(7)}));
  EXPECT_FALSE(history_.told_end());
  EXPECT_TRUE(history_.Tell(Shot(6)));
  EXPECT_TRUE(history_.Tell(End(7)));
  EXPECT_TRUE(history_.told_end());
  history_.Compare(history_.state());
  EXPECT_TRUE(history_.faults().none());
  EXPECT_EQ(history_.shots(v1::SEAT_FIRST), (std::vector<std::string>{"A4", "A5", "A6"}));
}

TEST_F(HistoryTest, AnswersMayBeAheadOfWhatTheStateStillMisses) {
  history_.Acknowledge(Answer({Shot(5)}));
  EXPECT_EQ(history_.state().seq(), 3);
  EXPECT_FALSE(history_.up_to_date());
  history_.Tell(Shot(4));
  EXPECT_TRUE(history_.up_to_date());
  EXPECT_EQ(history_.state().seq(), 5);
  EXPECT_TRUE(history_.faults().none());
}

TEST_F(HistoryTest, CountsEventsThatAStreamLeftOut) {
  history_.Tell(Shot(4));
  EXPECT_FALSE(history_.Tell(Shot(7)));
  history_.EndStream();
  EXPECT_EQ(history_.faults(), Faults{.lost = 2});
  EXPECT_EQ(history_.told_seq(), 4);
  // The next stream brings them: they are not counted again.
  for (const int64_t seq : {5, 6, 7}) EXPECT_TRUE(history_.Tell(Shot(seq)));
  EXPECT_FALSE(history_.TellLast(8));
  EXPECT_EQ(history_.faults(), Faults{.lost = 3});
}

TEST_F(HistoryTest, CountsEventsThatCameTwice) {
  history_.Tell(Shot(4));
  EXPECT_FALSE(history_.Tell(Shot(4)));
  EXPECT_FALSE(history_.Tell(Shot(3)));
  EXPECT_EQ(history_.faults(), Faults{.doubled = 2});
  EXPECT_EQ(history_.shots(v1::SEAT_FIRST).size(), 1u);
}

TEST_F(HistoryTest, CountsEventsThatCameAfterLaterOnes) {
  history_.Tell(Shot(5));
  EXPECT_TRUE(history_.Tell(Shot(4)));
  EXPECT_EQ(history_.told_seq(), 5);
  history_.EndStream();
  EXPECT_EQ(history_.faults(), Faults{.reordered = 1});
}

TEST_F(HistoryTest, CountsWhatTwoPlacesTellDifferently) {
  history_.Tell(Shot(4));
  history_.Acknowledge(Answer({Shot(4, v1::SEAT_SECOND)}));
  history_.Acknowledge(Answer({Shot(5, v1::SEAT_SECOND)}));
  history_.Tell(Shot(5));
  v1::Match shown = history_.state();
  shown.set_phase(v1::PHASE_OVER);
  history_.Compare(shown);
  EXPECT_EQ(history_.faults(), Faults{.differing = 3});
}

TEST_F(HistoryTest, CountsWhatWasAcknowledgedAndNeverTold) {
  history_.Acknowledge(Answer({Shot(4), Shot(5)}));
  history_.Tell(Shot(4));
  history_.Compare(history_.state());
  EXPECT_EQ(history_.faults(), Faults{.lost = 1});
}

TEST_F(HistoryTest, CountsAllAsLostWhenTheServerKnowsLess) {
  history_.Tell(Shot(4));
  history_.Tell(Shot(5));
  history_.LoseAll();
  EXPECT_FALSE(history_.begun());
  EXPECT_EQ(history_.faults(), Faults{.lost = 2});
}

TEST(CompareShots, TellsLostDoubledAndReorderedApart) {
  using Shots = std::vector<std::string>;
  const Shots abc = {"A1", "B1", "C1"};
  EXPECT_TRUE(CompareShots(abc, abc, abc).none());
  // A shot that was refused is sent, and not told; its answer may also have been an error.
  EXPECT_TRUE(CompareShots(abc, {"A1"}, {"A1"}).none());
  EXPECT_TRUE(CompareShots(abc, {"A1"}, {"A1", "B1"}).none());
  EXPECT_EQ(CompareShots(abc, abc, {"A1", "C1"}), Faults{.lost = 1});
  EXPECT_EQ(CompareShots(abc, abc, {"A1", "B1", "B1", "C1"}), Faults{.doubled = 1});
  EXPECT_EQ(CompareShots(abc, abc, {"A1", "C1", "B1"}), Faults{.reordered = 1});
}

}  // namespace
}  // namespace naval::load
