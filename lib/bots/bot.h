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
// never the game (M-10). It lays its fleet as "Al azar" does: rules::CompleteFleet with nothing
// kept.
class Bot {
 public:
  virtual ~Bot() = default;

  // A square of the rival's sea that may still be shot at. Requires a view of a seat whose shot is
  // due. Thread safe: a bot keeps nothing between shots.
  virtual rules::Square ChooseShot(const rules::GameView& view, base::Random& random) const = 0;
};

// Ids of all bots, weakest first. Lives as long as the process.
const std::vector<absl::string_view>& BotIds();

// INVALID_ARGUMENT, reason UNKNOWN_BOT, naming the id and the known ones.
absl::StatusOr<std::unique_ptr<Bot>> MakeBot(absl::string_view id);

}  // namespace naval::bots
