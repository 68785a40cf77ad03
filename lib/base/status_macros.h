#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Leaves the function with the status of `expression` (an absl::Status) unless it is OK.
#define NAVAL_RETURN_IF_ERROR(expression)                               \
  do {                                                                  \
    if (absl::Status naval_status = (expression); !naval_status.ok()) { \
      return naval_status;                                              \
    }                                                                   \
  } while (false)

// Leaves the function with the status of `expression` (an absl::StatusOr) unless it is OK; else
// assigns its value to `declaration`:
//   NAVAL_ASSIGN_OR_RETURN(const Fleet fleet, ParseFleet(text));
#define NAVAL_ASSIGN_OR_RETURN(declaration, expression) \
  NAVAL_ASSIGN_OR_RETURN_IMPL_(NAVAL_CONCAT_(naval_status_or_, __LINE__), declaration, expression)

#define NAVAL_ASSIGN_OR_RETURN_IMPL_(result, declaration, expression) \
  auto result = (expression);                                         \
  if (!result.ok()) return std::move(result).status();                \
  declaration = *std::move(result)

#define NAVAL_CONCAT_(a, b) NAVAL_CONCAT_IMPL_(a, b)
#define NAVAL_CONCAT_IMPL_(a, b) a##b
