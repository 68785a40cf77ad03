#include "tools/cli/failure.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/error.h"
#include "tools/cli/text.h"

namespace naval::cli {
namespace {

constexpr char kUsage[] = "USAGE";
// Where an error keeps a hint of its own.
constexpr char kHintUrl[] = "naval.cli/hint";

// What helps after a reason; "@ COMMAND" stands for this program's call.
struct Hint {
  absl::string_view reason;
  absl::string_view text;
};

constexpr char kSessionIsOver[] = "'@ logout --forget', then '@ login HANDLE' or '@ guest'";
constexpr char kIsItRunning[] =
    "is it running (tools/up)? --lobby, --match and --ranking, or NAVAL_LOBBY, NAVAL_MATCH and "
    "NAVAL_RANKING, name other addresses";
constexpr char kMakeRoom[] =
    "'@ matches' lists yours; '@ leave TABLE-ID' and '@ resign --match-id ID' make room";

constexpr Hint kHints[] = {
    {"NOT_LOGGED_IN", "'@ guest', '@ register HANDLE' or '@ login HANDLE'"},
    {"ACCOUNT_UNKNOWN", kSessionIsOver},
    {"REFRESH_TOKEN_INVALID", kSessionIsOver},
    {"SESSION_ENDED", kSessionIsOver},
    {"SESSION_REPLACED", "'@ whoami' tells who is logged in now"},
    {"TOKEN_INVALID", kSessionIsOver},
    {"GUEST_NOT_ALLOWED", "'@ register HANDLE' turns the guest into an account"},
    {"TOO_MANY_TABLES", kMakeRoom},
    {"NO_LEGAL_COMPLETION", "'@ place' of these ships tells which rule they break, if they do"},
    {"BATTLE_NOT_STARTED", "'@ confirm' the fleet, then '@ wait'"},
    {"NOT_YOUR_TURN", "'@ wait' comes back when it is"},
    {"NOT_THIS_ROUND", "'@ show' tells the round that is due"},
    {"VOLLEY_ALREADY_FIRED", "'@ wait' comes back with the next round"},
    {"MATCH_OVER", "'@ show' tells how it ended"},
    {"NO_ANSWER", kIsItRunning},
    {"NOT_CONNECTED", kIsItRunning},
    {"NO_MATCH_YET", "'@ wait' comes back when somebody has joined, '@ leave' closes the table"},
};

// The hint with its "@".
std::string RawHintFor(const absl::Status& error) {
  if (const auto hint = error.GetPayload(kHintUrl)) return std::string(*hint);
  if (absl::IsUnimplemented(error)) return "is that the address of another service?";
  const std::string reason = base::ReasonOf(error);
  for (const Hint& hint : kHints) {
    if (hint.reason == reason) return std::string(hint.text);
  }
  return "";
}

std::string HintFor(const absl::Status& error) {
  return absl::StrReplaceAll(RawHintFor(error), {{"@ ", CommandLine("")}});
}

// The server's errors all have a reason; gRPC's own have none.
std::string NameOf(const absl::Status& error) {
  const std::string reason = base::ReasonOf(error);
  return reason.empty() ? absl::StatusCodeToString(error.code()) : reason;
}

// The fields at fault that the message does not tell of: that of a single field often does.
std::vector<base::FieldViolation> FieldsBesideMessage(const absl::Status& error) {
  std::vector<base::FieldViolation> fields = base::FieldViolationsOf(error);
  std::erase_if(fields, [&](const base::FieldViolation& field) {
    return absl::StrContains(error.message(), field.description);
  });
  return fields;
}

}  // namespace

absl::Status UsageError(absl::string_view message) {
  return base::Error(absl::StatusCode::kInvalidArgument, kUsage, message);
}

absl::Status WithHint(absl::Status error, absl::string_view hint) {
  error.SetPayload(kHintUrl, absl::Cord(hint));
  return error;
}

absl::Status NotLoggedIn() {
  return base::Error(absl::StatusCode::kUnauthenticated, "NOT_LOGGED_IN", "nobody is logged in");
}

ExitCode ExitCodeOf(const absl::Status& status) {
  const std::string reason = base::ReasonOf(status);
  if (reason == kUsage) return ExitCode::kUsage;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kDone;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return ExitCode::kNoAnswer;
    case absl::StatusCode::kResourceExhausted:
      return base::RetryDelayOf(status).has_value() ? ExitCode::kNoAnswer : ExitCode::kRefused;
    case absl::StatusCode::kUnauthenticated:
      return reason == "WRONG_CREDENTIALS" ? ExitCode::kRefused : ExitCode::kNoSession;
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      return ExitCode::kBroken;
    default:
      return ExitCode::kRefused;
  }
}

std::string FailureText(const absl::Status& error) {
  const bool usage = base::ReasonOf(error) == kUsage;
  std::string text = absl::StrCat("naval-cli: ", usage ? "" : Printable(NameOf(error)) + ": ",
                                  Printable(error.message()), "\n");
  for (const base::FieldViolation& field : FieldsBesideMessage(error)) {
    absl::StrAppend(&text, "  ", Printable(field.field), ": ", Printable(field.description), "\n");
  }
  const std::string hint = HintFor(error);
  if (!hint.empty()) absl::StrAppend(&text, "  ", Printable(hint), "\n");
  return text;
}

std::string FailureNote(const absl::Status& error) {
  const std::string reason = base::ReasonOf(error);
  std::string note =
      absl::StrCat(reason.empty() || reason == kUsage ? "" : reason + ": ", error.message());
  for (const base::FieldViolation& field : FieldsBesideMessage(error)) {
    absl::StrAppend(&note, "; ", field.description);
  }
  return note;
}

std::string FailureJson(const absl::Status& error) {
  nlohmann::json fields = nlohmann::json::array();
  for (const base::FieldViolation& field : base::FieldViolationsOf(error)) {
    fields.push_back({{"field", field.field}, {"description", field.description}});
  }
  const nlohmann::json json = {{"error",
                                {{"code", absl::StatusCodeToString(error.code())},
                                 {"reason", base::ReasonOf(error)},
                                 {"message", std::string(error.message())},
                                 {"metadata", base::MetadataOf(error)},
                                 {"fields", fields},
                                 {"hint", HintFor(error)}}}};
  return Printable(
             json.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace)) +
         "\n";
}

std::string CommandLine(absl::string_view arguments) {
  const char* const name = std::getenv("NAVAL_COMMAND");
  return absl::StrCat(name != nullptr ? Printable(name) : "naval-cli", " ", arguments);
}

}  // namespace naval::cli
