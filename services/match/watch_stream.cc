#include "services/match/watch_stream.h"

#include <utility>

#include "lib/server/grpc_status.h"

namespace naval::match {

std::shared_ptr<WatchStream> WatchStream::New(bool events_together) {
  std::shared_ptr<WatchStream> stream(new WatchStream(events_together));
  stream->self_ = stream;
  return stream;
}

void WatchStream::Begin(const std::shared_ptr<LiveMatch>& match, const std::string& account_id,
                        std::optional<int64_t> after_seq) {
  match->Watch(account_id, after_seq, shared_from_this(),
               [self = shared_from_this(), match](const absl::Status& status) {
                 if (!status.ok()) return self->Refuse(status);
                 self->Opened(match);
               });
}

void WatchStream::Opened(const std::shared_ptr<LiveMatch>& match) {
  {
    base::MutexLock lock(mutex_);
    if (!done_) {
      match_ = match;
      return;
    }
  }
  // The caller went away meanwhile.
  match->Unwatch(this);
}

void WatchStream::Refuse(const absl::Status& status) {
  End(status);
  Flush();
}

bool WatchStream::Push(WatchMessage message) {
  base::MutexLock lock(mutex_);
  return unsent_.Push(std::move(message));
}

void WatchStream::End(const absl::Status& status) {
  base::MutexLock lock(mutex_);
  unsent_.End(status);
}

void WatchStream::Flush() {
  const v1::WatchMatchResponse* next = nullptr;
  grpc::WriteOptions options;
  std::optional<absl::Status> end;
  {
    base::MutexLock lock(mutex_);
    if (finished_ || writing_ != nullptr) return;
    if (!unsent_.empty()) {
      writing_ = unsent_.Take();
      next = writing_.get();
      // It leaves with the one that follows it at once. Not so the first: the headers leave with
      // it, and gRPC would hold both back for a message that is written when they have left.
      if (std::exchange(begun_, true) && !unsent_.empty()) options.set_buffer_hint();
    } else {
      end = unsent_.end();
      finished_ = end.has_value();
    }
  }
  // Outside the lock: gRPC may run a reaction of this stream on the same thread.
  if (next != nullptr) StartWrite(next, options);
  if (end.has_value()) Finish(server::ToGrpcStatus(*end));
}

void WatchStream::OnWriteDone(bool ok) {
  {
    base::MutexLock lock(mutex_);
    writing_.reset();
    // What the reader missed it asks for with after_seq.
    if (!ok) unsent_.Drop(absl::CancelledError("the stream broke"));
  }
  Flush();
}

void WatchStream::OnCancel() {
  {
    base::MutexLock lock(mutex_);
    unsent_.Drop(absl::CancelledError("the caller went away"));
  }
  Flush();
}

void WatchStream::OnDone() {
  std::shared_ptr<LiveMatch> match;
  {
    base::MutexLock lock(mutex_);
    done_ = true;
    match = std::move(match_);
  }
  if (match != nullptr) match->Unwatch(this);
  const std::shared_ptr<WatchStream> last = std::move(self_);
}

}  // namespace naval::match
