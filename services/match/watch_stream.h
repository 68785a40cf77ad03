#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "lib/base/mutex.h"
#include "naval/match/v1/match_service.pb.h"
#include "services/match/live_match.h"
#include "services/match/unsent_messages.h"
#include "services/match/watchers.h"

namespace naval::match {

// One WatchMatch call: the queue between a match and a reader that takes its time. gRPC allows one
// write in flight, so each stream has its own queue. Owns itself until gRPC is done with it. Thread
// safe.
class WatchStream final : public grpc::ServerWriteReactor<v1::WatchMatchResponse>,
                          public Watcher,
                          public std::enable_shared_from_this<WatchStream> {
 public:
  static std::shared_ptr<WatchStream> New(bool events_together);

  // Opens the stream on a match, or ends it with the reason why not.
  void Begin(const std::shared_ptr<LiveMatch>& match, const std::string& account_id,
             std::optional<int64_t> after_seq) NAVAL_EXCLUDES(mutex_);
  void Refuse(const absl::Status& status) NAVAL_EXCLUDES(mutex_);

  bool events_together() const override { return events_together_; }
  bool Push(WatchMessage message) override NAVAL_EXCLUDES(mutex_);
  void End(const absl::Status& status) override NAVAL_EXCLUDES(mutex_);
  void Flush() override NAVAL_EXCLUDES(mutex_);

  void OnWriteDone(bool ok) override NAVAL_EXCLUDES(mutex_);
  void OnCancel() override NAVAL_EXCLUDES(mutex_);
  void OnDone() override NAVAL_EXCLUDES(mutex_);

 private:
  explicit WatchStream(bool events_together) : events_together_(events_together) {}

  void Opened(const std::shared_ptr<LiveMatch>& match) NAVAL_EXCLUDES(mutex_);

  const bool events_together_;
  base::Mutex mutex_;
  UnsentMessages unsent_ NAVAL_GUARDED_BY(mutex_);
  // The message being written; gRPC reads it until OnWriteDone.
  WatchMessage writing_ NAVAL_GUARDED_BY(mutex_);
  bool begun_ NAVAL_GUARDED_BY(mutex_) = false;
  bool finished_ NAVAL_GUARDED_BY(mutex_) = false;
  bool done_ NAVAL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<LiveMatch> match_ NAVAL_GUARDED_BY(mutex_);
  std::shared_ptr<WatchStream> self_;
};

}  // namespace naval::match
