#include "tools/bench/allocated.h"

#include <cstdlib>
#include <new>

namespace {

std::size_t allocated = 0;

}  // namespace

namespace naval::bench {

std::size_t AllocatedBytes() { return allocated; }

}  // namespace naval::bench

// Each block carries its size in front, so that what is given back is known.
void* operator new(std::size_t size) {
  auto* const block = static_cast<std::max_align_t*>(std::malloc(size + sizeof(std::max_align_t)));
  if (block == nullptr) std::abort();
  *reinterpret_cast<std::size_t*>(block) = size;
  allocated += size;
  return block + 1;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  auto* const block = static_cast<std::max_align_t*>(memory) - 1;
  allocated -= *reinterpret_cast<std::size_t*>(block);
  std::free(block);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
