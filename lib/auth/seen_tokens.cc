#include "lib/auth/seen_tokens.h"

#include <sodium.h>

#include <utility>

namespace naval::auth {

SeenTokens::Hash SeenTokens::HashOf(absl::string_view token) {
  Hash hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(token.data()),
                     token.size(), nullptr, 0);
  return hash;
}

bool SeenTokens::Contains(const Hash& token) {
  base::MutexLock lock(mutex_);
  if (new_.contains(token)) return true;
  if (!old_.contains(token)) return false;
  AddToNew(token);
  return true;
}

void SeenTokens::Add(const Hash& token) {
  base::MutexLock lock(mutex_);
  AddToNew(token);
}

void SeenTokens::AddToNew(const Hash& token) {
  if (new_.size() == capacity_) old_ = std::exchange(new_, {});
  new_.insert(token);
}

}  // namespace naval::auth
