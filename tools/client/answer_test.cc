#include "tools/client/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/support/status_matchers.h"

namespace naval::client {
namespace {

using naval::testing::HasReason;
using naval::testing::IsOk;
using ::testing::HasSubstr;

match::v1::Match Match(int board_size, int length, int sides) {
  match::v1::Match match;
  match.mutable_rule_set()->set_board_size(board_size);
  match.mutable_rule_set()->add_ships()->set_length(length);
  for (int i = 0; i < sides; ++i) match.add_sides();
  return match;
}

TEST(Answer, PassesWithAMatchThatCanBeDrawn) {
  EXPECT_THAT(CheckMatch(Match(10, 5, 2)), IsOk());
  EXPECT_THAT(CheckMatch(Match(1, 1, 2)), IsOk());
  EXPECT_THAT(CheckAnswer(match::v1::FireShotsResponse()), IsOk());
}

TEST(Answer, IsRefusedWithAMatchThatCannotBeDrawn) {
  constexpr int kMost = std::numeric_limits<int>::max();
  for (const auto& [match, named] : std::initializer_list<std::pair<match::v1::Match, std::string>>{
           {Match(10, 5, 0), "0 sides"},
           {Match(10, 5, 3), "3 sides"},
           {Match(10, -1, 2), "length -1"},
           {Match(10, 0, 2), "length 0"},
           {Match(4, 5, 2), "length 5"},
           {Match(10, kMost, 2), "length 2147483647"},
           {Match(0, 1, 2), "board of 0"},
           {Match(11, 1, 2), "board of 11"},
           {Match(100'000, 1, 2), "board of 100000"},
       }) {
    match::v1::GetMatchResponse response;
    *response.mutable_match() = match;
    EXPECT_THAT(CheckAnswer(response), HasReason("MALFORMED_ANSWER"));
    EXPECT_THAT(std::string(CheckAnswer(response).message()), HasSubstr(named));
  }
}

TEST(Answer, IsRefusedWithARuleSetThatCannotBeDrawn) {
  lobby::v1::ListRuleSetsResponse response;
  *response.add_rule_sets() = Match(10, 5, 2).rule_set();
  EXPECT_THAT(CheckAnswer(response), IsOk());
  response.add_rule_sets();
  EXPECT_THAT(CheckAnswer(response), HasReason("MALFORMED_ANSWER"));
}

}  // namespace
}  // namespace naval::client
