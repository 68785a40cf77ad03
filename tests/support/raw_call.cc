#include "tests/support/raw_call.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace naval::testing {
namespace {

// A broken service takes this long to be called broken.
constexpr absl::Duration kFinishLimit = absl::Minutes(1);

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

std::multimap<std::string, std::string> Authorization(const std::string& access_token) {
  if (access_token.empty()) return {};
  return {{"authorization", absl::StrCat("Bearer ", access_token)}};
}

}  // namespace

RawCall::RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                 const std::string& access_token, const std::string& request)
    : RawCall(channel, method, Authorization(access_token), request) {}

RawCall::RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                 const std::multimap<std::string, std::string>& headers, const std::string& request)
    : stub_(channel), request_(ToBuffer(request)) {
  for (const auto& [key, value] : headers) context_.AddMetadata(key, value);
  stub_.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
  StartWriteLast(&request_, grpc::WriteOptions());
  StartRead(&reading_);
  StartCall();
}

RawCall::~RawCall() {
  context_.TryCancel();
  base::MutexLock lock(mutex_);
  while (!done_) changed_.Wait(mutex_);
}

std::vector<std::string> RawCall::messages() const {
  base::MutexLock lock(mutex_);
  return answer_.messages;
}

bool RawCall::done() const {
  base::MutexLock lock(mutex_);
  return done_;
}

// Not a deadline of the call: the server would learn of it, and a stream may be open for longer
// before somebody waits for its end.
RawAnswer RawCall::Finish() {
  base::MutexLock lock(mutex_);
  bool late = false;
  while (!done_ && !late) late = changed_.WaitFor(mutex_, kFinishLimit);
  if (done_) return answer_;
  context_.TryCancel();
  while (!done_) changed_.Wait(mutex_);
  answer_.code = grpc::StatusCode::DEADLINE_EXCEEDED;
  answer_.error_message = absl::StrCat("no end within ", absl::FormatDuration(kFinishLimit));
  answer_.error_details.clear();
  return answer_;
}

void RawCall::OnReadDone(bool ok) {
  if (!ok) return;
  {
    base::MutexLock lock(mutex_);
    answer_.messages.push_back(ToString(reading_));
  }
  StartRead(&reading_);
}

void RawCall::OnDone(const grpc::Status& status) {
  base::MutexLock lock(mutex_);
  answer_.code = status.error_code();
  answer_.error_message = status.error_message();
  answer_.error_details = status.error_details();
  for (const auto& [key, value] : context_.GetServerTrailingMetadata()) {
    answer_.metadata.emplace(std::string(key.data(), key.size()),
                             std::string(value.data(), value.size()));
  }
  done_ = true;
  changed_.NotifyAll();
}

}  // namespace naval::testing
