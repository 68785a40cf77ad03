#include "lib/rules/test_match.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/check.h"
#include "lib/base/status_macros.h"

namespace naval::rules {
namespace {

absl::StatusOr<ShipPlacement> ParsePlacement(const RuleSet& rules, absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.size() != 3 || (words[2] != "right" && words[2] != "down")) {
    return absl::InvalidArgumentError(
        absl::StrCat("not a placement such as \"lancha A1 right\": ", text));
  }
  ShipPlacement placement;
  NAVAL_ASSIGN_OR_RETURN(placement.ship, FindShip(rules, words[0]));
  NAVAL_ASSIGN_OR_RETURN(placement.bow, Square::Parse(words[1]));
  placement.orientation = words[2] == "right" ? Orientation::kHorizontal : Orientation::kVertical;
  return placement;
}

}  // namespace

RuleSet Tablu() { return FindPreset("tablu").value()->rules; }

RuleSet Chosen(const RulesChoice& choice) { return *ChooseRules(choice, Opponent::kBot)->rules; }

absl::StatusOr<Fleet> ParseFleet(const RuleSet& rules, absl::string_view text) {
  Fleet fleet;
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    NAVAL_ASSIGN_OR_RETURN(const ShipPlacement placement, ParsePlacement(rules, part));
    fleet.push_back(placement);
  }
  return fleet;
}

std::string FleetText(const RuleSet& rules, const Fleet& fleet) {
  return absl::StrJoin(fleet, ", ", [&rules](std::string* out, const ShipPlacement& placement) {
    const bool right = placement.orientation == Orientation::kHorizontal;
    absl::StrAppend(out, rules.ships[static_cast<std::size_t>(placement.ship)].id, " ",
                    placement.bow.ToString(), right ? " right" : " down");
  });
}

Fleet RowsFleet() {
  return ParseFleet(Tablu(),
                    "portaaviones A1 right, acorazado A3 right, fragata A5 right, "
                    "submarino A7 right, lancha A9 right")
      .value();
}

WholeState StateOf(const Game& game) {
  return {ViewOf(game, Viewer::kFirst), ViewOf(game, Viewer::kSecond),
          ViewOf(game, Viewer::kSpectator)};
}

TestMatch::TestMatch(GameSettings settings, std::uint64_t seed, std::uint64_t secret_seed)
    : game_(std::move(settings)), open_(seed), secret_(secret_seed) {
  ApplyAll(game_.Start(now_));
}

absl::StatusOr<std::vector<Event>> TestMatch::Do(const Command& command) {
  NAVAL_ASSIGN_OR_RETURN(std::vector<Event> events,
                         game_.Decide(command, now_, Chance{secret_, open_}));
  ApplyAll(events);
  return events;
}

std::vector<Event> TestMatch::Wait(absl::Duration duration) {
  Pass(duration);
  return Do(Tick{}).value();
}

void TestMatch::ConfirmBoth(const Fleet& first, const Fleet& second) {
  NAVAL_CHECK(Do(ConfirmFleet{Seat::kFirst, first}).ok());
  NAVAL_CHECK(Do(ConfirmFleet{Seat::kSecond, second}).ok());
}

void TestMatch::ApplyAll(const std::vector<Event>& events) {
  for (const Event& event : events) {
    game_.Apply(event);
    log_.push_back(event);
    for (const Viewer viewer : kViewers) {
      std::optional<ViewerEvent> heard = Redact(event, game_, viewer);
      if (heard.has_value()) {
        OfViewer(heard_, viewer).push_back(*std::move(heard));
      }
    }
  }
}

}  // namespace naval::rules
