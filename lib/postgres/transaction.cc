#include "lib/postgres/transaction.h"

#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/exception_status.h"

namespace naval::postgres {
namespace {

// The text itself would be too long: the server tells names apart by 63 bytes.
std::string StatementName(absl::string_view sql) {
  return absl::StrCat("naval_", absl::Hex(absl::HashOf(sql)));
}

}  // namespace

Transaction::Transaction(pqxx::transaction_base& transaction, Watchdog::Line& line)
    : transaction_(transaction), line_(line) {}

absl::StatusOr<Rows> Transaction::Execute(absl::string_view sql,
                                          std::initializer_list<Param> params) {
  return Execute(sql, absl::MakeConstSpan(params.begin(), params.size()));
}

absl::StatusOr<Rows> Transaction::Execute(absl::string_view sql, absl::Span<const Param> params) {
  NAVAL_ASSIGN_OR_RETURN(const auto texts, Texts(params));
  const std::string name = StatementName(sql);
  try {
    // Once for each connection: libpqxx keeps the names, and refuses one with another text.
    transaction_.conn().prepare(name, std::string(sql));
    return Rows(transaction_.exec_prepared(name, pqxx::prepare::make_dynamic_params(texts)));
  } catch (...) {
    return Fail(StatusFromCurrentException());
  }
}

absl::StatusOr<std::vector<std::optional<std::string>>> Transaction::Texts(
    absl::Span<const Param> params) {
  if (!status_.ok()) return status_;
  std::vector<std::optional<std::string>> texts;
  texts.reserve(params.size());
  for (const Param& param : params) {
    // Postgres cannot store a NUL in a text, and libpqxx would silently cut the text there.
    if (param.text().has_value() && param.text()->find('\0') != std::string::npos) {
      return Fail(base::Error(absl::StatusCode::kInvalidArgument, kInvalidText,
                              "a text must not hold a NUL character"));
    }
    texts.push_back(param.text());
  }
  return texts;
}

absl::Status Transaction::ExecuteScript(absl::string_view sql) {
  if (!status_.ok()) return status_;
  try {
    transaction_.exec(std::string(sql));
    return absl::OkStatus();
  } catch (...) {
    return Fail(StatusFromCurrentException());
  }
}

absl::Status Transaction::ExtendTo(absl::Duration limit) {
  line_.CutAfter(limit + kAnswerGrace);
  return Execute("SELECT set_config('statement_timeout', $1, true)",
                 {absl::ToInt64Milliseconds(limit)})
      .status();
}

absl::Status Transaction::Fail(absl::Status error) {
  status_ = std::move(error);
  return status_;
}

}  // namespace naval::postgres
