#include "tests/chaos/checks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/auth/sealer.h"
#include "lib/auth/secret_file.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/pool.h"
#include "lib/rules/view.h"
#include "lib/wire/time_wire.h"
#include "services/match/partition.h"
#include "services/match/pg_match_store.h"
#include "services/match/recorded_match.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wait_for.h"

namespace naval::chaos {
namespace {

namespace v1 = match::v1;
using match::RecordedMatch;
using match::StoredMatch;
using postgres::Transaction;

constexpr char kLostCommand[] = "acknowledged commands lost";
constexpr char kTwiceCommand[] = "commands applied twice";
constexpr char kOtherAnswer[] = "answers that the log contradicts";
constexpr char kOtherEvent[] = "events of streams that the log contradicts";
constexpr char kStuck[] = "matches stuck";
constexpr char kAborted[] = "matches aborted";
constexpr char kUnreadable[] = "matches unreadable";
constexpr char kStaleRow[] = "stale commits: rows of a process that was not the owner";
constexpr char kEarly[] = "clocks that ended early";
constexpr char kLate[] = "clocks that ended more than 1 s late while all was well";
constexpr char kOwnerless[] = "clocks that ended with time counted in which nobody owned the match";
constexpr char kResultMissing[] = "results that ranking does not have";
constexpr char kResultUnapplied[] = "rated results not applied";
constexpr char kResultTwice[] = "ratings that do not add up from their results";
constexpr char kResultChain[] = "results applied out of order, or to another rating";

// A clock ends that much after its time at most, while all is well.
constexpr absl::Duration kMostLate = absl::Seconds(1);

// After a fault all is not well at once: matches are read, connections made.
constexpr absl::Duration kAftermath = absl::Seconds(3);

// When a fault is noted and when it was done are not the same moment.
constexpr absl::Duration kImprecision = absl::Milliseconds(300);

// How long the results may take that wait for their next try, see services/match/outbox.h.
constexpr absl::Duration kResultsLimit = absl::Seconds(90);

// Matches read at once.
constexpr std::size_t kBatch = 100;

constexpr char kAudit[] = R"(
CREATE SCHEMA chaos;
CREATE TABLE chaos.stale_row (match_id uuid, seq bigint, writer text, owner text);
CREATE TABLE chaos.tenure (partition integer, owner text, begin_time timestamptz);
INSERT INTO chaos.tenure SELECT partition, owner, clock_timestamp() FROM match.partition_lease;

CREATE FUNCTION chaos.audit_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  writer text := coalesce(current_setting('naval.process', true), '');
  present text;
BEGIN
  SELECT coalesce(owner, '') INTO present FROM match.partition_lease
    WHERE partition = get_byte(uuid_send(NEW.match_id), 15) & 63;
  -- What was given back is its last owner's until another takes it.
  IF present NOT IN ('', writer) THEN
    INSERT INTO chaos.stale_row VALUES (NEW.match_id, NEW.seq, writer, present);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_audit AFTER INSERT ON match.match_log
  FOR EACH ROW EXECUTE FUNCTION chaos.audit_row();

CREATE FUNCTION chaos.audit_lease() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO chaos.tenure VALUES (NEW.partition, NEW.owner, clock_timestamp());
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_audit AFTER UPDATE ON match.partition_lease
  FOR EACH ROW WHEN (OLD.epoch <> NEW.epoch OR OLD.owner IS DISTINCT FROM NEW.owner)
  EXECUTE FUNCTION chaos.audit_lease();
)";

// How often ranking broke its promises.
constexpr std::pair<const char*, const char*> kRankingChecks[] = {
    {kResultMissing,
     "SELECT count(*) AS n FROM match.match m WHERE over"
     " AND NOT EXISTS (SELECT FROM ranking.result r WHERE r.match_id = m.match_id)"},
    {kResultUnapplied,
     "SELECT count(*) AS n FROM ranking.result"
     " WHERE rated AND winner IS NOT NULL AND rating_change_number IS NULL"},
    {kResultTwice,
     "WITH played AS ("
     "  SELECT rule_set, first_account_id AS account_id, winner = 0 AS won FROM ranking.result"
     "    WHERE rating_change_number IS NOT NULL"
     "  UNION ALL SELECT rule_set, second_account_id, winner = 1 FROM ranking.result"
     "    WHERE rating_change_number IS NOT NULL"
     "), total AS ("
     "  SELECT rule_set, account_id, count(*) FILTER (WHERE won) AS wins,"
     "    count(*) FILTER (WHERE NOT won) AS losses FROM played GROUP BY rule_set, account_id"
     ") SELECT count(*) AS n FROM total FULL JOIN ranking.rating r USING (rule_set, account_id)"
     " WHERE total.wins IS DISTINCT FROM r.wins OR total.losses IS DISTINCT FROM r.losses"},
    {kResultChain,
     "WITH change AS ("
     "  SELECT rule_set, first_account_id AS account_id, rating_change_number AS number,"
     "    first_rating_before AS before, first_rating_after AS after FROM ranking.result"
     "    WHERE rating_change_number IS NOT NULL"
     "  UNION ALL SELECT rule_set, second_account_id, rating_change_number,"
     "    second_rating_before, second_rating_after FROM ranking.result"
     "    WHERE rating_change_number IS NOT NULL"
     "), step AS ("
     "  SELECT c.*, lag(after) OVER player AS earlier, lead(number) OVER player IS NULL AS last"
     "    FROM change c WINDOW player AS (PARTITION BY rule_set, account_id ORDER BY number)"
     ") SELECT count(*) AS n FROM step JOIN ranking.rating r USING (rule_set, account_id)"
     " WHERE (earlier IS NOT NULL AND earlier <> before) OR (last AND after <> r.rating)"},
};

absl::StatusOr<int64_t> Count(Transaction& transaction, const char* statement) {
  NAVAL_ASSIGN_OR_RETURN(const auto rows, transaction.Execute(statement));
  return rows[0].Get<int64_t>("n");
}

struct Span {
  absl::Time begin;
  absl::Time end;
};

absl::Duration Overlap(const Span& a, const Span& b) {
  return std::max(std::min(a.end, b.end) - std::max(a.begin, b.begin), absl::ZeroDuration());
}

// Who owned which partition when, and when its owner was not there.
class Tenures {
 public:
  void Add(int partition, std::string owner, absl::Time begin) {
    auto& tenures = tenures_[partition];
    if (!tenures.empty()) tenures.back().span.end = begin;
    tenures.push_back({std::move(owner), {begin, absl::InfiniteFuture()}});
  }

