// What the oracle says, in words: for the messages of tests, and to compare by.
#pragma once

#include <set>
#include <string>

#include "tests/oracle/oracle.h"

namespace naval::oracle {

// "touch fragata+lancha"; several with commas.
std::string Say(const Violation& violation);
std::string Say(const std::set<Violation>& violations);
// "not your turn"
std::string Say(Reason reason);
std::string Say(const std::set<Reason>& reasons);
// "lancha A9-B9"
std::string Say(const SunkShip& sunk);
// "A9 hit"
std::string Say(const Shot& shot);
// "round 1 A1-B1, acorazado 2, sunk destructor"
std::string Say(const Volley& volley);
// "infraction, ships touch, winner 0"
std::string Say(const Result& result);
// "0 A9 sunk: lancha A9-B9, ring A8-B8"
std::string Say(const Event& event);
// The events, or the reasons of a refusal, on one line: "0 A1 hit; 0 B1 water", "refused: match
// over". A refusal with events, which must not be, shows both.
std::string Say(const Outcome& outcome);
// "lancha A9>, fragata C3v": to the right, down.
std::string Say(const Fleet& fleet);
std::string Say(const PlayerView& player);
// All of it, one line a player.
std::string Say(const View& view);

}  // namespace naval::oracle
