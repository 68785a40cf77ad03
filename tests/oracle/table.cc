#include "tests/oracle/table.h"

#include <cstddef>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracle/say.h"

namespace naval::oracle {

std::vector<std::string> Words(absl::string_view text) {
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}

Fleet Ships(absl::string_view text) {
  Fleet fleet;
  for (const std::string& word : Words(text)) {
    const std::vector<std::string> parts = absl::StrSplit(word, ':');
    fleet.push_back({.ship = absl::StrJoin(absl::StrSplit(parts[0], '_'), " "),
                     .bow = parts[1].substr(0, parts[1].size() - 1),
                     .vertical = parts[1].back() == 'v'});
  }
  return fleet;
}

Fleet TabluFleet() {
  return Ships("portaaviones:A1> acorazado:A3> fragata:A5> submarino:A7> lancha:A9>");
}
Fleet ClasicaFleet() {
  return Ships(
      "acorazado:A1> crucero_1:A3> crucero_2:E3> destructor_1:A5> destructor_2:D5> "
      "destructor_3:G5> torpedera_1:A7> torpedera_2:C7> torpedera_3:E7> torpedera_4:G7>");
}
Fleet SalvoFleet() { return Ships("acorazado:A1> crucero:A2> submarino:A3> destructor:A4>"); }
Fleet SalvoFleetB() { return Ships("acorazado:A1> crucero:A2> destructor_1:A3> destructor_2:A4>"); }
Fleet SelminhaFleet() { return Ships("nao:A1> galera:A3> coca:A5> carabela:A7> barca:A9>"); }

Table& Table::Begin(const Fleet& fleet, const Fleet& of_seat_1) {
  EXPECT_EQ(Confirm(0, fleet), "0 ready");
  EXPECT_THAT(Confirm(1, of_seat_1), ::testing::StartsWith("1 ready; "));
  return *this;
}

Table& Table::Later(absl::Duration time) {
  now_ += time;
  return *this;
}

std::string Table::Draft(int seat, const Fleet& fleet) {
  return Say(match_.PlaceDraft(seat, fleet, now_));
}

std::string Table::Confirm(int seat, const Fleet& fleet) {
  return Say(match_.ConfirmFleet(seat, fleet, now_));
}

std::string Table::Fire(int seat, absl::string_view squares) {
  return FireFor(Seen().round, seat, squares);
}

std::string Table::FireFor(int round, int seat, absl::string_view squares) {
  return Say(match_.Fire(seat, Words(squares), round, now_));
}

std::string Table::Resign(int seat) { return Say(match_.Resign(seat)); }

std::string Table::Claim(int seat) { return Say(match_.ClaimAbsence(seat, now_)); }

std::string Table::Abort() { return Say(match_.Abort()); }

std::string Table::Tick(const Chance& chance) { return Say(match_.Tick(now_, chance)); }

std::string Table::TickShots(int seat, absl::string_view squares) {
  return Tick({.shots = {{seat, Words(squares)}}});
}

PlayerView Table::Player(int seat, std::optional<int> viewer) const {
  return match_.ViewOf(viewer).players[static_cast<std::size_t>(seat)];
}

std::vector<std::string> Table::Shots(int seat) const {
  std::vector<std::string> texts;
  for (const Shot& shot : Player(seat).shots) texts.push_back(Say(shot));
  return texts;
}

}  // namespace naval::oracle
