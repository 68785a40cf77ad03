#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace naval::rules {

// Plays a transcript: one command a line, the outcome that the rules want last. Returns a line
// "PATH:LINE: ..." for everything that came out otherwise or cannot be read; none when all is as
// written.
//
//   # T-10 a head               begins a block; a block plays matches of its own
//   rules RULES OPTIONS         the fleets named from here on are laid by these; tablu at first
//   fleet NAME = SHIPS          names a fleet: lancha A1 right, fragata J1 down
//   match RULES STARTER OPTIONS begins a match at 0s; STARTER is first, second or drawn
//   battle RULES STARTER FLEET FLEET OPTIONS
//                               the same, and both seats confirm at once; the outcome is the last
//                               event
//   place | propose | confirm SEAT FLEET
//   fire SEAT SQUARES           a volley is for the round that is due, or for round N where
//   fire SEAT round N SQUARES   that stands before its squares
//   resign SEAT                 claim SEAT
//   abort                       resume
//   wait DURATION               time passes, then the clock ticks
//   pass DURATION               time passes unnoticed; the outcome is the time
//   hear VIEWER                 what that viewer (first, second, spectator) heard of the last
//                               command
//   see VIEWER WHAT             what that viewer's view shows: see words.h
//   see VIEWER WHAT of SEAT
//
// FLEET is a name, ships, or none. OPTIONS are those of RulesChoice, a pace by its name. The
// outcome follows " -> "; a line that begins with blanks continues the one before; "*" in an
// outcome stands for anything.
std::vector<std::string> PlayTranscript(absl::string_view path, absl::string_view text);

}  // namespace naval::rules
