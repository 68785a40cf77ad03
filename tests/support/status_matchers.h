#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/error.h"

namespace naval::testing {

// Matchers for absl::Status and absl::StatusOr:
//   EXPECT_THAT(pool.Transact(body), IsOk());
//   EXPECT_THAT(game.Decide(shot), StatusIs(absl::StatusCode::kFailedPrecondition));
//   EXPECT_THAT(table, HasReason("TABLE_FULL"));

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  *result_listener << "which is " << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

MATCHER_P(StatusIs, code,
          std::string(negation ? "is not " : "is ") + absl::StatusCodeToString(code)) {
  *result_listener << "which is " << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code;
}

MATCHER_P(HasReason, reason, std::string(negation ? "has not" : "has") + " the reason " + reason) {
  *result_listener << "which is " << StatusOf(arg).ToString();
  return base::ReasonOf(StatusOf(arg)) == reason;
}

}  // namespace naval::testing

// Stops the test unless `expression` (an absl::StatusOr) is OK; else assigns its value:
//   NAVAL_ASSERT_OK_AND_ASSIGN(const auto rows, tx.Execute("SELECT 1"));
#define NAVAL_ASSERT_OK_AND_ASSIGN(declaration, expression)                                  \
  NAVAL_ASSERT_OK_AND_ASSIGN_IMPL_(NAVAL_TEST_CONCAT_(naval_result_, __LINE__), declaration, \
                                   expression)
#define NAVAL_ASSERT_OK_AND_ASSIGN_IMPL_(result, declaration, expression) \
  auto result = (expression);                                             \
  ASSERT_TRUE(result.ok()) << result.status();                            \
  declaration = *std::move(result)
#define NAVAL_TEST_CONCAT_(a, b) NAVAL_TEST_CONCAT_IMPL_(a, b)
#define NAVAL_TEST_CONCAT_IMPL_(a, b) a##b
