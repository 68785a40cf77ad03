#include "tools/client/answer.h"

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/rules/square.h"

namespace naval::client {
namespace {

absl::Status Malformed(absl::string_view what) {
  return base::Error(absl::StatusCode::kDataLoss, "MALFORMED_ANSWER",
                     absl::StrCat("the server answered with ", what));
}

}  // namespace

absl::Status CheckRuleSet(const game::v1::RuleSet& rule_set) {
  if (rule_set.board_size() < 1 || rule_set.board_size() > rules::kMaxBoardSize) {
    return Malformed(absl::StrCat("a board of ", rule_set.board_size(), " columns, not 1 to ",
                                  rules::kMaxBoardSize));
  }
  for (const auto* const fleet : {&rule_set.ships(), &rule_set.fleet_b()}) {
    for (const game::v1::Ship& ship : *fleet) {
      if (ship.length() < 1 || ship.length() > rule_set.board_size()) {
        return Malformed(absl::StrCat("a ship of length ", ship.length(), " on a board of ",
                                      rule_set.board_size(), " columns"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMatch(const match::v1::Match& match) {
  NAVAL_RETURN_IF_ERROR(CheckRuleSet(match.rule_set()));
  if (match.sides_size() != 2) {
    return Malformed(absl::StrCat("a match of ", match.sides_size(), " sides, not 2"));
  }
  return absl::OkStatus();
}

absl::Status CheckAnswer(const match::v1::GetMatchResponse& response) {
  return CheckMatch(response.match());
}

absl::Status CheckAnswer(const lobby::v1::ListRuleSetsResponse& response) {
  for (const game::v1::RuleSet& rule_set : response.rule_sets()) {
    NAVAL_RETURN_IF_ERROR(CheckRuleSet(rule_set));
  }
  return absl::OkStatus();
}

}  // namespace naval::client
