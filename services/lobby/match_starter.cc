#include "services/lobby/match_starter.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/log.h"
#include "lib/server/channel.h"
#include "lib/server/grpc_status.h"
#include "lib/wire/rules_wire.h"

namespace naval::lobby {
namespace {

constexpr absl::Duration kCallTimeout = absl::Seconds(3);
constexpr absl::Duration kLoopPause = absl::Milliseconds(250);
// Calls at once. A match service that hangs holds each for kCallTimeout.
constexpr size_t kMaxAttempts = 256;
// Tables that one round of the loop takes.
constexpr int kMaxDueStarts = 64;

match::v1::CreateMatchRequest RequestFor(const Table& table) {
  match::v1::CreateMatchRequest request;
  request.set_match_id(table.match_id.value_or(""));
  request.set_table_id(table.table_id);
  *request.mutable_rules() = wire::ToProto(table.rules);
  match::v1::Player* first = request.add_players();
  first->set_account_id(table.creator.account_id);
  first->set_handle(table.creator.handle);
  match::v1::Player* second = request.add_players();
  if (table.rival) {
    second->set_account_id(table.rival->account_id);
    second->set_handle(table.rival->handle);
  } else {
    second->set_bot(table.bot.value_or(""));
    second->set_handle(table.bot.value_or(""));
  }
  request.set_rated(table.rated);
  request.set_spectators_allowed(table.kind == TableKind::kPublic);
  return request;
}

// Whether the match service may just be away.
bool IsAway(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsCancelled(status);
}

}  // namespace

struct MatchStarter::Attempt {
  Table table;
  Done done;
  std::unique_ptr<grpc::ClientContext> context;
  match::v1::CreateMatchRequest request;
  match::v1::CreateMatchResponse response;
};

MatchStarter::MatchStarter(std::shared_ptr<grpc::Channel> channel,
                           const base::Secret& service_token, TableStore& store,
                           base::Executor& executor, base::Clock& clock, LobbyObserver& observer)
    : stub_(match::v1::MatchInternalService::NewStub(std::move(channel))),
      service_token_(service_token),
      store_(store),
      executor_(executor),
      clock_(clock),
      observer_(observer),
      loop_(clock, kLoopPause, [this] { StartDue(); }) {}

MatchStarter::~MatchStarter() { Stop(); }

void MatchStarter::Start(const Table& table, Done done) {
  auto attempt = std::make_shared<Attempt>();
  attempt->table = table;
  attempt->done = std::move(done);
  attempt->context = server::NewClientContext(service_token_, kCallTimeout);
  attempt->request = RequestFor(table);
  if (!Register(attempt)) return attempt->done(table);

  stub_->async()->CreateMatch(attempt->context.get(), &attempt->request, &attempt->response,
                              [this, attempt](const grpc::Status& answer) {
                                const absl::Status submitted =
                                    executor_.Submit([this, attempt, answer] {
                                      Finish(*attempt, Record(attempt->table, answer));
                                    });
                                if (!submitted.ok()) Finish(*attempt, attempt->table);
                              });
}

bool MatchStarter::Register(const std::shared_ptr<Attempt>& attempt) {
  base::MutexLock lock(mutex_);
  if (drained_ || attempts_.size() >= kMaxAttempts) return false;
  return attempts_.try_emplace(attempt->table.table_id, attempt).second;
}

void MatchStarter::Finish(Attempt& attempt, const Table& table) {
  attempt.done(table);
  base::MutexLock lock(mutex_);
  attempts_.erase(attempt.table.table_id);
  changed_.NotifyAll();
}

Table MatchStarter::Record(const Table& table, const grpc::Status& answer) {
  const absl::Status status = server::FromGrpcStatus(answer);
  observer_.MatchAsked(status);
  {
    base::MutexLock lock(mutex_);
    last_answer_ = status;
  }
  absl::StatusOr<Table> recorded = table;
  if (status.ok() || absl::IsAlreadyExists(status)) {
    // The id is this table's alone, so a match that exists already is its match, from an earlier
    // call whose answer was lost. Its content differs when a handle has changed since.
    recorded = store_.MarkPlaying(table);
  } else if (absl::IsInvalidArgument(status)) {
    base::Log(base::LogLevel::kError, "match_refused",
              {{"table_id", table.table_id}, {"match_id", *table.match_id}, {"status", status}});
    recorded = store_.MarkRefused(table);
  } else if (!IsAway(status)) {
    base::Log(base::LogLevel::kError, "match_not_started",
              {{"table_id", table.table_id}, {"match_id", *table.match_id}, {"status", status}});
  }
  if (recorded.ok()) return *std::move(recorded);
  base::Log(base::LogLevel::kWarning, "match_start_not_recorded",
            {{"table_id", table.table_id}, {"status", recorded.status()}});
  return table;
}

void MatchStarter::StartDue() {
  const absl::StatusOr<std::vector<Table>> due = store_.ClaimDueStarts(kMaxDueStarts, clock_.Now());
  if (!due.ok()) {
    base::Log(base::LogLevel::kWarning, "due_starts_not_read", {{"status", due.status()}});
    return;
  }
  if (due->empty()) return;
  base::Log(base::LogLevel::kWarning, "matches_wait_to_be_started",
            {{"tables", due->size()}, {"status", LastAnswer()}});
  for (const Table& table : *due) Start(table, [](const Table&) {});
}

absl::Status MatchStarter::LastAnswer() {
  base::MutexLock lock(mutex_);
  return last_answer_;
}

void MatchStarter::Drain() {
  base::MutexLock lock(mutex_);
  drained_ = true;
  for (const auto& [table_id, attempt] : attempts_) attempt->context->TryCancel();
}

void MatchStarter::Stop() {
  Drain();
  loop_.Stop();
  base::MutexLock lock(mutex_);
  while (!attempts_.empty()) changed_.Wait(mutex_);
}

}  // namespace naval::lobby
