#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/rules/command.h"
#include "lib/rules/event.h"
#include "lib/rules/game.h"
#include "lib/rules/seat.h"
#include "tests/comparison/in_oracle_words.h"
#include "tests/oracle/oracle.h"

namespace naval::comparison {

// One match played twice, by the engine and by the oracle, which are to agree on everything. Made
// to be copied: the copy goes on from the same position.
class TwinMatch {
 public:
  // Starts both. `starter`: nullopt where the engine is to draw.
  TwinMatch(std::shared_ptr<const Words> words, std::optional<rules::Seat> starter, absl::Time now);

  // What both see at first, and differently: empty when nothing. To be asked once.
  std::string DifferenceAtStart() const;

  // Gives the command to both, tells the oracle what the engine drew, and returns what they do
  // differently: in whether they take it, in what each viewer is told, in what each viewer sees.
  // Empty when nothing; else this match is at its end. Requires a command that the oracle knows:
  // any but Resume.
  std::string Do(const rules::Command& command, absl::Time now, rules::Chance chance);

  // The same for a command of which it is known what the engine decided.
  std::string Follow(const rules::Command& command, absl::Time now,
                     const absl::StatusOr<std::vector<rules::Event>>& decided);

  const rules::Game& game() const { return game_; }
  const Words& words() const { return *words_; }
  const rules::RuleSet& rules() const { return words_->rules(); }
  // How the last command came out, in the oracle's words.
  const oracle::Outcome& outcome() const { return outcome_; }

 private:
  using Decided = absl::StatusOr<std::vector<rules::Event>>;

  // What the oracle makes of the command.
  oracle::Outcome Ask(const rules::PlaceFleet& command, absl::Time now, const Decided& decided);
  oracle::Outcome Ask(const rules::ProposeFleet& command, absl::Time now, const Decided& decided);
  oracle::Outcome Ask(const rules::ConfirmFleet& command, absl::Time now, const Decided& decided);
  oracle::Outcome Ask(const rules::FireShots& command, absl::Time now, const Decided& decided);
  oracle::Outcome Ask(const rules::Resign& command, absl::Time now, const Decided& decided);
  oracle::Outcome Ask(const rules::ClaimAbsence& command, absl::Time now, const Decided& decided);
  oracle::Outcome Ask(const rules::Abort& command, absl::Time now, const Decided& decided);
  oracle::Outcome Ask(const rules::Tick& command, absl::Time now, const Decided& decided);
  oracle::Outcome Ask(const rules::Resume& command, absl::Time now, const Decided& decided);

  oracle::Fleet Renamed(rules::Fleet fleet, const rules::Fleet& draft) const;

  std::string DifferenceOfRefusals(const rules::Command& command, const absl::Status& status) const;
  // `told` is what the viewer heard of the last command, `seen` what a spectator sees after it.
  std::string DifferenceOfEvents(const std::vector<rules::ViewerEvent>& told, rules::Viewer viewer,
                                 const oracle::View& seen) const;
  std::string DifferenceOfDue(const std::vector<rules::ViewerEvent>& told,
                              const oracle::View& seen) const;
  std::string DifferenceOfRevealed(const std::vector<rules::ViewerEvent>& told,
                                   const oracle::View& seen) const;
  std::string DifferenceOfViews(rules::Viewer viewer) const;

  std::shared_ptr<const Words> words_;
  rules::Game game_;
  oracle::OracleMatch oracle_;
  oracle::Outcome outcome_;
};

// "second fires C7": for transcripts.
std::string Say(const Words& words, const rules::Command& command);

}  // namespace naval::comparison
