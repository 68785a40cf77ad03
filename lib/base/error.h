#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace naval::base {

// What a caller can tell apart in a refusal, carried by an absl::Status as payloads: a reason,
// names and values, the fields at fault, and how long to wait before trying again. lib/server turns
// it into the google.rpc details of a gRPC status and back. Every function here is pure and thread
// safe.

// Names and values that belong to an error, such as {"limit", "8"}. Dynamic parts of a message are
// repeated here, so that no caller need parse the message.
using Metadata = std::map<std::string, std::string>;

// One field of a request that is wrong.
struct FieldViolation {
  // The path of the field in the request: "fleet.ships[2].bow".
  std::string field;
  // What is wrong with it and what would be right.
  std::string description;

  bool operator==(const FieldViolation&) const = default;
};

// An error with a `reason` (UPPER_SNAKE_CASE, at most 63 characters, unique in the project) and a
// message in ASCII English that names what is wrong and how to mend it. `code` must not be kOk.
absl::Status Error(absl::StatusCode code, absl::string_view reason, absl::string_view message,
                   const Metadata& metadata = {});

// INVALID_ARGUMENT for one field; the message is "FIELD: DESCRIPTION".
absl::Status InvalidField(absl::string_view reason, absl::string_view field,
                          absl::string_view description, const Metadata& metadata = {});

// `error` as the fault of one field, which its message describes.
absl::Status InField(absl::Status error, absl::string_view field);

// A value of a caller's making as an error may repeat it: its first 32 bytes, with what is not
// printable ASCII escaped. Never for secrets.
std::string Shown(absl::string_view value);

// `error` with one more field at fault; the order of calls is kept.
absl::Status WithFieldViolation(absl::Status error, const FieldViolation& violation);

// `error` with the time after which trying again may help.
absl::Status WithRetryDelay(absl::Status error, absl::Duration delay);

// The parts of an error; each is empty where the status carries none.
std::string ReasonOf(const absl::Status& status);
Metadata MetadataOf(const absl::Status& status);
std::vector<FieldViolation> FieldViolationsOf(const absl::Status& status);
std::optional<absl::Duration> RetryDelayOf(const absl::Status& status);

}  // namespace naval::base
