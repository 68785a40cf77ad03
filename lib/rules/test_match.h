#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/game.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/view.h"

namespace naval::rules {

// For tests only.

// The rule set "tablu" without options.
RuleSet Tablu();

// Any rule set that the engine plays, at a table against a bot. Requires a choice that it offers.
RuleSet Chosen(const RulesChoice& choice);

// A fleet written as "portaaviones A1 right, lancha J9 down". INVALID_ARGUMENT naming what is
// wrong.
absl::StatusOr<Fleet> ParseFleet(const RuleSet& rules, absl::string_view text);

// As ParseFleet writes it.
std::string FleetText(const RuleSet& rules, const Fleet& fleet);

// A legal Tablú fleet: every ship lies to the right from column A, on the rows 1, 3, 5, 7 and 9 in
// the order of the rule set.
Fleet RowsFleet();

// All that a game holds, as both seats and a spectator see it together.
struct WholeState {
  GameView first;
  GameView second;
  GameView spectator;
  friend bool operator==(const WholeState&, const WholeState&) = default;
};
WholeState StateOf(const Game& game);

// A match played in a test: a game, its time, its chance and everything that happened so far.
class TestMatch {
 public:
  // Starts the match at the Unix epoch.
  explicit TestMatch(GameSettings settings, std::uint64_t seed = 1, std::uint64_t secret_seed = 1);

  // Decides the command now and applies what it causes. A refusal changes nothing.
  absl::StatusOr<std::vector<Event>> Do(const Command& command);

  // Lets time pass, then the clock tick.
  std::vector<Event> Wait(absl::Duration duration);

  // Lets time pass, without a tick.
  void Pass(absl::Duration duration) { now_ += duration; }

  // Both seats confirm these fleets.
  void ConfirmBoth(const Fleet& first, const Fleet& second);

  // Everything that a viewer heard so far, in its order.
  const std::vector<ViewerEvent>& heard(Viewer viewer) const { return OfViewer(heard_, viewer); }

  const Game& game() const { return game_; }
  absl::Time now() const { return now_; }
  const std::vector<Event>& log() const { return log_; }

 private:
  void ApplyAll(const std::vector<Event>& events);

  Game game_;
  absl::Time now_ = absl::UnixEpoch();
  base::SeededRandom open_;
  base::SeededRandom secret_;
  std::vector<Event> log_;
  // What each viewer heard, in the order of kViewers.
  std::vector<ViewerEvent> heard_[3];
};

}  // namespace naval::rules
