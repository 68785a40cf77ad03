#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/rules/event.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/square.h"
#include "lib/rules/view.h"
#include "tests/oracle/oracle.h"

namespace naval::comparison {

// The rules of the engine as the oracle has them; the ships keep their order, and their ids.
oracle::OracleRules InOracleWords(const rules::RuleSet& rules);

// "C7". Lives as long as the process.
const std::string& NameOf(rules::Square square);

// Says what the engine says in the words of the oracle, so that both can be compared with ==. What
// the oracle says in more words than the engine is cut down by Aligned*: each of these says what it
// leaves out, and nothing else is left out.
class Words {
 public:
  // The same rules twice, with the ships in the same order; their ids may differ.
  Words(rules::RuleSet rules, oracle::OracleRules oracle_rules);

  const rules::RuleSet& rules() const { return rules_; }
  const oracle::OracleRules& oracle_rules() const { return oracle_rules_; }

  // With the oracle's ids. An index that the rules do not have gets an id that they do not have.
  oracle::Fleet FleetOf(const rules::Fleet& fleet) const;
  // With class names in place of ids: confirming exchanges ships of one class (ShuffleAlike), so
  // that only the class of each is fixed.
  oracle::Fleet ByClass(oracle::Fleet fleet) const;
  // What the engine finds wrong with `fleet`. Requires known ships.
  std::set<oracle::Violation> ViolationsOf(const rules::Fleet& fleet) const;

  // Nullopt for what is no event of the oracle's: who is due until when, which its view tells. The
  // oracle's events hold no fleet and no volley of the viewer's own; its views do.
  std::optional<oracle::Event> EventOf(const rules::ViewerEvent& event, rules::Viewer viewer) const;
  // Without the order of a volley's squares, whether the server drew them (which is told as they
  // come in), and which infractions an illegal fleet is, which follows from its violations.
  oracle::Event Aligned(oracle::Event event) const;

  oracle::View ViewOf(const rules::GameView& view) const;
  // Without the order of what the squares of a volley told or sank, of ships that sank where their
  // squares are not told, and all that Aligned leaves out of an event. Without who shot: events
  // tell. Without the shots of a turn outside of volleys, always one.
  oracle::View Aligned(oracle::View view) const;

 private:
  const std::string& ClassAt(int ship) const;
  std::set<std::string> SquaresOf(const rules::ShipPlacement& placement) const;
  oracle::Volley VolleyOf(const rules::VolleyAnswered& answered) const;
  oracle::Result ResultOf(const rules::MatchEnded& ended) const;
  oracle::PlayerView PlayerOf(const rules::SeaView& sea) const;
  std::vector<oracle::SunkShip> SunkOf(const rules::SeaView& sea) const;
  oracle::PlayerView Aligned(oracle::PlayerView player) const;

  const rules::RuleSet rules_;
  const oracle::OracleRules oracle_rules_;
};

}  // namespace naval::comparison
