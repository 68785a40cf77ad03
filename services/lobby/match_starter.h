#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "lib/base/clock.h"
#include "lib/base/executor.h"
#include "lib/base/mutex.h"
#include "lib/base/secret.h"
#include "naval/match/v1/match_internal_service.grpc.pb.h"
#include "services/lobby/lobby_observer.h"
#include "services/lobby/periodic_task.h"
#include "services/lobby/table_store.h"

namespace naval::lobby {

// Has the match service create the match of every table in kStarting. Who fills a table asks at
// once; what was left behind (the match service was away, this process died) is asked again by a
// loop until it is done, in this lobby or another; more and more seldom while the match service is
// away (table_store.h). Asking twice is safe: the match's id was stored
// with the table. Thread safe.
class MatchStarter {
 public:
  // Called once, with the table as it stands then. May run on a gRPC thread: must not block.
  using Done = absl::AnyInvocable<void(const Table& table)>;

  // `channel` leads to the internal port of the match service. The others must outlive the starter;
  // blocking work runs on `executor`. Begins to look for tables left behind at once.
  MatchStarter(std::shared_ptr<grpc::Channel> channel, const base::Secret& service_token,
               TableStore& store, base::Executor& executor, base::Clock& clock,
               LobbyObserver& observer);
  // As Stop().
  ~MatchStarter();
  MatchStarter(const MatchStarter&) = delete;
  MatchStarter& operator=(const MatchStarter&) = delete;

  // Asks for the match of `table`, which is in kStarting. `done` gets it in kPlaying; in kClosed
  // when the match service refuses for good; and still in kStarting when the match service did not
  // answer within 3 s, when it is being asked already, or when too many are: the loop goes on then.
  // Never blocks.
  void Start(const Table& table, Done done) NAVAL_EXCLUDES(mutex_);

  // Cancels what is being asked and asks nothing more: every `done` is called within a moment.
  // Never blocks.
  void Drain() NAVAL_EXCLUDES(mutex_);

  // As Drain, and returns when everything has ended. `executor` must run until then.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  struct Attempt;

  bool Register(const std::shared_ptr<Attempt>& attempt) NAVAL_EXCLUDES(mutex_);
  void Finish(Attempt& attempt, const Table& table) NAVAL_EXCLUDES(mutex_);
  // What the answer makes of the table. Blocks.
  Table Record(const Table& table, const grpc::Status& answer) NAVAL_EXCLUDES(mutex_);
  absl::Status LastAnswer() NAVAL_EXCLUDES(mutex_);
  void StartDue() NAVAL_EXCLUDES(mutex_);

  const std::unique_ptr<match::v1::MatchInternalService::Stub> stub_;
  const base::Secret& service_token_;
  TableStore& store_;
  base::Executor& executor_;
  base::Clock& clock_;
  LobbyObserver& observer_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool drained_ NAVAL_GUARDED_BY(mutex_) = false;
  // What the match service answered last.
  absl::Status last_answer_ NAVAL_GUARDED_BY(mutex_);
  // By table id.
  absl::flat_hash_map<std::string, std::shared_ptr<Attempt>> attempts_ NAVAL_GUARDED_BY(mutex_);
  PeriodicTask loop_;
};

}  // namespace naval::lobby
