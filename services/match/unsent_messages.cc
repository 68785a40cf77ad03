#include "services/match/unsent_messages.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"

namespace naval::match {

bool UnsentMessages::Push(WatchMessage message) {
  if (end_.has_value()) return true;
  if (messages_.size() < kMaxUnsentMessages) {
    messages_.push_back(std::move(message));
    return true;
  }
  // What waits is still sent: the reader has that much less to ask for again.
  end_ = base::Error(absl::StatusCode::kResourceExhausted, "SLOW_READER",
                     absl::StrCat("more than ", kMaxUnsentMessages,
                                  " messages waited to be read; open a new stream with after_seq"));
  return false;
}

void UnsentMessages::End(const absl::Status& status) {
  if (!end_.has_value()) end_ = status;
}

void UnsentMessages::Drop(const absl::Status& why) {
  messages_.clear();
  end_ = why;
}

WatchMessage UnsentMessages::Take() {
  WatchMessage next = std::move(messages_.front());
  messages_.pop_front();
  return next;
}

}  // namespace naval::match
