#include "tests/fuzz/repetitions.h"

#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/server/grpc_status.h"
#include "tests/fuzz/fail.h"

namespace naval::fuzz {
namespace {

// Whether the same call may be OK again without being changed.
bool Passes(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsAborted(status) ||
         absl::IsUnauthenticated(status) ||
         (absl::IsResourceExhausted(status) && base::RetryDelayOf(status).has_value());
}

}  // namespace

void Repetitions::Check(const Exchange& exchange, const std::string& promised, absl::Time now) {
  const absl::Status status = server::FromGrpcStatus(exchange.answer.status());
  const std::string call =
      absl::StrCat(exchange.access_token, " ", exchange.method->full_name(), " ", exchange.request);
  const auto before = answers_.find(call);
  if (before == answers_.end() || now - before->second.time >= lifetime_) {
    if (status.ok()) answers_[call] = {exchange.method->name(), promised, now};
    return;
  }
  if (status.ok()) {
    Require(before->second.promised == promised,
            absl::StrCat(exchange.method->full_name(), ", repeated, was answered otherwise"));
  } else {
    Require(Passes(status), absl::StrCat(exchange.method->full_name(),
                                         ", repeated, was refused: ", status.ToString()));
  }
}

void Repetitions::Forget(const std::string& method, const std::string& promised) {
  for (auto it = answers_.begin(); it != answers_.end();) {
    const bool forgotten = it->second.method == method && it->second.promised == promised;
    it = forgotten ? answers_.erase(it) : std::next(it);
  }
}

}  // namespace naval::fuzz
