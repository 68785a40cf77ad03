#pragma once

#include <sys/types.h>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace naval::load {

// CPU time, user and system, since a process began.

// Of a service, from its page /metrics on this port of 127.0.0.1. UNAVAILABLE, naming the port,
// when the page cannot be had.
absl::StatusOr<absl::Duration> CpuOfService(int metrics_port);

// Of this process.
absl::Duration OwnCpu();

// Of a Postgres server on this machine: of the process that all others of it come from, and of
// those, with what those spent that have ended. In steps of 10 ms.
absl::Duration CpuOfPostgres(pid_t postmaster);

// The parent of the Postgres process `backend`; 0 when that is no process of this machine.
pid_t PostmasterOf(pid_t backend);

}  // namespace naval::load
