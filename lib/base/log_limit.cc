#include "lib/base/log_limit.h"

#include <algorithm>
#include <utility>

namespace naval::base {

std::optional<std::int64_t> LogLimit::Admit(absl::string_view event, absl::Time now) {
  Bucket& bucket = buckets_.try_emplace(event, Bucket{.filled = now}).first->second;
  const double refill = absl::FDivDuration(now - bucket.filled, kLogInterval);
  bucket.tokens = std::min<double>(kLogBurst, bucket.tokens + refill);
  bucket.filled = now;
  if (bucket.tokens < 1) {
    ++bucket.refused;
    return std::nullopt;
  }
  bucket.tokens -= 1;
  return std::exchange(bucket.refused, 0);
}

}  // namespace naval::base
