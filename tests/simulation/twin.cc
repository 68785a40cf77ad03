#include "tests/simulation/twin.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace naval::simulation {
namespace {

// How often another place for a ship is looked for, where ships have little room.
constexpr int kTries = 100;

// How much of a difference is shown.
constexpr std::size_t kToldBytes = 120;

rules::SquareSet ShotsAt(rules::Seat hidden, const rules::Event& event) {
  if (const auto* shot = std::get_if<rules::ShotFired>(&event)) {
    if (shot->seat != hidden) return {shot->square};
  } else if (const auto* volley = std::get_if<rules::VolleyFired>(&event)) {
    if (volley->seat != hidden) return volley->squares;
  }
  return {};
}

}  // namespace

Twin::Twin(std::uint64_t seed, bool second)
    : second_(second), random_(seed), hidden_(rules::kSeats[random_.Uniform(2)]) {}

rules::Fleet Twin::Lay(const std::string& match_id, const rules::RuleSet& rules,
                       rules::Fleet fleet) {
  for (int i = 0; i < kTries; ++i) {
    rules::Fleet other = fleet;
    rules::ShipPlacement& moved = other[random_.Uniform(other.size())];
    const std::vector<rules::ShipPlace> places = rules::ShipPlaces(rules, moved.ship);
    const rules::ShipPlace& place = places[random_.Uniform(places.size())];
    const auto before = rules::ShipSquareSet(rules, moved);
    moved = place.placement;
    if (place.squares == *before || !rules::CheckFleet(rules, other).empty()) continue;
    different_squares_[match_id] |= *before | place.squares;
    return second_ ? other : fleet;
  }
  return fleet;
}

rules::SquareSet Twin::DifferentSquares(const std::string& match_id) const {
  const auto it = different_squares_.find(match_id);
  return it == different_squares_.end() ? rules::SquareSet() : it->second;
}

void Twin::Committed(const std::string& match_id, const match::Entry& entry) {
  const rules::SquareSet different = DifferentSquares(match_id);
  told_ |= std::any_of(entry.events.begin(), entry.events.end(), [&](const rules::Event& event) {
    return std::holds_alternative<rules::MatchEnded>(event) ||
           ShotsAt(hidden_, event).Intersects(different);
  });
}

void Twin::Heard(absl::string_view account, absl::Time time, const std::string& what) {
  if (!told_) heard_.push_back(absl::StrCat(absl::FormatTime(time), " ", account, " ", what));
}

std::string Twin::Difference(const Twin& one, const Twin& other) {
  const auto [mine, theirs] =
      std::mismatch(one.heard_.begin(), one.heard_.end(), other.heard_.begin(), other.heard_.end());
  if (mine == one.heard_.end() && theirs == other.heard_.end()) return "";
  const std::string first = mine == one.heard_.end() ? "nothing" : *mine;
  const std::string second = theirs == other.heard_.end() ? "nothing" : *theirs;
  const auto common = static_cast<std::size_t>(
      std::mismatch(first.begin(), first.end(), second.begin(), second.end()).first -
      first.begin());
  const auto rest = [&](const std::string& text) {
    return absl::CHexEscape(absl::string_view(text).substr(common, kToldBytes));
  };
  return absl::StrCat("two worlds differ in a fleet alone, and are told differently from byte ",
                      common, " on: ", absl::CHexEscape(first.substr(0, kToldBytes)), "; in one ",
                      rest(first), ", in the other ", rest(second));
}

}  // namespace naval::simulation
