#include "tests/integration/raw_call.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace naval::testing {
namespace {

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

}  // namespace

RawCall::RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                 const std::string& access_token, const std::string& request)
    : stub_(channel) {
  context_.AddMetadata("authorization", absl::StrCat("Bearer ", access_token));
  thread_ = std::thread([this, method, request] { Run(method, request); });
}

RawCall::~RawCall() {
  context_.TryCancel();
  if (thread_.joinable()) thread_.join();
  queue_.Shutdown();
}

std::vector<std::string> RawCall::messages() const {
  base::MutexLock lock(mutex_);
  return answer_.messages;
}

RawAnswer RawCall::Finish() {
  thread_.join();
  base::MutexLock lock(mutex_);
  return answer_;
}

void RawCall::Run(const std::string& method, const std::string& request) {
  const auto call = stub_.PrepareCall(&context_, method, &queue_);
  call->StartCall(this);
  if (Await()) {
    call->WriteLast(ToBuffer(request), grpc::WriteOptions(), this);
    Await();
    grpc::ByteBuffer message;
    call->Read(&message, this);
    while (Await()) {
      {
        base::MutexLock lock(mutex_);
        answer_.messages.push_back(ToString(message));
      }
      call->Read(&message, this);
    }
  }
  grpc::Status status;
  call->Finish(&status, this);
  Await();
  base::MutexLock lock(mutex_);
  answer_.code = status.error_code();
  answer_.error_message = status.error_message();
  answer_.error_details = status.error_details();
  for (const auto& [key, value] : context_.GetServerTrailingMetadata()) {
    answer_.metadata.emplace(std::string(key.data(), key.size()),
                             std::string(value.data(), value.size()));
  }
}

bool RawCall::Await() {
  void* tag = nullptr;
  bool ok = false;
  return queue_.Next(&tag, &ok) && ok;
}

}  // namespace naval::testing
