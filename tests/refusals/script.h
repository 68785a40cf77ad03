// The refusals of the API as text: tests/refusals/*.txt. A script is read and played line by line.
// A line that begins with two spaces goes on with the one before; '#' begins a comment. $NAME
// stands for a value that was kept, $new for a new UUIDv7 each time. A line begins with one of
// these words:
//
//   call METHOD as WHO    The calls that follow: "MatchService.Resign", or "MatchService.*" for all
//                         methods of the service, by one of the callers that stage.cc lists.
//   send TEXT             One call with this request, in protobuf's text format. Or "bytes TEXT"
//                         with C escapes, or "long N" for N bytes that parse, 200 to 16000. With no
//                         `want` below it is to succeed. Below it may stand, in this order:
//     times N               it is sent so often;
//     keep NAME PATH        of the response, for example "keep table table.table_id";
//     hold SQL              this is done in a transaction that stays open while the call waits
//     meanwhile SQL         for it; then this, and it is committed;
//     flood N               so many calls are sent at once, one of which is to be refused as below,
//                           the others are OK or refused as the API says;
//     want CODE REASON      the refusal, and all that it carries:
//     with NAME: VALUE      its metadata,
//     field PATH: TEXT      its field violations ('*' in a line stands for any text),
//     retry DURATION        its RetryInfo.
//   new NAME ...          Keeps new ids.
//   let NAME TEXT         Keeps a text.
//   pass DURATION         Moves the clock.
//   late DURATION         Moves the clock, but its alarms do not ring before "on time".
//   on time
//   sql STATEMENT         Done by the superuser of the database.
//   fail TABLE SQLSTATE   From now on every change of the table's rows fails with this error (one
//                         that names the constraint of a third word, when there is one),
//   kill TABLE            ends the connection at its commit,
//   mend TABLE            or is all right again.
//   database away|back
//   matches N             Restarts the match service, which takes N matches into memory.
//   open N TEXT           Opens N streams of WatchMatch, by the caller of the last `call`;
//   close                 closes all.
//   elsewhere METHOD CODE REASON FILE    That this is refused is shown by the test in that file.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace naval::testing {

struct ScriptLine {
  int number = 0;
  std::string verb;
  std::string rest;
};

struct ScriptStep {
  ScriptLine line;
  // Of a `send`.
  std::vector<ScriptLine> details;
};

// One refusal: "naval.match.v1.MatchService", "Resign" (or "*": any method), "FAILED_PRECONDITION",
// "MATCH_OVER".
struct Refused {
  std::string service;
  std::string method;
  std::string code;
  std::string reason;

  friend auto operator<=>(const Refused&, const Refused&) = default;
};

// INVALID_ARGUMENT with the number of the line at fault.
absl::StatusOr<std::vector<ScriptStep>> ParseScript(absl::string_view text);

// The methods that "MatchService.Resign" or "MatchService.*" names, as
// "naval.match.v1.MatchService.Resign"; none when there is no such service.
std::vector<std::string> MethodsNamed(absl::string_view name);

// What the script reaches, itself and elsewhere.
std::vector<Refused> RefusalsOf(const std::vector<ScriptStep>& script);

}  // namespace naval::testing
