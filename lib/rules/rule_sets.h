#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/rules/game_settings.h"
#include "lib/rules/rule_set.h"

namespace naval::rules {

// How fast a match goes.
enum class Pace {
  // 90 s to place, 25 s a shot.
  kLive,
  // 5 minutes, 2 minutes.
  kSlow,
  // 2 days for each; then the one who waits may claim the match, and after 7 days without a move
  // it ends void.
  kCorrespondence,
};

// A rule set, and the options that it offers.
struct Preset {
  // At its usual pace.
  RuleSet rules;
  // The usual one first.
  std::vector<Pace> paces = {Pace::kLive};
  // RuleSet::clock_end at a live or slow table, and at one without clocks.
  ClockEnd live_clock_end = ClockEnd::kServerPlays;
  // The table's creator, or against a bot the human, shoots first. Else that is drawn.
  bool creator_starts = false;
  // The fleet that "fleet_b" chooses; empty where there is none.
  std::vector<Ship> fleet_b = {};
  bool offers_one_shot_per_turn = false;
  bool offers_volley = false;
  // At tables against a bot only.
  bool offers_untimed = false;
};

// Every rule set that tables can be made with, in the order in which they are shown. Lives as long
// as the process; any thread may read it.
//
// A match stores what its table chose and is replayed by what stands here: a value that is changed,
// or an offer that is taken back, breaks the matches that were played by it. Other values are
// another rule set, and a table that must not be made any more is refused where tables are made.
const std::vector<Preset>& AllRuleSets();

// The preset with this id; never null, lives as long as the process. INVALID_ARGUMENT, reason
// UNKNOWN_RULE_SET, naming the id and the known ones.
absl::StatusOr<const Preset*> FindPreset(absl::string_view id);

// What a table chooses.
struct RulesChoice {
  std::string rule_set;
  // The turn passes after every shot, hit or not.
  bool one_shot_per_turn = false;
  // No clock runs.
  bool untimed = false;
  // The other fleet of the rule set (S-01).
  bool fleet_b = false;
  // Both fire volleys at once, as many shots as their ships afloat give (S-06).
  bool volley = false;
  // Nullopt: the usual one of the rule set.
  std::optional<Pace> pace;

  friend bool operator==(const RulesChoice&, const RulesChoice&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const RulesChoice& choice) {
    return H::combine(std::move(hash), choice.rule_set, choice.one_shot_per_turn, choice.untimed,
                      choice.fleet_b, choice.volley, choice.pace);
  }
};

enum class Opponent { kPerson, kBot };

// What the choice comes to; its rules are shared by all who choose alike. INVALID_ARGUMENT:
// UNKNOWN_RULE_SET; OPTION_NOT_OFFERED, naming the option, when the rule set does not offer it, or
// not against such an opponent.
absl::StatusOr<GameSettings> ChooseRules(const RulesChoice& choice, Opponent opponent);

}  // namespace naval::rules
