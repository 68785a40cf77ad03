#pragma once

namespace naval::base {

// Makes libsodium ready (sodium_init): called before anything of it is used, as often as one likes.
// Ends the process on a machine without a source of entropy, where nothing of ours could be safe.
// Thread safe.
void InitSodium();

}  // namespace naval::base
