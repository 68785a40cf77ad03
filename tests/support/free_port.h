#pragma once

namespace naval::testing {

// A TCP port on 127.0.0.1 that nothing listens on at the moment; another process may take it before
// the caller does. Prefer port 0 where the program under test can say which port it got.
int FreePort();

}  // namespace naval::testing
