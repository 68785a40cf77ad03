#include "tools/cli/ships.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "lib/rules/square.h"
#include "tools/cli/failure.h"

namespace naval::cli {
namespace {

namespace v1 = match::v1;
using rules::Square;

constexpr char kForms[] = "write SHIP=A1-A5, SHIP=A1h or SHIP=A1v";

absl::StatusOr<game::v1::Ship> FindShip(absl::string_view id, const game::v1::RuleSet& rule_set) {
  for (const game::v1::Ship& ship : rule_set.ships()) {
    if (absl::EqualsIgnoreCase(ship.id(), id)) return ship;
  }
  return UsageError(absl::StrCat(
      "'", id, "' is no ship of ", rule_set.id(), "; its ships are ",
      absl::StrJoin(rule_set.ships(), ", ", [](std::string* out, const game::v1::Ship& ship) {
        absl::StrAppend(out, ship.id());
      })));
}

v1::ShipPlacement At(const game::v1::Ship& ship, Square bow, v1::Orientation orientation) {
  v1::ShipPlacement placement;
  placement.set_ship_id(ship.id());
  placement.set_bow(bow.ToString());
  placement.set_orientation(orientation);
  return placement;
}

// "A1-A5".
absl::StatusOr<v1::ShipPlacement> FromEnds(const game::v1::Ship& ship, Square one, Square other) {
  if (one.column() != other.column() && one.row() != other.row()) {
    return UsageError(absl::StrCat(one.ToString(), "-", other.ToString(), " for ", ship.id(),
                                   " is neither a row nor a column"));
  }
  const auto [bow, stern] = std::minmax(one, other);
  const int length = stern.column() - bow.column() + stern.row() - bow.row() + 1;
  if (length != ship.length()) {
    return UsageError(absl::StrCat(ship.id(), " is ", ship.length(), " squares long, but ",
                                   one.ToString(), "-", other.ToString(), " has ", length));
  }
  return At(ship, bow,
            bow.row() == stern.row() ? v1::ORIENTATION_HORIZONTAL : v1::ORIENTATION_VERTICAL);
}

}  // namespace

absl::StatusOr<v1::ShipPlacement> ParseShip(absl::string_view text,
                                            const game::v1::RuleSet& rule_set) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  NAVAL_ASSIGN_OR_RETURN(const game::v1::Ship ship, FindShip(parts.first, rule_set));
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(parts.second, absl::MaxSplits('-', 1));
  const auto bow = Square::Parse(ends.first);
  const auto stern = Square::Parse(ends.second);
  if (bow.ok() && stern.ok()) return FromEnds(ship, *bow, *stern);
  if (!parts.second.empty()) {
    const auto square = Square::Parse(parts.second.substr(0, parts.second.size() - 1));
    const char direction = absl::ascii_tolower(static_cast<unsigned char>(parts.second.back()));
    if (square.ok() && direction == 'h') return At(ship, *square, v1::ORIENTATION_HORIZONTAL);
    if (square.ok() && direction == 'v') return At(ship, *square, v1::ORIENTATION_VERTICAL);
  }
  return UsageError(absl::StrCat("'", text, "' does not say where ", ship.id(), " lies; ", kForms));
}

absl::StatusOr<Fleet> ParseShips(const std::vector<std::string>& texts,
                                 const game::v1::RuleSet& rule_set) {
  Fleet ships;
  for (const std::string& text : texts) {
    NAVAL_ASSIGN_OR_RETURN(const v1::ShipPlacement ship, ParseShip(text, rule_set));
    for (const v1::ShipPlacement& other : ships) {
      if (other.ship_id() == ship.ship_id()) {
        return UsageError(absl::StrCat(ship.ship_id(), " is named twice"));
      }
    }
    *ships.Add() = ship;
  }
  return ships;
}

void LayShips(const Fleet& ships, Fleet& fleet) {
  for (const v1::ShipPlacement& ship : ships) {
    const auto place = std::find_if(
        fleet.begin(), fleet.end(),
        [&](const v1::ShipPlacement& other) { return other.ship_id() == ship.ship_id(); });
    if (place != fleet.end()) {
      *place = ship;
    } else {
      *fleet.Add() = ship;
    }
  }
}

}  // namespace naval::cli
