#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"

namespace naval::testing {

// Ends the test program with the error, if it is one: for what a test stands on, without which it
// would say nothing.
inline void DieUnless(const absl::Status& status) {
  if (status.ok()) return;
  absl::FPrintF(stderr, "the test cannot go on: %s\n", status.ToString());
  std::exit(1);
}

// The value; without one ends the test program as above.
template <typename T>
T ValueOrDie(absl::StatusOr<T> value) {
  DieUnless(value.status());
  return *std::move(value);
}

}  // namespace naval::testing
