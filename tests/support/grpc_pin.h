#pragma once

namespace naval::testing {

// gRPC 1.51 keeps one queue for callbacks in a process, counted by its users, and can abort when the
// last server or channel goes while another begins. Link naval::test_grpc into every test binary that
// starts or stops servers: it registers a GoogleTest environment that keeps one channel with one
// finished callback call for the life of the process. Call this only where GoogleTest's main() is not
// used.
void PinGrpc();

}  // namespace naval::testing