  // For how long within `span` the owner of the partition was dead, or halted past its lease. One
  // that came back began a new tenure then, or went on with the one it had.
  absl::Duration Ownerless(int partition, const Span& span,
                           const std::vector<Fault>& faults) const {
    absl::Duration ownerless;
    const auto it = tenures_.find(partition);
    if (it == tenures_.end()) return ownerless;
    for (const Tenure& tenure : it->second) {
      // Given back.
      if (tenure.owner.empty()) ownerless += Overlap(tenure.span, span);
      for (const Fault& fault : faults) {
        if (tenure.owner != testing::ProcessName(fault.service) || !TakesOwner(fault.kind))
          continue;
        if (fault.begin < tenure.span.begin) continue;
        const Span away = {fault.begin, std::min(fault.end, tenure.span.end)};
        ownerless += Overlap(away, span);
      }
    }
    return ownerless;
  }

 private:
  struct Tenure {
    std::string owner;
    Span span;
  };

  // Whether the process lost its matches by it, or would have.
  static bool TakesOwner(FaultKind kind) {
    return kind == FaultKind::kMatchKill || kind == FaultKind::kMatchGone ||
           kind == FaultKind::kMatchSleep;
  }

  std::map<int, std::vector<Tenure>> tenures_;
};

// The clock that an event sets, if it does.
std::optional<absl::Time> ClockSetBy(const v1::MatchEvent& event) {
  const google::protobuf::Timestamp* deadline = nullptr;
  if (event.has_placement_started()) deadline = &event.placement_started().deadline();
  if (event.has_shot_due()) deadline = &event.shot_due().deadline();
  if (event.has_volley_due()) deadline = &event.volley_due().deadline();
  if (event.has_clock_adjusted()) deadline = &event.clock_adjusted().deadline();
  if (deadline == nullptr || deadline->seconds() == 0) return std::nullopt;
  const auto time = wire::FromProto(*deadline, "deadline");
  return time.ok() ? std::optional(*time) : std::nullopt;
}

bool IsTimeout(const v1::MatchEvent& event) {
  return event.has_clock_ran_out() || event.fleet_confirmed().by_clock() ||
         event.match_ended().result().reason() == v1::END_REASON_TURN_SKIPPED ||
         event.match_ended().result().reason() == v1::END_REASON_TIMED_OUT;
}

class Checker {
 public:
  Checker(testing::Cluster& cluster, const std::vector<load::MatchRecord>& records,
          const std::vector<Fault>& faults, Findings& findings)
      : pool_(cluster.database().PoolOptions()),
        store_(pool_),
        key_(cluster.sealing_key()),
        faults_(faults),
        findings_(findings) {
    for (const load::MatchRecord& record : records) records_[record.match_id].push_back(&record);
    for (const char* const what : {kLostCommand, kTwiceCommand, kOtherAnswer, kOtherEvent, kStuck,
                                   kAborted, kUnreadable, kStaleRow, kEarly, kLate, kOwnerless}) {
      findings_.Look(what);
    }
  }

