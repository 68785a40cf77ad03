#pragma once

#include <array>
#include <cstddef>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "lib/base/mutex.h"

namespace naval::auth {

// Remembers which tokens it was lately told of, by their hashes (HashToken) and never themselves.
// Bounded: it forgets in the order in which they were last asked for, many at once. Thread safe.
class SeenTokens {
 public:
  // Remembers `capacity` of them at least, and twice as many at most.
  explicit SeenTokens(size_t capacity) : capacity_(capacity) {}

  bool Contains(absl::string_view token) NAVAL_EXCLUDES(mutex_);
  void Add(absl::string_view token) NAVAL_EXCLUDES(mutex_);

 private:
  // An array, which needs half the memory of a string.
  using Hash = std::array<char, 32>;

  static Hash HashOf(absl::string_view token);
  void AddToNew(const Hash& hash) NAVAL_REQUIRES(mutex_);

  const size_t capacity_;
  base::Mutex mutex_;
  // When the new ones are full they take the place of the old ones.
  absl::flat_hash_set<Hash> new_ NAVAL_GUARDED_BY(mutex_);
  absl::flat_hash_set<Hash> old_ NAVAL_GUARDED_BY(mutex_);
};

}  // namespace naval::auth
