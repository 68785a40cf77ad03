#include "lib/base/secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/fmt/ostr.h>

#include <cstring>
#include <new>
#include <ostream>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/log.h"

namespace naval::base {
namespace {

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) {
  out << value;
};
template <typename T>
concept Concatenable = requires(const T& value) {
  absl::StrCat(value);
};

TEST(Secret, CannotBeShownByAccident) {
  static_assert(!Streamable<Secret>);
  static_assert(!Concatenable<Secret>);
  static_assert(!fmt::is_formattable<Secret>::value);
  static_assert(!std::is_constructible_v<LogValue, Secret>);
  static_assert(!std::is_convertible_v<Secret, std::string>);
}

TEST(Secret, ComparesContents) {
  const Secret secret(std::string("correct horse"));
  EXPECT_TRUE(secret.Equals("correct horse"));
  EXPECT_FALSE(secret.Equals("correct house"));
  EXPECT_FALSE(secret.Equals("correct"));
  EXPECT_FALSE(secret.Equals(""));
  EXPECT_TRUE(Secret() == Secret(std::string()));
}

TEST(Secret, LeavesNothingInItsMemory) {
  // Short enough to lie inside the string object itself.
  alignas(Secret) unsigned char place[sizeof(Secret)];
  auto* const secret = new (place) Secret(std::string("short-one"));
  ASSERT_NE(memmem(place, sizeof(place), "short-one", 9), nullptr);
  secret->~Secret();
  EXPECT_EQ(memmem(place, sizeof(place), "short-one", 9), nullptr);
}

TEST(Secret, MovesWithoutLeavingACopy) {
  alignas(Secret) unsigned char place[sizeof(Secret)];
  auto* const from = new (place) Secret(std::string("short-one"));
  const Secret to(std::move(*from));
  EXPECT_TRUE(to.Equals("short-one"));
  EXPECT_TRUE(from->empty());
  EXPECT_EQ(memmem(place, sizeof(place), "short-one", 9), nullptr);
  from->~Secret();
}

TEST(Secret, CopiesAndAssigns) {
  const Secret first(std::string("first"));
  Secret second(std::string("a longer text that does not fit into the object itself"));
  second = first;
  EXPECT_TRUE(second == first);
  second = *&second;
  EXPECT_TRUE(second == first);
  second = Secret(std::string("third"));
  EXPECT_TRUE(second.Equals("third"));
}

}  // namespace
}  // namespace naval::base
