#include "tools/load/history.h"

#include <algorithm>
#include <utility>

#include "tools/client/match_state.h"

namespace naval::load {
namespace {

namespace v1 = match::v1;

std::map<std::string, int64_t> Count(absl::Span<const std::string> shots) {
  std::map<std::string, int64_t> counts;
  for (const std::string& shot : shots) ++counts[shot];
  return counts;
}

// By how much `more` holds things more often than `less`.
int64_t Excess(const std::map<std::string, int64_t>& more,
               const std::map<std::string, int64_t>& less) {
  int64_t excess = 0;
  for (const auto& [shot, count] : more) {
    const auto it = less.find(shot);
    excess += std::max<int64_t>(count - (it == less.end() ? 0 : it->second), 0);
  }
  return excess;
}

}  // namespace

Faults& Faults::operator+=(const Faults& other) {
  lost += other.lost;
  doubled += other.doubled;
  reordered += other.reordered;
  differing += other.differing;
  return *this;
}

void History::Begin(const v1::Match& snapshot) {
  state_ = snapshot;
  first_seq_ = told_seq_ = snapshot.seq();
}

bool History::Tell(const v1::MatchEvent& event) {
  if (event.seq() <= told_seq_) {
    ++faults_.doubled;
    return false;
  }
  if (event.seq() > told_seq_ + 1) {
    early_.emplace(event.seq(), event);
    return false;
  }
  // What came before it should have come after it.
  if (!early_.empty()) ++faults_.reordered;
  Accept(event);
  while (!early_.empty() && early_.begin()->first == told_seq_ + 1) {
    Accept(early_.extract(early_.begin()).mapped());
  }
  return true;
}

bool History::TellLast(int64_t last_seq) {
  if (last_seq <= told_seq_) return true;
  faults_.lost += last_seq - told_seq_ - static_cast<int64_t>(early_.size());
  early_.clear();
  return false;
}

void History::EndStream() {
  if (!early_.empty()) TellLast(early_.rbegin()->first);
}

void History::LoseAll() {
  faults_.lost += std::max<int64_t>(told_seq_ - first_seq_, 1);
  const Faults faults = faults_;
  *this = History();
  faults_ = faults;
}

void History::Acknowledge(const Events& events) {
  if (!begun()) return;
  for (const v1::MatchEvent& event : events) {
    if (event.seq() > told_seq_) {
      answered_.emplace(event.seq(), event.SerializeAsString());
    } else if (event.seq() > first_seq_) {
      const std::string& told = told_[static_cast<std::size_t>(event.seq() - first_seq_ - 1)];
      if (told != event.SerializeAsString()) ++faults_.differing;
    }
    Apply(event);
  }
}

void History::Compare(const v1::Match& shown) {
  v1::Match expected = *state_;
  v1::Match other = shown;
  expected.clear_server_time();
  other.clear_server_time();
  if (other.SerializeAsString() != expected.SerializeAsString()) ++faults_.differing;
  // Acknowledged, and never told.
  faults_.lost += static_cast<int64_t>(answered_.size());
}

bool History::told_end() const {
  return state_->phase() == v1::PHASE_OVER && state_->seq() == told_seq_;
}

const std::vector<std::string>& History::shots(v1::Seat seat) const {
  return shots_[seat == v1::SEAT_SECOND ? 1 : 0];
}

// Takes the event that was due from the stream.
void History::Accept(const v1::MatchEvent& event) {
  told_seq_ = event.seq();
  told_.push_back(event.SerializeAsString());
  if (const auto answered = answered_.find(told_seq_); answered != answered_.end()) {
    if (answered->second != told_.back()) ++faults_.differing;
    answered_.erase(answered);
  }
  if (event.has_shot_fired() && !event.shot_fired().by_clock()) {
    shots_[event.shot_fired().seat() == v1::SEAT_SECOND ? 1 : 0].push_back(
        event.shot_fired().square());
  }
  if (event.has_volley_fired() && !event.volley_fired().by_clock()) {
    shots_[event.volley_fired().seat() == v1::SEAT_SECOND ? 1 : 0].emplace_back("volley");
  }
  Apply(event);
}

void History::Apply(const v1::MatchEvent& event) {
  if (event.seq() <= state_->seq()) return;
  waiting_.emplace(event.seq(), event);
  while (!waiting_.empty() && waiting_.begin()->first == state_->seq() + 1) {
    const v1::MatchEvent next = waiting_.extract(waiting_.begin()).mapped();
    if (client::ApplyEvent(next, *state_).ok()) continue;
    // An event of an unknown kind: the rest cannot be followed, but the numbers can.
    ++faults_.differing;
    state_->set_seq(next.seq());
  }
}

Faults CompareShots(absl::Span<const std::string> sent, absl::Span<const std::string> acknowledged,
                    absl::Span<const std::string> told) {
  Faults faults;
  const auto told_counts = Count(told);
  const auto acknowledged_counts = Count(acknowledged);
  faults.lost = Excess(acknowledged_counts, told_counts);
  faults.doubled = Excess(told_counts, Count(sent));
  if (told_counts == acknowledged_counts &&
      !std::equal(told.begin(), told.end(), acknowledged.begin())) {
    faults.reordered = 1;
  }
  return faults;
}

}  // namespace naval::load
