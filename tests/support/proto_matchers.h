#pragma once

#include <gmock/gmock.h>

#include <string>
#include <type_traits>

#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"

namespace naval::testing {

// Matches a protobuf message that equals the one written in text format:
//   EXPECT_THAT(mark, EqualsProto(R"pb(square: "C7" result: SHOT_RESULT_HIT)pb"));
MATCHER_P(EqualsProto, text, std::string(negation ? "differs from " : "equals ") + text) {
  std::remove_cvref_t<decltype(arg)> expected;
  if (!google::protobuf::TextFormat::ParseFromString(text, &expected)) {
    *result_listener << "but the expected text does not parse";
    return false;
  }
  google::protobuf::util::MessageDifferencer differencer;
  std::string differences;
  differencer.ReportDifferencesToString(&differences);
  const bool equal = differencer.Compare(expected, arg);
  *result_listener << "with these differences:\n" << differences;
  return equal;
}

}  // namespace naval::testing
