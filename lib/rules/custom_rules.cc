#include "lib/rules/custom_rules.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/rules/refusal.h"

namespace naval::rules {
namespace {

// Collects the faults of one rule set.
class Check {
 public:
  Check(const RuleSet& rules, Opponent opponent) : rules_(rules), opponent_(opponent) {}

  absl::Status Run() &&;

 private:
  void Fault(std::string field, std::string description) {
    status_ =
        base::WithFieldViolation(std::move(status_), {std::move(field), std::move(description)});
    faulty_ = true;
  }
  void Range(std::string field, int value, int least, int most) {
    if (value >= least && value <= most) return;
    Fault(std::move(field), absl::StrCat("must be ", least, " to ", most, ", not ", value));
  }
  void Range(std::string field, std::optional<absl::Duration> value, absl::Duration least,
             absl::Duration most);
  void Name(std::string field, absl::string_view name);
  // Of these enums each value up to the last exists.
  template <typename Enum>
  void Known(std::string field, Enum value, Enum last) {
    if (value <= last) return;
    Fault(std::move(field), absl::StrCat("has no value ", static_cast<int>(value)));
  }
  void Enums();
  void Ships();
  // Ships of one class are alike, or their ids would tell more than their class.
  void Classes();
  // A class has a name of its own, or what is told of it could be of another ship.
  void ClassNames();
  void Turns();
  void Clocks();