  absl::StatusOr<Checked> Run() {
    const std::string key_file = absl::StrCat(folder_.path(), "/sealing");
    NAVAL_RETURN_IF_ERROR(auth::WriteNewFile(key_file, key_, 0600));
    NAVAL_ASSIGN_OR_RETURN(const auth::Sealer sealer, auth::Sealer::FromFile(key_file));
    NAVAL_RETURN_IF_ERROR(ReadTables());
    for (std::size_t i = 0; i < match_ids_.size(); i += kBatch) {
      const std::vector<std::string> batch(
          match_ids_.begin() + static_cast<std::ptrdiff_t>(i),
          match_ids_.begin() +
              static_cast<std::ptrdiff_t>(std::min(i + kBatch, match_ids_.size())));
      NAVAL_ASSIGN_OR_RETURN(const auto stored, store_.Load(batch, match::LogPart::kAll));
      for (std::size_t n = 0; n < batch.size(); ++n) CheckMatch(batch[n], stored[n], sealer);
    }
    for (const auto& [match_id, records] : records_) findings_.Add(kLostCommand, match_id);
    return checked_;
  }

 private:
  absl::Status ReadTables() {
    return pool_.Transact([&](Transaction& tx) -> absl::Status {
      NAVAL_ASSIGN_OR_RETURN(const auto matches, tx.Execute("SELECT match_id FROM match.match"));
      for (const auto& row : matches) match_ids_.push_back(row.Get<std::string>("match_id"));
      NAVAL_ASSIGN_OR_RETURN(
          const auto tenures,
          tx.Execute("SELECT partition, coalesce(owner, '') AS owner, begin_time FROM chaos.tenure"
                     " ORDER BY partition, begin_time"));
      for (const auto& row : tenures) {
        tenures_.Add(row.Get<int32_t>("partition"), row.Get<std::string>("owner"),
                     row.Get<absl::Time>("begin_time"));
      }
      NAVAL_ASSIGN_OR_RETURN(
          const auto stale, tx.Execute("SELECT match_id, seq, writer, owner FROM chaos.stale_row"));
      for (const auto& row : stale) {
        findings_.Add(kStaleRow,
                      absl::StrCat(row.Get<std::string>("match_id"), " row ",
                                   row.Get<int64_t>("seq"), " by ", row.Get<std::string>("writer"),
                                   ", owned by ", row.Get<std::string>("owner")));
      }
      for (const auto& [what, statement] : kRankingChecks) {
        NAVAL_ASSIGN_OR_RETURN(const int64_t count, Count(tx, statement));
        findings_.Add(what, count);
      }
      NAVAL_ASSIGN_OR_RETURN(checked_.results,
                             Count(tx, "SELECT count(*) AS n FROM ranking.result"));
      return absl::OkStatus();
    });
  }

  void CheckMatch(const std::string& match_id, const absl::StatusOr<StoredMatch>& stored,
                  const auth::Sealer& sealer) {
    ++checked_.matches;
    const auto match = stored.ok() ? RecordedMatch::FromStored(*stored, sealer)
                                   : absl::StatusOr<RecordedMatch>(stored.status());
    if (!match.ok()) return findings_.Add(kUnreadable, std::string(match.status().message()));
    checked_.rows += match->head_seq();
    if (!match->over()) findings_.Add(kStuck, match_id);
    CheckClocks(*match);
    const auto records = records_.extract(match_id);
    if (records.empty()) return;
    for (const load::MatchRecord* const record : records.mapped()) {
      CheckRecord(*record, *stored, *match);
    }
  }

  // What the streams told is what the log says, all of it; and each answer is its row.
  void CheckRecord(const load::MatchRecord& record, const StoredMatch& stored,
                   const RecordedMatch& match) {
    ++checked_.histories;
    const auto seat = record.seat == 0 ? rules::Seat::kFirst : rules::Seat::kSecond;
    const rules::Viewer viewer = rules::ViewerAt(seat);
    const auto events = match.EventsAfter(record.first_seq, viewer, record.told.size() + 1);
    checked_.events += static_cast<int64_t>(record.told.size());
    bool same = events.size() == record.told.size();
    for (std::size_t i = 0; same && i < events.size(); ++i) {
      same = events[i].SerializeAsString() == record.told[i];
    }
    if (!same) findings_.Add(kOtherEvent, absl::StrCat(record.match_id, " seat ", record.seat));
    std::map<std::string, std::vector<int64_t>> rows;
    for (const match::LogRow& row : stored.rows) {
      if (row.seat == seat && !row.request_id.empty()) rows[row.request_id].push_back(row.seq);
    }
    for (const load::Answer& answer : record.answers) {
      CheckAnswer(record, answer, rows[answer.request_id], match, viewer);
    }
  }

