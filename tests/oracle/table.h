// For the oracle's own tests: a match with its clock, whose commands and outcomes are text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tests/oracle/oracle.h"

namespace naval::oracle {

std::vector<std::string> Words(absl::string_view text);
// "lancha:A9> crucero_1:C3v": to the right, down; '_' for a space.
Fleet Ships(absl::string_view text);

// Each ship at the left edge, one row of water between any two; Salvo's without.
Fleet TabluFleet();
Fleet ClasicaFleet();
Fleet SalvoFleet();
Fleet SalvoFleetB();
Fleet SelminhaFleet();

// What each command answers is as Say has it.
class Table {
 public:
  explicit Table(const OracleRules& rules, int first = 0) : match_(rules, first, now_) {}

  // Both confirm their fleets.
  Table& Begin(const Fleet& fleet) { return Begin(fleet, fleet); }
  Table& Begin(const Fleet& fleet, const Fleet& of_seat_1);

  Table& Later(absl::Duration time);

  std::string Draft(int seat, const Fleet& fleet);
  std::string Confirm(int seat, const Fleet& fleet);
  // For the round that is due, or another.
  std::string Fire(int seat, absl::string_view squares);
  std::string FireFor(int round, int seat, absl::string_view squares);
  std::string Resign(int seat);
  std::string Claim(int seat);
  std::string Abort();
  std::string Tick(const Chance& chance = {});
  // The server's shots for `seat`.
  std::string TickShots(int seat, absl::string_view squares);

  View Seen(std::optional<int> viewer = std::nullopt) const { return match_.ViewOf(viewer); }
  PlayerView Player(int seat, std::optional<int> viewer = std::nullopt) const;
  std::vector<std::string> Shots(int seat) const;
  absl::Time now() const { return now_; }
  OracleMatch& match() { return match_; }

 private:
  absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
  OracleMatch match_;
};

}  // namespace naval::oracle
