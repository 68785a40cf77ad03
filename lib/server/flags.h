#pragma once

#include <string>
#include <utility>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/log.h"

// The flags that every service has. Their meaning stands in their help sentences (flags.cc).
ABSL_DECLARE_FLAG(std::string, listen);
ABSL_DECLARE_FLAG(std::string, internal_listen);
ABSL_DECLARE_FLAG(std::string, metrics_listen);
ABSL_DECLARE_FLAG(bool, reflection);
ABSL_DECLARE_FLAG(std::string, database);
ABSL_DECLARE_FLAG(std::string, service_token_file);
ABSL_DECLARE_FLAG(std::string, verify_key_file);
ABSL_DECLARE_FLAG(naval::base::LogLevel, log_level);
ABSL_DECLARE_FLAG(bool, migrate);

namespace naval::server {

// Reads the command line, sets the log level, and ends the process with a clear message and exit
// code 1 when a flag is unknown, has a bad value, or something other than flags is given. `usage`
// is what --help says first: one sentence on what the program is. Call it first in main().
void ParseFlags(int argc, char** argv, absl::string_view usage);

// The value of a flag without which the program cannot run. INVALID_ARGUMENT, reason FLAG_MISSING,
// with the flag's name and its help sentence, when it is empty.
absl::StatusOr<std::string> RequiredFlag(const absl::Flag<std::string>& flag);

// The value of a flag that is a number. INVALID_ARGUMENT, reason FLAG_OUT_OF_RANGE, with the flag's
// name, its value and both limits, when it is below `min` or above `max`.
absl::StatusOr<int> FlagInRange(const absl::Flag<int>& flag, int min, int max);

// Host and port of "HOST:PORT", parted at the last colon; the host of an IPv6 address keeps its
// brackets.
std::pair<std::string, std::string> SplitAddress(absl::string_view address);

// The value of a flag that says where others reach something. INVALID_ARGUMENT, reason
// FLAG_NO_ADDRESS, with the flag's name, its value and its help sentence, when it is no HOST:PORT
// with a port from 1 to 65535.
absl::StatusOr<std::string> AddressFlag(const absl::Flag<std::string>& flag);

}  // namespace naval::server
