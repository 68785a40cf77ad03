#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/rules/command.h"
#include "lib/rules/event.h"
#include "lib/rules/game.h"
#include "lib/rules/seat.h"
#include "lib/rules/view.h"
#include "naval/match/log/v1/log.pb.h"
#include "naval/match/log/v1/snapshot.pb.h"
#include "naval/match/v1/match.pb.h"
#include "services/match/match_store.h"
#include "services/match/sealed_row.h"

namespace naval::match {

// How many drafts a seat may store in one match; honest players need a few dozen.
inline constexpr int kMaxDrafts = 200;

// Of how many of its last rows a live match has the events at hand: what a stream missed that was
// away for a minute. When it has the most, it lets go of all but the least. One that was just read
// from its snapshot may have none.
inline constexpr std::size_t kMostRowsAtHand = 12;
inline constexpr std::size_t kLeastRowsAtHand = 6;

// The log keeps microseconds, and a match must be the same before and after it was read from there.
absl::Time ToMicroseconds(absl::Time time);

// A command, who sent it and on what condition.
struct Request {
  rules::Command command;
  // The three of a player's command; unset and empty for what a clock, a bot or the service itself
  // sends.
  std::optional<rules::Seat> seat = std::nullopt;
  std::string request_id = {};
  std::string request_digest = {};
  // What the sender's last number must be when the command is decided; unset: any.
  std::optional<int64_t> expected_seq = std::nullopt;
};

// A match in memory: what was fixed when it was created, the game, and the log that it is the fold
// of; of the log's first rows perhaps only what came of them. It changes by Apply alone, so that
// what is in memory is what was committed. Knows no queue, no clock, no thread and no store. Not
// thread safe; const calls may run in parallel.
class RecordedMatch {
 public:
  // A match without a first row. INVALID_ARGUMENT: UNKNOWN_RULE_SET, OPTION_NOT_OFFERED,
  // INVALID_PACE, UNKNOWN_BOT.
  static absl::StatusOr<RecordedMatch> New(std::string match_id, log::v1::MatchCreated created);

  // A match as it was stored, with the rows that were read at hand. DATA_LOSS, reason
  // MATCH_DAMAGED, when it cannot be read; where it was sealed with a key that `sealer` lacks, the
  // message names the key.
  static absl::StatusOr<RecordedMatch> FromStored(const StoredMatch& stored,
                                                  const auth::Sealer& sealer);

  const std::string& match_id() const { return match_id_; }
  // Made anew with every call.
  log::v1::MatchCreated created() const;
  const rules::Game& game() const { return game_; }
  bool over() const { return game_.phase() == rules::Phase::kOver; }
  // Number and time of the last row, 0 and infinite past before the first.
  int64_t head_seq() const { return static_cast<int64_t>(requests_.size()); }
  absl::Time last_event_time() const { return last_event_time_; }

  // The seat of an account, nullopt when it does not play.
  std::optional<rules::Seat> SeatOf(absl::string_view account_id) const;

  // The eyes that an account has on this match, nullopt when it may not know of it.
  std::optional<rules::Viewer> ViewerOf(absl::string_view account_id) const;

  // The bot's id at a seat, empty for a person.
  std::string BotAt(rules::Seat seat) const;

  // The first entry. Requires head_seq() == 0. Changes nothing.
  Entry Start(absl::Time now) const;

  // The entry that the request leads to, nullopt when it has no effect (a clock that has not
  // ended), or the refusal: those of rules::Game; RESOURCE_EXHAUSTED, reason TOO_MANY_DRAFTS;
  // ABORTED, reason STALE_SEQ, when the sender's last number is not request.expected_seq. `now` is
  // to the microsecond and not before last_event_time(). Changes nothing.
  absl::StatusOr<std::optional<Entry>> Decide(const Request& request, absl::Time now,
                                              rules::Chance chance) const;

  // Takes an entry that was committed: that of Start or of the last Decide.
  void Apply(const Entry& entry);

  // What the match has come to, to begin with in place of the rows so far. Requires a match that
  // has begun and is not over.
  log::v1::MatchSnapshot TakeSnapshot() const;

