#include "services/match/journal.h"

#include <memory>
#include <utility>

namespace naval::match {

Journal::Journal(MatchStore& store, base::Executor& answers, Options options)
    : store_(store),
      answers_(answers),
      writers_({.name = "journal", .threads = options.writers, .max_queued = options.max_queued}) {}

absl::Status Journal::Submit(Append append, Done done) {
  return writers_.Submit([this, append = std::move(append), done = std::move(done)]() mutable {
    const absl::Status status = store_.AppendRow(append);
    // Shared, because a refused task is destroyed, and an outcome must never be lost.
    const auto shared = std::make_shared<Done>(std::move(done));
    if (!answers_.Submit([shared, status] { (*shared)(status); }).ok()) (*shared)(status);
  });
}

}  // namespace naval::match
