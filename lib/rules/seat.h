#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace naval::rules {

// A side of the match. The first seat is that of the table's creator.
enum class Seat : std::uint8_t { kFirst, kSecond };

inline constexpr Seat kSeats[] = {Seat::kFirst, Seat::kSecond};

constexpr Seat Rival(Seat seat) { return seat == Seat::kFirst ? Seat::kSecond : Seat::kFirst; }

// 0 or 1.
constexpr int SeatIndex(Seat seat) { return static_cast<int>(seat); }

// The seat's own of two things that stand in the order of the seats.
template <typename Array>
constexpr auto& OfSeat(Array& things, Seat seat) {
  return things[static_cast<std::size_t>(seat)];
}

// "first" or "second".
constexpr absl::string_view SeatName(Seat seat) {
  return seat == Seat::kFirst ? "first" : "second";
}

}  // namespace naval::rules
