#pragma once

#include <map>
#include <string>

namespace naval::wire {

// For tests only.

// A stored message as a version wrote it.
struct GoldenEntry {
  std::string bytes;
  // The same as text, words divided by single blanks.
  std::string text;
};

// The entries of a file by their names: lines "entry NAME", then "hex ..." and "text ...", each as
// often as it takes. A file that cannot be read, or says anything else, fails the test.
std::map<std::string, GoldenEntry> ReadGolden(const std::string& path);

}  // namespace naval::wire
