#pragma once

namespace naval::server {

// Sends gRPC's own log lines into the log of lib/base from now on.
void RouteGrpcLog();

}  // namespace naval::server
