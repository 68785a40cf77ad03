#include "tests/capacity/stored_matches.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/types/span.h"
#include "lib/base/clock.h"
#include "lib/base/ids.h"
#include "lib/base/random.h"
#include "lib/base/status_macros.h"
#include "lib/bots/bot.h"
#include "lib/postgres/value.h"
#include "lib/rules/command.h"
#include "lib/rules/game.h"
#include "lib/rules/view.h"
#include "services/match/live_match.h"
#include "services/match/pg_match_store.h"
#include "services/match/recorded_match.h"
#include "services/match/sealed_snapshot.h"

namespace naval::capacity {
namespace {

using match::Entry;
using match::RecordedMatch;
using match::Request;
using postgres::Array;
using postgres::Bytes;
using postgres::Param;
using postgres::Transaction;

// Between two commands of a match.
constexpr absl::Duration kThinkTime = absl::Seconds(3);

// Rows of one statement.
constexpr std::size_t kBatch = 4000;

std::string RandomBytes(base::Random& random, std::size_t size) {
  std::string bytes(size, '\0');
  random.Fill({reinterpret_cast<uint8_t*>(bytes.data()), size});
  return bytes;
}

rules::Command NextCommand(const rules::Game& game, rules::Seat seat, const bots::Bot& bot,
                           base::Random& random) {
  if (game.phase() == rules::Phase::kPlacement) {
    if (game.fleet(seat).empty()) return rules::ProposeFleet{seat, {}};
    return rules::ConfirmFleet{seat, game.fleet(seat)};
  }
  const rules::GameView view = rules::ViewOf(game, rules::ViewerAt(seat));
  const rules::SquareSet shots = bot.ChooseShots(view, random);
  return rules::FireShots{seat, {shots.begin(), shots.end()}, view.round};
}

// Plays until the match is over or has so many rows.
absl::StatusOr<PlayedMatch> PlayFrom(const match::log::v1::MatchCreated& created, uint64_t seed,
                                     std::size_t max_rows, absl::Time start_time) {
  base::SystemClock clock;
  base::SeededRandom random(seed);
  NAVAL_ASSIGN_OR_RETURN(const std::unique_ptr<bots::Bot> bot, bots::MakeBot("as"));
  NAVAL_ASSIGN_OR_RETURN(RecordedMatch match,
                         RecordedMatch::New(base::NewId(clock, random), created));
  PlayedMatch played{.created = created.SerializeAsString(),
                     .rules = match.game().settings().rules};
  absl::Time now = match::ToMicroseconds(start_time);
  played.entries.push_back(match.Start(now));
  match.Apply(played.entries.back());
  while (!match.over() && played.entries.size() < max_rows) {
    now += kThinkTime;
    const rules::Seat seat =
        match.game().Awaits(rules::Seat::kFirst) ? rules::Seat::kFirst : rules::Seat::kSecond;
    const Request request{.command = NextCommand(match.game(), seat, *bot, random),
                          .seat = seat,
                          .request_id = base::NewId(clock, random),
                          .request_digest = RandomBytes(random, 32)};
    NAVAL_ASSIGN_OR_RETURN(const std::optional<Entry> entry,
                           match.Decide(request, now, {random, random}));
    played.entries.push_back(entry.value());
    match.Apply(played.entries.back());
  }
  played.deadline = match.game().NextDeadline();
  return played;
}

absl::Status InsertHeads(Transaction& tx, absl::Span<const StoredCopy> copies) {
  Array match_ids, created, heads, deadlines, create_times, update_times;
  for (const StoredCopy& copy : copies) {
    match_ids.Add(copy.match_id);
    created.Add(Bytes{copy.played->created});
    heads.Add(copy.played->entries.size());
    deadlines.Add(copy.played->deadline);
    create_times.Add(copy.played->entries.front().event_time);
    update_times.Add(copy.played->entries.back().event_time);
  }
  return tx
      .Execute(
          "INSERT INTO match.match"
          " (match_id, created, head_seq, deadline, create_time, update_time)"
          " SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::bigint[], $4::timestamptz[],"
          "   $5::timestamptz[], $6::timestamptz[])",
          {match_ids, created, heads, deadlines, create_times, update_times})
      .status();
}

struct Row {
  const StoredCopy* copy;
  const Entry* entry;
};

absl::Status InsertRows(Transaction& tx, const auth::Sealer& sealer, const std::vector<Row>& rows,
                        base::Random& random) {
  Array match_ids, seqs, seats, request_ids, event_times, bodies;
  for (const Row& row : rows) {
    const match::LogRow sealed =
        match::SealRow(row.copy->match_id, *row.copy->played->rules, *row.entry, sealer, random);
    match_ids.Add(row.copy->match_id);
    seqs.Add(sealed.seq);
    seats.Add(sealed.seat.has_value() ? Param(rules::SeatIndex(*sealed.seat))
                                      : Param(std::nullopt));
    request_ids.Add(sealed.request_id.empty() ? Param(std::nullopt) : Param(sealed.request_id));
    event_times.Add(sealed.event_time);
    bodies.Add(Bytes{sealed.body});
  }
  return tx
      .Execute(
          "INSERT INTO match.match_log (match_id, seq, seat, request_id, event_time, body)"
          " SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::uuid[],"
          "   $5::timestamptz[], $6::bytea[])",
          {match_ids, seqs, seats, request_ids, event_times, bodies})
      .status();
}

// The rows of all matches, the oldest first: a match with fewer rows began later.
absl::Status InsertLogs(postgres::Pool& pool, const auth::Sealer& sealer,
                        const std::vector<StoredCopy>& copies, base::Random& random) {
  std::size_t longest = 0;
  for (const StoredCopy& copy : copies) longest = std::max(longest, copy.played->entries.size());
  std::vector<Row> rows;
  const auto flush = [&] {
    absl::Status status =
        pool.Transact([&](Transaction& tx) { return InsertRows(tx, sealer, rows, random); });
    rows.clear();
    return status;
  };
  for (std::size_t age = longest; age > 0; --age) {
    for (const StoredCopy& copy : copies) {
      const std::vector<Entry>& entries = copy.played->entries;
      if (entries.size() < age) continue;
      rows.push_back({&copy, &entries[entries.size() - age]});
      if (rows.size() == kBatch) NAVAL_RETURN_IF_ERROR(flush());
    }
  }
  return flush();
}

// As the match came to be by its last row that a snapshot is taken after; nullopt before the first.
absl::StatusOr<std::optional<RecordedMatch>> LastSnapshotOf(const StoredCopy& copy) {
  const std::size_t rows_per_snapshot = match::kRowsPerSnapshot;
  const std::vector<Entry>& entries = copy.played->entries;
  const std::size_t rows = entries.size() - entries.size() % rows_per_snapshot;
  if (rows == 0) return std::nullopt;
  match::log::v1::MatchCreated created;
  created.ParseFromString(copy.played->created);
  NAVAL_ASSIGN_OR_RETURN(RecordedMatch match,
                         RecordedMatch::New(copy.match_id, std::move(created)));
  for (std::size_t i = 0; i < rows; ++i) match.Apply(entries[i]);
  return match;
}

absl::Status InsertSnapshots(postgres::Pool& pool, const auth::Sealer& sealer,
                             const std::vector<StoredCopy>& copies, base::Random& random) {
  match::PgMatchStore store(pool);
  std::vector<match::Snapshot> snapshots;
  for (const StoredCopy& copy : copies) {
    NAVAL_ASSIGN_OR_RETURN(const std::optional<RecordedMatch> match, LastSnapshotOf(copy));
    if (match.has_value()) snapshots.push_back(match::SealSnapshot(*match, sealer, random));
    if (snapshots.size() < kBatch && &copy != &copies.back()) continue;
    NAVAL_RETURN_IF_ERROR(store.KeepSnapshots(snapshots));
    snapshots.clear();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PlayedMatch> Play(const match::log::v1::MatchCreated& created, uint64_t seed,
                                 std::optional<int> max_rows, absl::Time end_time) {
  std::size_t rows = static_cast<std::size_t>(max_rows.value_or(0));
  if (!max_rows.has_value()) {
    // The same match, to its end.
    NAVAL_ASSIGN_OR_RETURN(
        const PlayedMatch whole,
        PlayFrom(created, seed, std::numeric_limits<std::size_t>::max(), end_time));
    base::SeededRandom random(seed);
    rows = 1 + random.Uniform(whole.entries.size() - 1);
  }
  return PlayFrom(created, seed, rows, end_time - kThinkTime * (static_cast<double>(rows) - 1));
}

absl::StatusOr<std::vector<StoredCopy>> Store(postgres::Pool& pool, const auth::Sealer& sealer,
                                              const std::vector<PlayedMatch>& played, int count) {
  base::SystemClock clock;
  base::SecureRandom random;
  std::vector<StoredCopy> copies;
  for (int i = 0; i < count; ++i) {
    copies.push_back({.match_id = base::NewId(clock, random),
                      .played = &played[static_cast<std::size_t>(i) % played.size()]});
  }
  for (std::size_t begin = 0; begin < copies.size(); begin += kBatch) {
    NAVAL_RETURN_IF_ERROR(pool.Transact([&](Transaction& tx) {
      return InsertHeads(tx, absl::MakeConstSpan(copies).subspan(begin, kBatch));
    }));
  }
  NAVAL_RETURN_IF_ERROR(InsertLogs(pool, sealer, copies, random));
  NAVAL_RETURN_IF_ERROR(InsertSnapshots(pool, sealer, copies, random));
  return copies;
}

absl::Status LeaveTo(postgres::Pool& pool, absl::string_view owner, absl::Time time) {
  return pool.Transact([&](Transaction& tx) {
    return tx
        .Execute("UPDATE match.partition_lease SET owner = $1, epoch = epoch + 1, renew_time = $2",
                 {owner, time})
        .status();
  });
}

}  // namespace naval::capacity
