#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/seat.h"
#include "lib/rules/square.h"
#include "lib/rules/view.h"
#include "services/match/sealed_row.h"

namespace naval::simulation {

// One of two worlds of one seed that differ in where a ship of one seat lies, in every match, and
// in nothing else. Whoever does not sit there must hear the same in both, to the byte and at the
// same moment, until the difference is told by the rules themselves: a shot has met it, or a match
// is over, for then the fleets are shown.
class Twin {
 public:
  Twin(std::uint64_t seed, bool second);

  bool Hides(rules::Viewer viewer) const { return viewer == rules::ViewerAt(hidden_); }

  // The fleet to be confirmed at the hidden seat: `fleet`, or in the second world one that has a
  // ship elsewhere. Requires a legal fleet.
  rules::Fleet Lay(const std::string& match_id, const rules::RuleSet& rules, rules::Fleet fleet);

  // Where the two worlds may differ: players who fire there end the comparison.
  rules::SquareSet DifferentSquares(const std::string& match_id) const;

  // A row is committed.
  void Committed(const std::string& match_id, const match::Entry& entry);

  // Somebody who does not sit there is told something.
  void Heard(absl::string_view account, absl::Time time, const std::string& what);

  // What was heard in one and not in the other; empty when they are the same.
  static std::string Difference(const Twin& one, const Twin& other);

 private:
  const bool second_;
  // Its own, so that the two worlds draw the same otherwise.
  base::SeededRandom random_;
  const rules::Seat hidden_;
  std::map<std::string, rules::SquareSet> different_squares_;
  bool told_ = false;
  std::vector<std::string> heard_;
};

}  // namespace naval::simulation
