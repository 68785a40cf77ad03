#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/bots/bot.h"

namespace naval::arena {

// A bot, or what bots are compared with and nobody plays against: "marginals" fires at the squares
// that are most likely over uniform fleets, each taken for itself, of a volley too; "rey-uniform"
// is Rey when it expects uniform fleets only. INVALID_ARGUMENT, naming the known ones.
absl::StatusOr<std::unique_ptr<bots::Bot>> MakePlayer(absl::string_view id);

}  // namespace naval::arena
