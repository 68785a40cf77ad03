#include "lib/auth/seen_tokens.h"

#include <string>
#include <utility>

#include "lib/auth/opaque_token.h"
#include "lib/base/check.h"

namespace naval::auth {

SeenTokens::Hash SeenTokens::HashOf(absl::string_view token) {
  const std::string text = HashToken(token);
  Hash hash;
  NAVAL_CHECK(text.copy(hash.data(), hash.size()) == hash.size());
  return hash;
}

bool SeenTokens::Contains(absl::string_view token) {
  const Hash hash = HashOf(token);
  base::MutexLock lock(mutex_);
  if (new_.contains(hash)) return true;
  if (!old_.contains(hash)) return false;
  AddToNew(hash);
  return true;
}

void SeenTokens::Add(absl::string_view token) {
  const Hash hash = HashOf(token);
  base::MutexLock lock(mutex_);
  AddToNew(hash);
}

void SeenTokens::AddToNew(const Hash& hash) {
  if (new_.size() == capacity_) old_ = std::exchange(new_, {});
  new_.insert(hash);
}

}  // namespace naval::auth
