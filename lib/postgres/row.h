#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/postgres/value.h"

namespace pqxx {
class result;
}

namespace naval::postgres {

struct FetchedRows;

// One row of a result. Valid as long as it lives, also after its Rows. Not tied to the transaction,
// but read it inside the body of Pool::Transact or TransactAlone: see Get.
class Row {
 public:
  // The value of `column`. T is std::string, int64_t, int32_t, bool, double, absl::Time, Bytes, or
  // a std::optional of one of these (nothing for NULL). A column that is not there, is NULL without
  // an optional or does not fit T is a mistake in our code: inside Pool::Transact the transaction
  // rolls back and ends with INTERNAL, elsewhere the process ends.
  template <typename T>
  T Get(absl::string_view column) const;

 private:
  friend class Rows;
  Row(std::shared_ptr<const FetchedRows> result, size_t index);

  // Valid as long as the row.
  std::optional<absl::string_view> Text(absl::string_view column) const;

  std::shared_ptr<const FetchedRows> result_;
  size_t index_;
};

// The rows that a statement returned, in order:
//   for (const Row& row : rows) ids.push_back(row.Get<std::string>("match_id"));
class Rows {
 public:
  class Iterator {
   public:
    Row operator*() const { return (*rows_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    friend class Rows;
    Iterator(const Rows* rows, size_t index) : rows_(rows), index_(index) {}
    const Rows* rows_;
    size_t index_;
  };

  explicit Rows(const pqxx::result& result);

  size_t size() const;
  bool empty() const { return size() == 0; }
  // How many rows an INSERT, UPDATE or DELETE touched, also when it returned none.
  size_t affected() const;
  // `index` must be less than size().
  Row operator[](size_t index) const;
  Iterator begin() const { return Iterator(this, 0); }
  Iterator end() const { return Iterator(this, size()); }

 private:
  std::shared_ptr<const FetchedRows> result_;
};

}  // namespace naval::postgres
