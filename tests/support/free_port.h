#pragma once

namespace naval::testing {

// A TCP port on 127.0.0.1 that nothing listens on and that the kernel will not hand out to others soon.
// Prefer port 0 where the program under test can say which port it got.
int FreePort();

}  // namespace naval::testing