  void CheckAnswer(const load::MatchRecord& record, const load::Answer& answer,
                   const std::vector<int64_t>& rows, const RecordedMatch& match,
                   rules::Viewer viewer) {
    ++checked_.answers;
    const std::string name = absl::StrCat(record.match_id, " request ", answer.request_id);
    if (rows.empty()) return findings_.Add(kLostCommand, name);
    if (rows.size() > 1) findings_.Add(kTwiceCommand, name);
    const auto events = match.EventsOf(rows.front(), viewer);
    bool same = events.size() == answer.events.size();
    for (std::size_t i = 0; same && i < events.size(); ++i) {
      same = events[i].SerializeAsString() == answer.events[i];
    }
    if (!same) findings_.Add(kOtherAnswer, name);
  }

  void CheckClocks(const RecordedMatch& match) {
    // Of the turn, and of the clock as it was set last.
    std::optional<Span> turn;
    std::optional<absl::Time> deadline;
    for (int64_t row = 1; row <= match.head_seq(); ++row) {
      const auto events = match.EventsOf(row, rules::Viewer::kSpectator);
      if (turn.has_value() && deadline.has_value() &&
          std::any_of(events.begin(), events.end(), IsTimeout)) {
        CheckTimeout(match, *turn, *deadline, TimeOf(events.front()));
      }
      for (const v1::MatchEvent& event : events) {
        if (event.match_ended().result().reason() == v1::END_REASON_ABORTED) {
          findings_.Add(kAborted, match.match_id());
        }
        const auto set = ClockSetBy(event);
        if (!set.has_value()) continue;
        deadline = set;
        if (!event.has_clock_adjusted()) turn = Span{TimeOf(event), *set};
      }
    }
  }

  void CheckTimeout(const RecordedMatch& match, const Span& turn, absl::Time deadline,
                    absl::Time ended) {
    ++checked_.timeouts;
    const std::string name = absl::StrCat(match.match_id(), " at ", absl::FormatTime(ended));
    if (ended < deadline) findings_.Add(kEarly, name);
    const absl::Duration late = ended - deadline;
    if (late > kMostLate && IsWell({deadline, ended})) {
      findings_.Add(kLate, absl::StrCat(name, ", late by ", absl::FormatDuration(late)));
    }
    const absl::Duration ownerless =
        tenures_.Ownerless(match::PartitionOf(match.match_id()), {turn.begin, ended}, faults_);
    const absl::Duration lived = ended - turn.begin - ownerless;
    const absl::Duration due = turn.end - turn.begin;
    if (lived < due - kImprecision) {
      findings_.Add(kOwnerless, absl::StrCat(name, ", lived ", absl::FormatDuration(lived), " of ",
                                             absl::FormatDuration(due)));
    }
  }

  bool IsWell(const Span& span) const {
    return std::none_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
      return fault.kind != FaultKind::kRankingKill && fault.begin <= span.end &&
             span.begin <= fault.end + kAftermath;
    });
  }

  static absl::Time TimeOf(const v1::MatchEvent& event) {
    return wire::FromProto(event.event_time(), "event_time").value_or(absl::InfinitePast());
  }

  postgres::Pool pool_;
  match::PgMatchStore store_;
  const std::string key_;
  testing::TemporaryFolder folder_;
  const std::vector<Fault>& faults_;
  Findings& findings_;
  std::map<std::string, std::vector<const load::MatchRecord*>> records_;
  std::vector<std::string> match_ids_;
  Tenures tenures_;
  Checked checked_;
};

}  // namespace

void Findings::Add(const std::string& what, const std::string& example) {
  ++counts_[what];
  examples_.emplace(what, example);
}

void Findings::Add(const std::string& what, int64_t count) { counts_[what] += count; }

bool Findings::none() const {
  return std::all_of(counts_.begin(), counts_.end(), [](const auto& c) { return c.second == 0; });
}

absl::Status Audit(testing::Cluster& cluster) {
  postgres::Pool pool(cluster.database().PoolOptions());
  return pool.Transact([](Transaction& transaction) { return transaction.ExecuteScript(kAudit); });
}

bool AwaitResults(testing::Cluster& cluster) {
  postgres::Pool pool(cluster.database().PoolOptions());
  return testing::WaitFor(
      [&] {
        const auto left = pool.Transact([](Transaction& transaction) {
          return Count(transaction,
                       "SELECT count(*) AS n FROM match.match_outbox"
                       " WHERE destination = 'ranking' AND delivered_time IS NULL");
        });
        return left.ok() && *left == 0;
      },
      kResultsLimit);
}

absl::StatusOr<Checked> Check(testing::Cluster& cluster,
                              const std::vector<load::MatchRecord>& records,
                              const std::vector<Fault>& faults, Findings& findings) {
  return Checker(cluster, records, faults, findings).Run();
}

}  // namespace naval::chaos
