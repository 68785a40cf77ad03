#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace naval::cli {

// What went wrong, in words and as the exit code of naval-cli.

enum class ExitCode {
  kDone = 0,
  // The server was asked and said no.
  kRefused = 1,
  // The command line makes no sense; nothing was sent.
  kUsage = 2,
  // Nobody answered in time, or the server is busy: the same command may succeed later.
  kNoAnswer = 3,
  // Nobody is logged in, or the session has ended.
  kNoSession = 4,
  // This side failed, or an answer broke what the API promises.
  kBroken = 5,
};

// INVALID_ARGUMENT, reason USAGE, for what is wrong before anything is sent.
absl::Status UsageError(absl::string_view message);

// `error` with what helps against it, instead of what helps against its reason in general; "@
// COMMAND" in it stands for a call of this program.
absl::Status WithHint(absl::Status error, absl::string_view hint);

// UNAUTHENTICATED, reason NOT_LOGGED_IN.
absl::Status NotLoggedIn();

// The code for an error; kDone for OK.
ExitCode ExitCodeOf(const absl::Status& status);

// "naval-cli: REASON: message", a line for each field at fault that the message does not tell of,
// and how to mend it. Holds nothing but printable ASCII and line ends, which the text ends with.
std::string FailureText(const absl::Status& error);

// The same in one line for a player in the middle of a match: "REASON: message; what is wrong with
// a field; ...". As it came, see Printable.
std::string FailureNote(const absl::Status& error);

// The same as one line of JSON: {"error": {"code", "reason", "message", "metadata", "fields",
// "hint"}}.
std::string FailureJson(const absl::Status& error);

// How this program is called with `arguments`: after naval-cli, or after what the environment
// variable NAVAL_COMMAND holds where a script calls it.
std::string CommandLine(absl::string_view arguments);

}  // namespace naval::cli
