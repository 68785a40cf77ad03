#include "lib/postgres/pool.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/connection.h"

namespace naval::postgres {
namespace {

absl::Status PoolBusy() {
  return base::WithRetryDelay(base::Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY",
                                          "too many calls wait for the database; try again later"),
                              absl::Seconds(1));
}

}  // namespace

Pool::Pool(Options options) : options_(std::move(options)) {}

Pool::~Pool() = default;

absl::Status Pool::Run(absl::FunctionRef<absl::Status(Transaction&)> body) {
  NAVAL_ASSIGN_OR_RETURN(std::unique_ptr<Connection> idle, Acquire());
  absl::StatusOr<std::unique_ptr<Connection>> connection = Begin(std::move(idle));
  if (!connection.ok()) {
    Release(nullptr);
    return connection.status();
  }
  absl::Status status = (*connection)->Finish(body);
  Release((*connection)->IsUsable() ? *std::move(connection) : nullptr);
  return status;
}

absl::StatusOr<std::unique_ptr<Connection>> Pool::Acquire() {
  const absl::Time deadline = clock_.Now() + options_.max_wait_duration;
  base::MutexLock lock(mutex_);
  if (in_use_ >= options_.max_connections) {
    if (waiting_ >= options_.max_waiting) return PoolBusy();
    ++waiting_;
    bool too_late = false;
    while (in_use_ >= options_.max_connections && !too_late) {
      too_late = clock_.WaitUntil(released_, mutex_, deadline);
    }
    --waiting_;
    if (in_use_ >= options_.max_connections) return PoolBusy();
  }
  ++in_use_;
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Connection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void Pool::Release(std::unique_ptr<Connection> connection) {
  base::MutexLock lock(mutex_);
  --in_use_;
  if (connection != nullptr) idle_.push_back(std::move(connection));
  released_.NotifyOne();
}

absl::StatusOr<std::unique_ptr<Connection>> Pool::Begin(std::unique_ptr<Connection> idle) {
  if (idle != nullptr) {
    if (idle->Begin().ok()) return idle;
    // It died while nobody used it, as all do when Postgres restarts. Nothing has been asked of it
    // yet, so that another one can take its place.
    std::vector<std::unique_ptr<Connection>> suspects;
    base::MutexLock lock(mutex_);
    suspects.swap(idle_);
  }
  NAVAL_ASSIGN_OR_RETURN(std::unique_ptr<Connection> fresh, Connection::Open(options_));
  NAVAL_RETURN_IF_ERROR(fresh->Begin());
  return fresh;
}

}  // namespace naval::postgres
