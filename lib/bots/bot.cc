#include "lib/bots/bot.h"

#include <string>

#include "absl/strings/str_join.h"
#include "lib/base/error.h"
#include "lib/bots/as.h"
#include "lib/bots/jota.h"
#include "lib/bots/rey.h"

namespace naval::bots {
namespace {

constexpr absl::string_view kJotaId = "jota";
constexpr absl::string_view kAsId = "as";
constexpr absl::string_view kReyId = "rey";

}  // namespace

const std::vector<absl::string_view>& BotIds() {
  static const auto* const kIds = new std::vector<absl::string_view>{kJotaId, kAsId, kReyId};
  return *kIds;
}

absl::StatusOr<std::unique_ptr<Bot>> MakeBot(absl::string_view id) {
  if (id == kJotaId) return std::make_unique<Jota>();
  if (id == kAsId) return std::make_unique<As>();
  if (id == kReyId) return std::make_unique<Rey>();
  const std::string shown = base::Shown(id);
  const std::string known = absl::StrJoin(BotIds(), " ");
  return base::Error(absl::StatusCode::kInvalidArgument, "UNKNOWN_BOT",
                     "no such bot: \"" + shown + "\"; known are: " + known,
                     {{"bot", shown}, {"known", known}});
}

}  // namespace naval::bots
