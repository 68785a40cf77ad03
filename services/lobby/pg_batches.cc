#include "services/lobby/pg_batches.h"

#include <cstddef>

#include "absl/status/statusor.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/transaction.h"

namespace naval::lobby {

absl::Status ExecuteInBatches(postgres::Pool& pool, absl::string_view sql, absl::Time time) {
  size_t touched = kSweepBatch;
  while (touched == kSweepBatch) {
    NAVAL_ASSIGN_OR_RETURN(
        touched, pool.Transact([&](postgres::Transaction& tx) -> absl::StatusOr<size_t> {
          NAVAL_ASSIGN_OR_RETURN(const postgres::Rows rows, tx.Execute(sql, {time, kSweepBatch}));
          return rows.affected();
        }));
  }
  return absl::OkStatus();
}

}  // namespace naval::lobby
