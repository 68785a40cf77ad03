// Every rule of the game that is due is carried by a test.
//
// The rules stand in tests/rules/rules.md, one table row a rule, the id ("T-07") first. A test
// carries a rule by a comment of its own, `// rule: T-07, T-08`, in a *_test.cc, or by the head
// `# T-07 ...` of a transcript tests/rules/*.txt. The ids not yet due stand in
// tests/rules/not_due.txt, one a line with what it waits for; that list only shrinks. Of the ids
// that stand there as "T-08 in part: ..." only what is said there waits, and a test carries the
// rest.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "tools/lint/source_file.h"

namespace naval::lint {

inline constexpr absl::string_view kRulesPath = "tests/rules/rules.md";
inline constexpr absl::string_view kNotDuePath = "tests/rules/not_due.txt";

// Finds: a due rule no test carries; a rule a test carries that rules.md does not know; a mark
// within another comment, which would not count; an id in not_due.txt that has a test already, that
// has none though a part of it is due, or that rules.md does not know. `files` are all text files
// of the repository.
std::vector<Finding> CheckRuleCoverage(const std::vector<SourceFile>& files);

}  // namespace naval::lint
