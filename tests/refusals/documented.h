#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/refusals/script.h"

namespace naval::testing {

// The refusals that the comments of the API's services and methods promise: "CODE: REASON, REASON
// (what it means), ...". Those of a service's own comment have the method "*". Reads what protoc
// made of proto/; ends the test program when that is not there.
std::vector<Refused> DocumentedRefusals();

// Whether they promise this error of "Resign" of "naval.match.v1.MatchService".
bool IsDocumented(const std::string& service, const std::string& method,
                  const absl::Status& status);

}  // namespace naval::testing
