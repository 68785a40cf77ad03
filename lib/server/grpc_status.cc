#include "lib/server/grpc_status.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "lib/base/error.h"
#include "lib/base/log.h"

namespace naval::server {
namespace {

// The numbers of absl::StatusCode and of grpc::StatusCode are the same, by design of both.
grpc::StatusCode ToGrpcCode(absl::StatusCode code) { return static_cast<grpc::StatusCode>(code); }

// What these say is for us, not for the caller.
bool IsOurFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

// A protobuf Duration has nanoseconds, and no infinity.
void SetDuration(absl::Duration duration, google::protobuf::Duration* message) {
  message->set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &duration));
  message->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(duration)));
}

// Protobuf writes the entries of a map in any order. Equal errors are equal bytes here, so that an
// answer tells nothing but what it says.
std::string DeterministicBytes(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream output(&stream);
  output.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&output);
  output.Trim();
  return bytes;
}

void AddDetails(const absl::Status& status, google::rpc::Status& message) {
  google::rpc::ErrorInfo info;
  const std::string reason = base::ReasonOf(status);
  info.set_reason(reason.empty() ? absl::StatusCodeToString(status.code()) : reason);
  info.set_domain(kErrorDomain);
  for (const auto& [name, value] : base::MetadataOf(status)) {
    (*info.mutable_metadata())[name] = value;
  }
  auto* const packed = message.add_details();
  packed->PackFrom(info);
  packed->set_value(DeterministicBytes(info));

  google::rpc::BadRequest bad_request;
  for (const base::FieldViolation& violation : base::FieldViolationsOf(status)) {
    auto* const field = bad_request.add_field_violations();
    field->set_field(violation.field);
    field->set_description(violation.description);
  }
  if (bad_request.field_violations_size() > 0) message.add_details()->PackFrom(bad_request);

  if (const std::optional<absl::Duration> delay = base::RetryDelayOf(status); delay.has_value()) {
    google::rpc::RetryInfo retry;
    SetDuration(*delay, retry.mutable_retry_delay());
    message.add_details()->PackFrom(retry);
  }
}

grpc::Status WithDetails(const absl::Status& status) {
  google::rpc::Status message;
  message.set_code(static_cast<int>(status.code()));
  message.set_message(std::string(status.message()));
  AddDetails(status, message);
  return grpc::Status(ToGrpcCode(status.code()), message.message(), message.SerializeAsString());
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  if (!IsOurFault(status.code())) return WithDetails(status);
  base::Log(base::LogLevel::kError, "internal_error", {{"status", status}});
  return WithDetails(base::Error(absl::StatusCode::kInternal, "INTERNAL",
                                 "something went wrong on our side; it has been logged"));
}

absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  google::rpc::Status message;
  google::rpc::ErrorInfo info;
  google::rpc::BadRequest bad_request;
  google::rpc::RetryInfo retry;
  if (!message.ParseFromString(status.error_details())) message.Clear();
  for (const google::protobuf::Any& detail : message.details()) {
    // Each kind stands there once at most; what does not parse is left empty.
    if (detail.Is<google::rpc::ErrorInfo>()) detail.UnpackTo(&info);
    if (detail.Is<google::rpc::BadRequest>()) detail.UnpackTo(&bad_request);
    if (detail.Is<google::rpc::RetryInfo>()) detail.UnpackTo(&retry);
  }
  if (info.domain() != kErrorDomain) return absl::Status(code, status.error_message());
  absl::Status error = base::Error(code, info.reason(), status.error_message(),
                                   base::Metadata(info.metadata().begin(), info.metadata().end()));
  for (const auto& field : bad_request.field_violations()) {
    error = base::WithFieldViolation(std::move(error), {field.field(), field.description()});
  }
  if (retry.has_retry_delay()) {
    error =
        base::WithRetryDelay(std::move(error), absl::Seconds(retry.retry_delay().seconds()) +
                                                   absl::Nanoseconds(retry.retry_delay().nanos()));
  }
  return error;
}

}  // namespace naval::server
