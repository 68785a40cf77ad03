#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/command.h"
#include "lib/rules/event.h"
#include "lib/rules/placement.h"
#include "tests/comparison/in_oracle_words.h"
#include "tests/comparison/twin_match.h"

namespace naval::comparison {

// Rules to play by, twice: as the engine has them and as the oracle, which has written down the
// rule sets of the house for itself.
struct Setting {
  std::string name;  // "salvo fleet_b volley slow"
  std::shared_ptr<const Words> words;
};

// Every rule set of the house with every combination of the options that it offers.
std::vector<Setting> HouseSettings();

// Rules such as a player may make up: CheckCustomRules finds no fault with them. Fleets are not so
// crowded that drawing one takes long.
rules::RuleSet AnyCustomRules(base::Random& random);

// A legal fleet, in any order; not uniformly drawn.
rules::Fleet AnyLegalFleet(const rules::RuleSet& rules, base::Random& random);

// How a game of two random players came out.
struct Played {
  // What engine and oracle do differently; empty when nothing.
  std::string difference;
  std::string setting;
  // How it ended, when they agree.
  std::optional<rules::EndReason> end;
  // How many commands were compared, with all that the viewers see after each.
  int commands = 0;
  // One command a line with its time and what came of it.
  std::vector<std::string> transcript;
};

// Plays a whole game by the rules that belong to `seed`, three in four of the house and one in four
// made up. The players send whatever a client may send, at any time, and so does the clock.
// `with_transcript`: or else there is none, which is faster.
Played PlayRandomGame(std::uint64_t seed, bool with_transcript);

}  // namespace naval::comparison
