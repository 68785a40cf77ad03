#include "services/match/watch_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/server/grpc_status.h"

namespace naval::match {

std::shared_ptr<WatchStream> WatchStream::New(bool events_together) {
  std::shared_ptr<WatchStream> stream(new WatchStream(events_together));
  stream->self_ = stream;
  return stream;
}

void WatchStream::Begin(const std::shared_ptr<LiveMatch>& match, const std::string& account_id,
                        std::optional<int64_t> after_seq) {
  const absl::Status status = match->Watch(account_id, after_seq, shared_from_this());
  if (!status.ok()) return Refuse(status);
  {
    base::MutexLock lock(mutex_);
    if (!done_) {
      match_ = match;
      return;
    }
  }
  // The caller went away while the match was being found.
  match->Unwatch(this);
}

void WatchStream::Refuse(const absl::Status& status) {
  End(status);
  Flush();
}

bool WatchStream::Push(WatchMessage message) {
  base::MutexLock lock(mutex_);
  if (end_.has_value()) return true;
  if (unsent_.size() < kMaxUnsentMessages) {
    unsent_.push_back(std::move(message));
    return true;
  }
  // What waits is still sent: were it dropped, a stream resumed from the reader's last number would
  // begin with more than may wait, and be cut again.
  end_ = base::Error(absl::StatusCode::kResourceExhausted, "SLOW_READER",
                     absl::StrCat("more than ", kMaxUnsentMessages,
                                  " messages waited to be read; open a new stream with after_seq"));
  return false;
}

void WatchStream::End(const absl::Status& status) {
  base::MutexLock lock(mutex_);
  if (!end_.has_value()) end_ = status;
}

void WatchStream::Flush() {
  const v1::WatchMatchResponse* next = nullptr;
  grpc::WriteOptions options;
  std::optional<absl::Status> end;
  {
    base::MutexLock lock(mutex_);
    if (finished_ || writing_ != nullptr) return;
    if (!unsent_.empty()) {
      writing_ = std::move(unsent_.front());
      unsent_.pop_front();
      next = writing_.get();
      // It leaves with the one that follows it at once. Not so the first: the headers leave with
      // it, and gRPC would hold both back for a message that is written when they have left.
      if (std::exchange(begun_, true) && !unsent_.empty()) options.set_buffer_hint();
    } else if (end_.has_value()) {
      finished_ = true;
      end = end_;
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
    if (!ok) {
      // The reader is gone; what it missed it asks for with after_seq.
      unsent_.clear();
      end_ = absl::CancelledError("the stream broke");
    }
  }
  Flush();
}

void WatchStream::OnCancel() {
  {
    base::MutexLock lock(mutex_);
    unsent_.clear();
    end_ = absl::CancelledError("the caller went away");
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
