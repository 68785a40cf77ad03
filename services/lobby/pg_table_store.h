#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/postgres/pool.h"
#include "services/lobby/table_store.h"

namespace naval::lobby {

// Tables in the Postgres schema "lobby". A call that changes how many tables an account sits at
// locks the account first, so that the limit holds against any number of calls at once.
class PgTableStore final : public TableStore {
 public:
  // `pool` must outlive the store.
  explicit PgTableStore(postgres::Pool& pool) : pool_(pool) {}

  absl::StatusOr<CreatedTable> Create(const NewTable& table) override;
  absl::StatusOr<Table> Find(const std::string& table_id, const std::string& account_id,
                             absl::Time now) override;
  absl::StatusOr<std::vector<Table>> ListOpen(const std::optional<std::string>& after_id, int limit,
                                              absl::Time now) override;
  absl::StatusOr<Table> Join(const TableReference& reference, const Joiner& joiner) override;
  absl::Status Leave(const std::string& table_id, const std::string& account_id,
                     absl::Time now) override;
  absl::StatusOr<std::vector<Table>> ClaimDueStarts(int limit, absl::Time now) override;
  absl::StatusOr<Table> MarkPlaying(const Table& table) override;
  absl::StatusOr<Table> MarkRefused(const Table& table) override;
  absl::Status RecordMatchChange(const MatchChange& change) override;
  absl::Status CloseExpired(absl::Time now) override;
  absl::StatusOr<WaitingTables> CountWaiting() override;

 private:
  postgres::Pool& pool_;
};

}  // namespace naval::lobby
