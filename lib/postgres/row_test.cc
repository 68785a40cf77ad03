#include "lib/postgres/row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lib/postgres/pool.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::postgres {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;

class RowTest : public ::testing::Test {
 protected:
  // Sends `value` as a parameter of the SQL type `type` and reads it back as a T.
  template <typename T>
  absl::StatusOr<T> RoundTrip(const std::string& type, const Param& value) {
    return pool_.Transact([&](Transaction& transaction) -> absl::StatusOr<T> {
      const auto rows = transaction.Execute("SELECT $1::" + type + " AS value", {value});
      if (!rows.ok()) return rows.status();
      return (*rows)[0].Get<T>("value");
    });
  }

  testing::TestDatabase database_;
  Pool pool_{database_.PoolOptions()};
};

TEST_F(RowTest, GivesBackEveryTypeAsItWasSent) {
  EXPECT_EQ(RoundTrip<std::string>("text", "ñandú 'x' \\ $1").value(), "ñandú 'x' \\ $1");
  EXPECT_EQ(RoundTrip<std::string>("text", "").value(), "");
  EXPECT_EQ(RoundTrip<int64_t>("bigint", std::numeric_limits<int64_t>::min()).value(),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(RoundTrip<int32_t>("integer", 7u).value(), 7);
  EXPECT_EQ(RoundTrip<bool>("boolean", true).value(), true);
  EXPECT_EQ(RoundTrip<bool>("boolean", false).value(), false);
  EXPECT_EQ(RoundTrip<double>("double precision", 0.1).value(), 0.1);
  EXPECT_EQ(RoundTrip<double>("double precision", std::numeric_limits<double>::infinity()).value(),
            std::numeric_limits<double>::infinity());
}

TEST_F(RowTest, GivesBackBytesOfEveryValue) {
  std::string all(256, '\0');
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i);
  EXPECT_EQ(RoundTrip<Bytes>("bytea", Bytes{all}).value().value, all);
  EXPECT_EQ(RoundTrip<Bytes>("bytea", Bytes{""}).value().value, "");
}

TEST_F(RowTest, GivesBackTimesToTheMicrosecond) {
  for (const absl::Time time :
       {absl::FromUnixMicros(1'800'000'000'123'456), absl::UnixEpoch(), absl::FromUnixMicros(-1),
        absl::FromUnixSeconds(1'711'846'800),         // a daylight saving change
        absl::FromUnixMicros(1'709'210'096'050'000),  // 29 February, and a fraction ends in zeros
        absl::FromUnixSeconds(253'402'300'800),       // the year 10000
        absl::InfiniteFuture(), absl::InfinitePast()}) {
    EXPECT_EQ(RoundTrip<absl::Time>("timestamptz", time).value(), time) << time;
  }
}

TEST_F(RowTest, SendsAnArrayOfAnyValues) {
  const std::vector<std::optional<std::string>> texts = {
      "plain", "", "NULL", "{a,b}", "\"quoted\" \\ 'x'", "ñandú\n", std::nullopt};
  const std::string bytes = std::string("\0\\\"", 3);
  const absl::Time time = absl::FromUnixMicros(1'800'000'000'123'456);
  Array text_array, byte_array, number_array, time_array;
  for (const auto& text : texts) {
    text_array.Add(text);
    byte_array.Add(Bytes{bytes});
    number_array.Add(-5);
    time_array.Add(time);
  }
  ASSERT_THAT(pool_.Transact([&](Transaction& transaction) {
    const auto rows = transaction.Execute(
        "SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::timestamptz[])"
        " AS a (text, bytes, number, time)",
        {text_array, byte_array, number_array, time_array});
    if (!rows.ok()) return rows.status();
    EXPECT_EQ(rows->size(), texts.size());
    for (size_t i = 0; i < rows->size(); ++i) {
      const Row row = (*rows)[i];
      EXPECT_EQ(row.Get<std::optional<std::string>>("text"), texts[i]);
      EXPECT_EQ(row.Get<Bytes>("bytes").value, bytes);
      EXPECT_EQ(row.Get<int64_t>("number"), -5);
      EXPECT_EQ(row.Get<absl::Time>("time"), time);
    }
    return transaction.Execute("SELECT 1 / (1 - cardinality($1::text[]))", {Array()}).status();
  }),
              IsOk());
}

TEST_F(RowTest, CutsTimesToTheMicrosecond) {
  const absl::Time time = absl::FromUnixMicros(1'800'000'000'123'456);
  EXPECT_EQ(RoundTrip<absl::Time>("timestamptz", time + absl::Nanoseconds(999)).value(), time);
}

TEST_F(RowTest, HasNothingForNullInAnOptional) {
  EXPECT_EQ(RoundTrip<std::optional<std::string>>("text", std::nullopt).value(), std::nullopt);
  EXPECT_EQ(RoundTrip<std::optional<int64_t>>("bigint", std::optional<int64_t>()).value(),
            std::nullopt);
  EXPECT_EQ(RoundTrip<std::optional<int64_t>>("bigint", std::optional<int64_t>(5)).value(), 5);
  EXPECT_EQ(RoundTrip<std::optional<Bytes>>("bytea", Bytes{"x"}).value(), Bytes{"x"});
}

TEST_F(RowTest, EndsTheTransactionWhenAGetterDoesNotFit) {
  EXPECT_THAT(RoundTrip<std::string>("text", std::nullopt), HasReason("DATABASE_ERROR"));
  EXPECT_THAT(RoundTrip<int64_t>("text", "seven"), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(RoundTrip<int32_t>("bigint", int64_t{1} << 40),
              StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(RoundTrip<absl::Time>("timestamp", "2026-01-01"),
              StatusIs(absl::StatusCode::kInternal));
  for (const char* const text :
       {"", "+00", "no time but as long as one+00", "2026-01-01 00:00:0x+00",
        "2026-01-01 00:00:00.+00", "2026-01-01 00:00:00.1234567+00", "1234567-01-01 00:00:00+00"}) {
    EXPECT_THAT(RoundTrip<absl::Time>("text", text), StatusIs(absl::StatusCode::kInternal)) << text;
  }
  EXPECT_THAT(pool_.Transact([](Transaction& transaction) -> absl::StatusOr<std::string> {
    const auto rows = transaction.Execute("SELECT 1 AS value");
    if (!rows.ok()) return rows.status();
    return (*rows)[0].Get<std::string>("valve");
  }),
              StatusIs(absl::StatusCode::kInternal));
}

TEST_F(RowTest, StandsForEachRowInItsOrder) {
  std::string seen;
  ASSERT_THAT(pool_.Transact([&](Transaction& transaction) {
    const auto rows = transaction.Execute("SELECT n FROM generate_series(1, 3) AS n");
    if (!rows.ok()) return rows.status();
    for (const Row& row : *rows) seen += std::to_string(row.Get<int32_t>("n"));
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_EQ(seen, "123");
}

}  // namespace
}  // namespace naval::postgres