  const RuleSet& rules_;
  const Opponent opponent_;
  absl::Status status_ = Refuse(Refusal::kInvalidRuleSet);
  bool faulty_ = false;
};

absl::Status Check::Run() && {
  Range("board_size", rules_.board_size, kCustomBoardSize, kCustomBoardSize);
  Enums();
  Ships();
  Classes();
  ClassNames();
  Turns();
  Clocks();
  // Asked only where each ship is one that there can be.
  std::vector<int> lengths;
  for (const Ship& ship : rules_.ships) lengths.push_back(ship.length);
  if (!faulty_ && !CanAllBePlaced(lengths, rules_.ships_may_touch)) {
    Fault("ships", "do not all find room on the board");
  }
  if (!faulty_) return absl::OkStatus();
  return std::move(status_);
}

void Check::Range(std::string field, std::optional<absl::Duration> value, absl::Duration least,
                  absl::Duration most) {
  if (!value.has_value()) return;
  if (*value >= least && *value <= most && *value % absl::Seconds(1) == absl::ZeroDuration()) {
    return;
  }
  Fault(std::move(field),
        absl::StrCat("must be ", absl::FormatDuration(least), " to ", absl::FormatDuration(most),
                     " in whole seconds, not ", absl::FormatDuration(*value)));
}

void Check::Name(std::string field, absl::string_view name) {
  const bool printable = std::all_of(name.begin(), name.end(), [](char letter) {
    return absl::ascii_isprint(static_cast<unsigned char>(letter));
  });
  if (!name.empty() && name.size() <= kMaxShipName && printable &&
      absl::StripAsciiWhitespace(name) == name) {
    return;
  }
  Fault(std::move(field), absl::StrCat("must be 1 to ", kMaxShipName,
                                       " printable ASCII characters without blanks at the ends"));
}

void Check::Enums() {
  Known("sunk_report", rules_.sunk_report, SunkReport::kClass);
  Known("turn_order", rules_.turn_order, TurnOrder::kVolley);
  Known("illegal_fleet", rules_.illegal_fleet, IllegalFleet::kLoses);
  Known("clock_end", rules_.clock_end, ClockEnd::kMayBeClaimed);
}

void Check::Ships() {
  Range("ships", static_cast<int>(rules_.ships.size()), 1, kMaxShips);
  // People do not tell names apart by case.
  std::set<std::string> ids;
  // Faults of ships beyond the most that there may be are not listed: the list has a bound.
  const std::size_t listed = std::min(rules_.ships.size(), std::size_t{kMaxShips});
  for (std::size_t i = 0; i < listed; ++i) {
    const Ship& ship = rules_.ships[i];
    const std::string field = absl::StrCat("ships[", i, "]");
    Name(absl::StrCat(field, ".id"), ship.id);
    if (!ids.insert(absl::AsciiStrToLower(ship.id)).second) {
      Fault(absl::StrCat(field, ".id"), "is another ship's too, but for upper and lower case");
    }
    if (!ship.ship_class.empty()) Name(absl::StrCat(field, ".ship_class"), ship.ship_class);
    Range(absl::StrCat(field, ".length"), ship.length, 1, kMaxShipLength);
    Range(absl::StrCat(field, ".shots"), ship.shots, 1, kMaxShotsPerTurn);
  }
}

void Check::Classes() {
  std::map<absl::string_view, const Ship*> firsts;
  for (std::size_t i = 0; i < std::min(rules_.ships.size(), std::size_t{kMaxShips}); ++i) {
    const Ship& ship = rules_.ships[i];
    const Ship& first = *firsts.emplace(ClassOf(ship), &ship).first->second;
    if (ship.length != first.length || ship.shots != first.shots) {
      Fault(absl::StrCat("ships[", i, "].ship_class"),
            "is that of another ship with another length or other shots");
    }
  }
}

void Check::ClassNames() {
  const std::size_t listed = std::min(rules_.ships.size(), std::size_t{kMaxShips});
  for (std::size_t i = 0; i < listed; ++i) {
    const absl::string_view name = rules_.ships[i].ship_class;
    // Else its name is its id, whose faults are told there.
    if (name.empty()) continue;
    for (std::size_t other = 0; other < listed; ++other) {
      const Ship& ship = rules_.ships[other];
      if (ClassOf(ship) == name) continue;
      const bool other_class = other < i && absl::EqualsIgnoreCase(ship.ship_class, name);
      if (!other_class && !absl::EqualsIgnoreCase(ship.id, name)) continue;
      Fault(absl::StrCat("ships[", i, "].ship_class"), "names a ship of another class, too");
      break;
    }
  }
}

void Check::Turns() {
  const bool volleys = rules_.turn_order == TurnOrder::kVolley;
  if (rules_.shots_per_turn.has_value()) {
    Range("shots_per_turn", *rules_.shots_per_turn, 1, volleys ? kMaxShotsPerTurn : 1);
  } else if (!volleys) {
    Fault("shots_per_turn", "may be left to the ships in volleys only");
  }
  if (volleys && rules_.ring_closed) Fault("ring_closed", "must be false in volleys");
  if (volleys && rules_.sunk_report != SunkReport::kClass) {
    Fault("sunk_report", "must be the class alone in volleys");
  }
  if (rules_.ring_closed && rules_.ships_may_touch) {
    Fault("ring_closed", "must be false where ships may touch: the ring may hold one");
  }
  if (rules_.ring_closed && rules_.sunk_report == SunkReport::kClass) {
    Fault("ring_closed", "must be false where a sunk ship's squares are not told");
  }
}

void Check::Clocks() {
  Range("placement_duration", rules_.placement_duration, kMinPlacementDuration, kMaxClockDuration);
  Range("shot_duration", rules_.shot_duration, kMinShotDuration, kMaxClockDuration);
  Range("idle_duration", rules_.idle_duration, kMinIdleDuration, kMaxIdleDuration);
  Range("strikes_to_lose", rules_.strikes_to_lose, 1, kMaxStrikes);
  const bool claimable = rules_.clock_end == ClockEnd::kMayBeClaimed;
  const std::optional<absl::Duration> longest =
      std::max(rules_.placement_duration, rules_.shot_duration);
  if (claimable && longest.has_value() && !rules_.idle_duration.has_value()) {
    Fault("idle_duration", "must be given where the end of a clock ends nothing by itself");
  }
  // Who is about to lose could wait for the void end else; and who waits needs time to claim.
  if (rules_.idle_duration.has_value() && longest.has_value()) {
    if (*rules_.idle_duration <= *longest) {
      Fault("idle_duration", "must be longer than the clocks");
    } else if (claimable && *rules_.idle_duration < *longest + kMinClaimDuration) {
      Fault("idle_duration",
            absl::StrCat("must be longer than the clocks by ",
                         absl::FormatDuration(kMinClaimDuration), " or more, in which to claim"));
    }
  }
  if (opponent_ == Opponent::kBot) return;
  // Without it who is about to lose could wait for the void end, too.
  if (!rules_.shot_duration.has_value()) {
    Fault("shot_duration", "must be given where people play each other");
  }
  if (!rules_.placement_duration.has_value() && !rules_.idle_duration.has_value()) {
    Fault("placement_duration", "or idle_duration must be given where people play each other");
  }
}

}  // namespace

bool CanAllBePlaced(absl::Span<const int> lengths, bool ships_may_touch) {
  // Sixteen ships of 6 find room side by side: four blocks of four, turned around the middle 2 x 2.
  if (ships_may_touch) return lengths.size() <= 16;
  // Where ships may not touch, a ship of length n takes a rectangle of 2 x (n + 1) of a board of
  // 11 x 11 for itself: its squares and those to the right and below. So the areas add up to 121 at
  // most; and as each such rectangle holds (n + 1) / 2 squares at least in which row and column are
  // both even, of which there are 25, these add up to 25 at most. That is enough, too: of the
  // 54,263 fleets of up to 15 ships each that keeps to both was laid (custom_rules_test.cc lays
  // those that no other contains).
  int area = 0;
  int even = 0;
  for (const int length : lengths) {
    area += 2 * (length + 1);
    even += (length + 1) / 2;
  }
  constexpr int kSide = kCustomBoardSize + 1;
  return area <= kSide * kSide && even <= (kSide / 2) * (kSide / 2);
}

absl::Status CheckCustomRules(const RuleSet& rules, Opponent opponent) {
  return Check(rules, opponent).Run();
}

}  // namespace naval::rules
