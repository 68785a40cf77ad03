#include "lib/postgres/pool.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/exception_status.h"

namespace naval::postgres {
namespace {

// An idle connection that does not even begin a transaction in this time is taken for dead.
constexpr absl::Duration kMaxBeginDuration = absl::Seconds(2);

// An attempt to connect that failed after this time failed because nobody answered.
constexpr absl::Duration kSilentDuration = absl::Seconds(1);

constexpr absl::Duration kSilencePause = absl::Seconds(1);

absl::Status PoolBusy() {
  return base::WithRetryDelay(base::Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY",
                                          "too many calls wait for the database; try again later"),
                              absl::Seconds(1));
}

}  // namespace

Pool::Pool(Options options) : options_(std::move(options)), watchdog_(clock_) {}

Pool::~Pool() = default;

absl::Status Pool::Run(CallKind kind, BodyRef body) {
  const absl::Time begin = clock_.Now();
  const absl::Time deadline = begin + options_.statement_timeout + kAnswerGrace;
  absl::StatusOr<std::unique_ptr<Connection>> idle = Acquire(deadline);
  const bool got_one = idle.ok();
  const absl::Time acquired = clock_.Now();
  absl::Status status = got_one ? RunOn(*std::move(idle), deadline, kind, body) : idle.status();
  if (options_.observer != nullptr) {
    PoolCall call = {.waited = acquired - begin, .took = {}, .status = status};
    if (got_one) call.took = clock_.Now() - acquired;
    options_.observer->CallEnded(call);
  }
  return status;
}

absl::Status Pool::RunOn(std::unique_ptr<Connection> idle, absl::Time deadline, CallKind kind,
                         BodyRef body) {
  absl::StatusOr<std::unique_ptr<Connection>> connection = Begin(std::move(idle), deadline, kind);
  if (!connection.ok()) {
    Release(nullptr);
    return connection.status();
  }
  absl::Status status = (*connection)->Finish(body);
  if ((*connection)->IsUsable()) {
    Release(*std::move(connection));
  } else {
    // What broke it broke the others too, most likely.
    DropIdle();
    Release(nullptr);
  }
  return status;
}

absl::StatusOr<std::unique_ptr<Connection>> Pool::Acquire(absl::Time deadline) {
  deadline = std::min(deadline, clock_.Now() + options_.max_wait_duration);
  base::MutexLock lock(mutex_);
  if (in_use_ >= options_.max_connections) {
    if (waiting_ >= options_.max_waiting) return PoolBusy();
    ++waiting_;
    bool too_late = false;
    while (in_use_ >= options_.max_connections && !too_late && clock_.Now() < end_) {
      too_late = clock_.WaitUntil(released_, mutex_, std::min(deadline, end_));
    }
    --waiting_;
  }
  if (clock_.Now() >= end_) return DatabaseUnavailable();
  if (in_use_ >= options_.max_connections) return PoolBusy();
  ++in_use_;
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Connection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

Pool::Usage Pool::usage() const {
  base::MutexLock lock(mutex_);
  return {.in_use = in_use_,
          .idle = idle_.size(),
          .waiting = waiting_,
          .max_connections = options_.max_connections};
}

void Pool::Release(std::unique_ptr<Connection> connection) {
  base::MutexLock lock(mutex_);
  --in_use_;
  if (connection != nullptr) idle_.push_back(std::move(connection));
  released_.NotifyOne();
}

void Pool::DropIdle() {
  // Closed without the lock.
  std::vector<std::unique_ptr<Connection>> suspects;
  base::MutexLock lock(mutex_);
  suspects.swap(idle_);
}

absl::StatusOr<std::unique_ptr<Connection>> Pool::Begin(std::unique_ptr<Connection> idle,
                                                        absl::Time deadline, CallKind kind) {
  if (idle != nullptr) {
    idle->CutAt(std::min(deadline, clock_.Now() + kMaxBeginDuration));
    if (idle->Begin(kind).ok()) {
      idle->CutAt(deadline);
      return idle;
    }
    // It died while nobody used it, as all do when Postgres restarts. Nothing has been asked of it
    // yet, so that another one can take its place.
    DropIdle();
  }
  NAVAL_ASSIGN_OR_RETURN(std::unique_ptr<Connection> fresh, Open(deadline));
  NAVAL_RETURN_IF_ERROR(fresh->Begin(kind));
  return fresh;
}

absl::StatusOr<std::unique_ptr<Connection>> Pool::Open(absl::Time deadline) {
  const absl::Time begin = clock_.Now();
  {
    base::MutexLock lock(mutex_);
    // While libpq connects nothing can stop it.
    if (begin + kMaxConnectDuration > end_ || begin >= deadline || begin < silent_until_) {
      return DatabaseUnavailable();
    }
  }
  absl::StatusOr<std::unique_ptr<Connection>> connection =
      Connection::Open(options_, watchdog_, deadline);
  const absl::Time end = clock_.Now();
  if (!connection.ok() && end - begin >= kSilentDuration) {
    base::MutexLock lock(mutex_);
    silent_until_ = end + kSilencePause;
  }
  return connection;
}

void Pool::Drain(absl::Duration limit) {
  const absl::Time end = clock_.Now() + limit;
  watchdog_.CutAllAt(end);
  base::MutexLock lock(mutex_);
  end_ = std::min(end_, end);
  released_.NotifyAll();
}

}  // namespace naval::postgres
