#pragma once

namespace naval::server {

// Sends the log lines of gRPC and of protobuf into the log of lib/base from now on.
void RouteLibraryLogs();

}  // namespace naval::server
