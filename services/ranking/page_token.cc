#include "services/ranking/page_token.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/base/ids.h"
#include "lib/server/fields.h"

namespace naval::ranking {
namespace {

// The end of the year 9999: far from every real time, and within what a timestamptz can hold.
constexpr std::int64_t kLastMicros = 253'402'300'799'999'999;

std::optional<LeaderboardPosition> ReadPosition(const std::vector<std::string>& parts) {
  LeaderboardPosition position;
  std::int64_t micros = 0;
  if (!absl::SimpleAtod(parts[1], &position.rating) || !std::isfinite(position.rating) ||
      !absl::SimpleAtoi(parts[2], &micros) || micros < 0 || micros > kLastMicros ||
      !base::IsId(parts[3])) {
    return std::nullopt;
  }
  position.update_time = absl::FromUnixMicros(micros);
  position.account_id = parts[3];
  return position;
}

}  // namespace

std::string MakePageToken(const std::string& rule_set, const LeaderboardPosition& last) {
  // 17 digits bring every double back to the bit.
  return absl::WebSafeBase64Escape(absl::StrFormat("%s|%.17g|%d|%s", rule_set, last.rating,
                                                   absl::ToUnixMicros(last.update_time),
                                                   last.account_id));
}

absl::StatusOr<LeaderboardPosition> ReadPageToken(const std::string& rule_set,
                                                  const std::string& token) {
  if (token.empty()) return TopOfLeaderboard();
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text)) return server::PageTokenInvalid();
  const std::vector<std::string> parts = absl::StrSplit(text, '|');
  if (parts.size() != 4 || parts[0] != rule_set) return server::PageTokenInvalid();
  std::optional<LeaderboardPosition> position = ReadPosition(parts);
  if (!position.has_value()) return server::PageTokenInvalid();
  return *std::move(position);
}

}  // namespace naval::ranking
