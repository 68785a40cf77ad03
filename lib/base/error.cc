#include "lib/base/error.h"

#include <cassert>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace naval::base {
namespace {

// One payload holds one part, its name ending the URL; nothing needs a format of its own.
constexpr absl::string_view kReasonUrl = "naval/reason";
constexpr absl::string_view kRetryUrl = "naval/retry";
constexpr absl::string_view kMetadataUrl = "naval/metadata/";
// Followed by a number that keeps the order, "/", and the field.
constexpr absl::string_view kFieldUrl = "naval/field/";
constexpr size_t kFieldNumberWidth = 6;

// Calls `visit(rest of the URL, content)` for each payload whose URL begins with `prefix`.
template <typename Visit>
void ForEachUnder(absl::string_view prefix, const absl::Status& status, Visit visit) {
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& content) {
    if (absl::ConsumePrefix(&url, prefix)) visit(url, std::string(content));
  });
}

}  // namespace

absl::Status Error(absl::StatusCode code, absl::string_view reason, absl::string_view message,
                   const Metadata& metadata) {
  assert(code != absl::StatusCode::kOk);
  absl::Status error(code, message);
  error.SetPayload(kReasonUrl, absl::Cord(reason));
  for (const auto& [name, value] : metadata) {
    error.SetPayload(absl::StrCat(kMetadataUrl, name), absl::Cord(value));
  }
  return error;
}

absl::Status InvalidField(absl::string_view reason, absl::string_view field,
                          absl::string_view description, const Metadata& metadata) {
  return WithFieldViolation(Error(absl::StatusCode::kInvalidArgument, reason,
                                  absl::StrCat(field, ": ", description), metadata),
                            {std::string(field), std::string(description)});
}

absl::Status InField(absl::Status error, absl::string_view field) {
  std::string description(error.message());
  return WithFieldViolation(std::move(error), {std::string(field), std::move(description)});
}

std::string Shown(absl::string_view value) {
  // Long enough for a caller to recognize what was sent.
  constexpr size_t kMostBytes = 32;
  return absl::CHexEscape(value.substr(0, kMostBytes));
}

absl::Status WithFieldViolation(absl::Status error, const FieldViolation& violation) {
  const size_t number = FieldViolationsOf(error).size();
  error.SetPayload(
      absl::StrFormat("%s%0*d/%s", kFieldUrl, kFieldNumberWidth, number, violation.field),
      absl::Cord(violation.description));
  return error;
}

absl::Status WithRetryDelay(absl::Status error, absl::Duration delay) {
  error.SetPayload(kRetryUrl, absl::Cord(absl::FormatDuration(delay)));
  return error;
}

std::string ReasonOf(const absl::Status& status) {
  return std::string(status.GetPayload(kReasonUrl).value_or(absl::Cord()));
}

Metadata MetadataOf(const absl::Status& status) {
  Metadata metadata;
  ForEachUnder(kMetadataUrl, status, [&](absl::string_view name, std::string value) {
    metadata[std::string(name)] = std::move(value);
  });
  return metadata;
}

std::vector<FieldViolation> FieldViolationsOf(const absl::Status& status) {
  std::map<std::string, FieldViolation> by_number;
  ForEachUnder(kFieldUrl, status, [&](absl::string_view rest, std::string description) {
    by_number[std::string(rest.substr(0, kFieldNumberWidth))] = {
        std::string(rest.substr(kFieldNumberWidth + 1)), std::move(description)};
  });
  std::vector<FieldViolation> violations;
  for (auto& [number, violation] : by_number) violations.push_back(std::move(violation));
  return violations;
}

std::optional<absl::Duration> RetryDelayOf(const absl::Status& status) {
  const auto text = status.GetPayload(kRetryUrl);
  absl::Duration delay;
  if (!text.has_value() || !absl::ParseDuration(std::string(*text), &delay)) return std::nullopt;
  return delay;
}

}  // namespace naval::base
