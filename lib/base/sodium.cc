#include "lib/base/sodium.h"

#include <sodium.h>

#include "lib/base/check.h"

namespace naval::base {

void InitSodium() { NAVAL_CHECK(sodium_init() >= 0); }

}  // namespace naval::base
