#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "google/protobuf/repeated_field.h"
#include "naval/match/v1/match.pb.h"

namespace naval::load {

// How often the service broke its promises.
struct Faults {
  // Events that a stream left out, and acknowledged shots that are in no stream.
  int64_t lost = 0;
  // Events that a stream brought again, and shots that were fired more often than they were sent.
  int64_t doubled = 0;
  // Events that came after later ones, and shots in another order than they were acknowledged.
  int64_t reordered = 0;
  // Events that are one thing in an answer and another in the stream, and matches that GetMatch
  // shows otherwise than their events add up.
  int64_t differing = 0;

  bool operator==(const Faults&) const = default;
  Faults& operator+=(const Faults& other);
  bool none() const { return *this == Faults(); }
};

// Everything that one player was told of one match, and whether it fits together. The state is
// brought up by whatever tells of an event first, the stream or an answer; what is promised of the
// stream is checked of the stream alone. Pure; for one thread.
class History {
 public:
  using Events = google::protobuf::RepeatedPtrField<match::v1::MatchEvent>;

  // The whole state, with which a stream begins: once, before all else.
  void Begin(const match::v1::Match& snapshot);

  // The stream's next event. True when it was the one that was due.
  bool Tell(const match::v1::MatchEvent& event);

  // The stream claims to have brought everything up to `last_seq`. False when it has not: then go
  // on with another stream after told_seq().
  bool TellLast(int64_t last_seq);

  // The stream has ended. What it brought after a gap does not count: the next one, after
  // told_seq(), brings it again.
  void EndStream();

  // The server knows less than it has told: everything must begin anew, and counts as lost.
  void LoseAll();

  // The events of an answer, to whatever call. Before Begin nothing is known to hold them against.
  void Acknowledge(const Events& events);

  // The match as GetMatch shows it after its end.
  void Compare(const match::v1::Match& shown);

  bool begun() const { return state_.has_value(); }
  // False while an answer has told of more than the state can take, because the stream has yet to
  // tell what came before it.
  bool up_to_date() const { return waiting_.empty(); }
  // Requires begun().
  const match::v1::Match& state() const { return *state_; }
  // The number that the first stream began with.
  int64_t first_seq() const { return first_seq_; }
  // The stream's last event.
  int64_t told_seq() const { return told_seq_; }
  // What the stream told, from first_seq() + 1 on, as bytes.
  const std::vector<std::string>& told() const { return told_; }
  // Whether the stream has told of the end of the match. Requires begun().
  bool told_end() const;
  // The shots of a seat as the stream told them, without those that the clock fired: a square, or
  // "volley" for a whole one.
  const std::vector<std::string>& shots(match::v1::Seat seat) const;

  const Faults& faults() const { return faults_; }

 private:
  void Accept(const match::v1::MatchEvent& event);
  void Apply(const match::v1::MatchEvent& event);

  std::optional<match::v1::Match> state_;
  // Events that the state must wait for others to take.
  std::map<int64_t, match::v1::MatchEvent> waiting_;
  int64_t first_seq_ = 0;
  int64_t told_seq_ = 0;
  std::vector<std::string> told_;
  // What the stream brought too early.
  std::map<int64_t, match::v1::MatchEvent> early_;
  // What answers told and the stream has not yet, as bytes.
  std::map<int64_t, std::string> answered_;
  std::array<std::vector<std::string>, 2> shots_;
  Faults faults_;
};

// Compares the shots of one seat: those that it sent, those that were acknowledged (in that order)
// and those that a stream told.
Faults CompareShots(absl::Span<const std::string> sent, absl::Span<const std::string> acknowledged,
                    absl::Span<const std::string> told);

}  // namespace naval::load
