#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "lib/base/mutex.h"

namespace naval::auth {

// Remembers which texts it was lately told of, by their hashes and never themselves. Bounded: it
// forgets in the order in which they were last asked for, many at once. Thread safe.
class SeenTokens {
 public:
  // BLAKE2b of a text: nobody finds another text with the same.
  using Hash = std::array<uint8_t, 32>;
  static Hash HashOf(absl::string_view token);

  // Remembers `capacity` of them at least, and twice as many at most.
  explicit SeenTokens(size_t capacity) : capacity_(capacity) {}

  bool Contains(const Hash& token) NAVAL_EXCLUDES(mutex_);
  void Add(const Hash& token) NAVAL_EXCLUDES(mutex_);

 private:
  void AddToNew(const Hash& token) NAVAL_REQUIRES(mutex_);

  const size_t capacity_;
  base::Mutex mutex_;
  // When the new ones are full they take the place of the old ones.
  absl::flat_hash_set<Hash> new_ NAVAL_GUARDED_BY(mutex_);
  absl::flat_hash_set<Hash> old_ NAVAL_GUARDED_BY(mutex_);
};

}  // namespace naval::auth
