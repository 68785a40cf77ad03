#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"
#include "tests/comparison/in_oracle_words.h"

namespace naval::comparison {

// A battle small enough to be played in every way: on 4 by 4 squares, first seat to begin. The
// first seat, the explorer, fires in every way; the second answers each time with its next shots in
// one fixed order, water first, because what the explorer's shots do depends on the rival's own sea
// and ships alone.
struct SmallWorld {
  std::string name;
  std::shared_ptr<const Words> words;
  std::array<rules::Fleet, 2> fleets;
};

// Every combination of turn order, volley size, touching, ring, report and clock that the engine
// knows, with a ship of two squares and one of one, each side's in a fixed place.
std::vector<SmallWorld> SmallWorlds();

// The same rules with each legal fleet of the rival's, once each up to turning and mirroring the
// board.
std::vector<SmallWorld> WithEveryFleet(const SmallWorld& world);

// How far to go.
struct Bounds {
  // Of the explorer's, all squares together.
  int shots = 0;
  // The clocks of both are let run out as well, as often as the rules allow. Or else it is only
  // tried what their end does.
  bool clocks = false;
};

struct Explored {
  // Engine and oracle disagree, after these commands; empty where they never do.
  std::string difference;
  std::int64_t positions = 0;
  // Commands given, in all positions: in each one every shot of either seat, taken or refused, and
  // every other command before, at and after the end of the clocks.
  std::int64_t commands = 0;
};

// Visits every position within the bounds once. Two positions are the same when the seas, the
// turn, the volleys that are in and the strikes are: the order of shots before makes no difference
// to what may follow.
Explored Explore(const SmallWorld& world, const Bounds& bounds);

// A rule set on four by four squares, with ships of these lengths: "a", "b" and so on; each gives
// as many shots as it has squares. Live clocks; the rest is as the defaults of RuleSet.
rules::RuleSet SmallRules(const std::vector<int>& lengths);

}  // namespace naval::comparison