  // Lets go of the events of rows that are not to be at hand any more (kMostRowsAtHand).
  void LetGoOfRows();
  // Whether the row's events are at hand.
  bool HasRow(int64_t row_seq) const { return row_seq > gone_rows_; }
  // Whether all events are at hand that come after this number of the viewer.
  bool HasEventsAfter(int64_t after_seq, rules::Viewer viewer) const;

  // The number of the row that recorded this request of this seat, nullopt when there is none.
  // INVALID_ARGUMENT, reason REQUEST_ID_REUSED, when the id was used with another content;
  // only a match that has the row can tell.
  absl::StatusOr<std::optional<int64_t>> FindRequest(rules::Seat seat,
                                                     const std::string& request_id,
                                                     const std::string& request_digest) const;

  // The events of one row as the viewer sees them. Requires HasRow.
  std::vector<v1::MatchEvent> EventsOf(int64_t row_seq, rules::Viewer viewer) const;

  // The same for the last row, of which the entry is at hand.
  std::vector<v1::MatchEvent> LastEvents(const Entry& entry, rules::Viewer viewer) const;

  // The number of the viewer's last event.
  int64_t LastSeq(rules::Viewer viewer) const;

  // Up to `limit` events after the viewer's number `after_seq`, which is at most LastSeq. Requires
  // HasEventsAfter.
  std::vector<v1::MatchEvent> EventsAfter(int64_t after_seq, rules::Viewer viewer,
                                          std::size_t limit) const;

  // The whole match as the viewer may see it.
  v1::Match ViewFor(rules::Viewer viewer, absl::Time now) const;

 private:
  // A row, but for its request and its events. Small, for a process holds millions.
  struct Row {
    int64_t event_micros = 0;
    // Hash of the digest of the request that was the command.
    uint64_t digest = 0;
    // Where the events end in bodies_; they begin where those of the row before end.
    uint32_t body_end = 0;
    // How many of the events each viewer sees.
    std::array<uint8_t, 3> seen = {0, 0, 0};
  };

  RecordedMatch(std::string match_id, const log::v1::MatchCreated& created,
                rules::GameSettings settings);

  // Goes on from a snapshot.
  absl::Status Begin(const Snapshot& snapshot, const auth::Sealer& sealer);
  // The next row of the log as it was stored.
  absl::Status Take(const LogRow& row, const auth::Sealer& sealer);
  // As Apply; false, and the match is of no use any more, when the entry cannot follow the log.
  bool TryApply(const Entry& entry);
  absl::Status CheckExpectedSeq(const Request& request) const;
  Entry NewEntry(const Request& request, std::vector<rules::Event> events, absl::Time now) const;
  void AddRow(const Entry& entry, const std::array<uint8_t, 3>& seen);
  // In rows_. Requires HasRow.
  std::size_t IndexOf(int64_t row_seq) const {
    return static_cast<std::size_t>(row_seq - gone_rows_ - 1);
  }
  // As EventsOf, for the row at `index`, whose first event has this number for the viewer.
  std::vector<v1::MatchEvent> EventsAt(std::size_t index, int64_t first_seq,
                                       rules::Viewer viewer) const;
  // Those of these events that the viewer sees, numbered from `first_seq` on.
  std::vector<v1::MatchEvent> Tell(const std::vector<rules::Event>& events, absl::Time event_time,
                                   int64_t first_seq, rules::Viewer viewer) const;

  std::string match_id_;
  // A serialized log.v1.MatchCreated: a third of what it takes otherwise.
  std::string created_;
  rules::Game game_;
  absl::Time last_event_time_ = absl::InfinitePast();
  // How many rows come before the first one at hand, and how many events of theirs each viewer saw.
  int64_t gone_rows_ = 0;
  std::array<int64_t, 3> gone_events_ = {0, 0, 0};
  std::vector<Row> rows_;
  // The events of these rows, as wire::SerializeLogEntry writes them: a fifth of what they take
  // otherwise.
  std::vector<char> bodies_;
  // For each row of the whole log a hash of seat and id of the request that was the command, 0
  // without one. The few hundred requests of a match do not meet in 64 bits by chance, and who
  // makes his own meet fools nobody else.
  std::vector<uint64_t> requests_;
  std::array<int64_t, 3> last_seq_ = {0, 0, 0};
  // How many drafts each seat stored.
  std::array<int, 2> drafts_ = {0, 0};
};

}  // namespace naval::match
