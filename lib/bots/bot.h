#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/random.h"
#include "lib/rules/square.h"
#include "lib/rules/view.h"

namespace naval::bots {

// A player that is a program. It gets what a person at its seat would see and nothing else: a view,
// never the game (M-10). It plays every rule set that CheckCustomRules lets pass.
class Bot {
 public:
  virtual ~Bot() = default;

  // What to fire now, ready for rules::FireShots: one square of the rival's sea that may still be
  // shot at or, in a round of volleys, as many as the seat's volley has. Requires a view of a seat
  // whose shot or volley is due. Thread safe: a bot keeps nothing between shots.
  virtual rules::SquareSet ChooseShots(const rules::GameView& view, base::Random& random) const = 0;
};

// Ids of all bots, weakest first. Lives as long as the process.
const std::vector<absl::string_view>& BotIds();

// INVALID_ARGUMENT, reason UNKNOWN_BOT, naming the id and the known ones.
absl::StatusOr<std::unique_ptr<Bot>> MakeBot(absl::string_view id);

}  // namespace naval::bots
