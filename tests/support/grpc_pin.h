#pragma once

namespace naval::testing {

// gRPC 1.51 keeps one queue for callbacks in a process, counted by its users, and can abort when
// the last server or channel of the process goes. A test binary that starts or stops servers calls
// this first (in SetUpTestSuite): it keeps one channel that has made one callback call until the
// process ends. May be called again. Thread safe.
void PinGrpc();

}  // namespace naval::testing
