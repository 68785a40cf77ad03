#include "tools/load/inserts.h"

#include <libpq-fe.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "tools/load/cpu.h"

namespace naval::load {
namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr char kInsert[] =
    "INSERT INTO naval_load_event SELECT * FROM"
    " unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::smallint[], $5::bytea[])";

// `count` times the text, as an array.
std::string ArrayOf(int count, const std::string& text) {
  return absl::StrCat(
      "{", absl::StrJoin(std::vector<std::string>(static_cast<std::size_t>(count), text), ","),
      "}");
}

class Connection {
 public:
  explicit Connection(const std::string& connection_string)
      : connection_(PQconnectdb(connection_string.c_str()), &PQfinish) {}
  ~Connection() { (void)Query("DROP TABLE IF EXISTS naval_load_event"); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  absl::Status Open() {
    if (PQstatus(connection_.get()) != CONNECTION_OK) return Error();
    // One that a run left behind was never anything else.
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    NAVAL_RETURN_IF_ERROR(Query("DROP TABLE IF EXISTS naval_load_event").status());
    NAVAL_RETURN_IF_ERROR(Query("CREATE TABLE naval_load_event (match_id uuid, seq bigint, kind "
                                "smallint, seat smallint, body bytea, PRIMARY KEY (match_id, seq))")
                              .status());
    return Check(Result(PQprepare(connection_.get(), "insert", kInsert, 0, nullptr), &PQclear));
  }

  // The first value that it returns; empty when it returns none.
  absl::StatusOr<std::string> Query(const char* sql) {
    Result result(PQexec(connection_.get(), sql), &PQclear);
    std::string value;
    if (PQntuples(result.get()) > 0) value = PQgetvalue(result.get(), 0, 0);
    NAVAL_RETURN_IF_ERROR(Check(result));
    return value;
  }

  absl::Status Insert(const std::array<const char*, 5>& arrays) {
    return Check(
        Result(PQexecPrepared(connection_.get(), "insert", 5, arrays.data(), nullptr, nullptr, 0),
               &PQclear));
  }

 private:
  absl::Status Check(const Result& result) const {
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return absl::OkStatus();
    return Error();
  }

  absl::Status Error() const {
    return absl::UnavailableError(
        absl::StrCat("Postgres: ", absl::StripAsciiWhitespace(PQerrorMessage(connection_.get()))));
  }

  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

}  // namespace

absl::StatusOr<InsertFigures> MeasureInserts(const std::string& connection_string, int batch,
                                             absl::Duration duration, base::Clock& clock) {
  Connection connection(connection_string);
  NAVAL_RETURN_IF_ERROR(connection.Open());
  std::vector<std::string> matches;
  for (int i = 0; i < batch; ++i) {
    matches.push_back(absl::StrFormat("00000000-0000-7000-8000-%012x", i));
  }
  const std::string match_ids = absl::StrCat("{", absl::StrJoin(matches, ","), "}");
  const std::string ones = ArrayOf(batch, "1");
  const std::string bodies = ArrayOf(batch, absl::StrCat("\"\\\\x", std::string(48, '7'), "\""));
  int64_t seq = 0;
  const absl::Time begin = clock.Now();
  do {
    const std::string seqs = ArrayOf(batch, absl::StrCat(++seq));
    NAVAL_RETURN_IF_ERROR(connection.Insert(
        {match_ids.c_str(), seqs.c_str(), ones.c_str(), ones.c_str(), bodies.c_str()}));
  } while (clock.Now() - begin < duration);
  InsertFigures figures;
  figures.events_per_second =
      static_cast<double>(seq * batch) / absl::ToDoubleSeconds(clock.Now() - begin);
  const absl::StatusOr<std::string> fsync = connection.Query("SHOW fsync");
  NAVAL_RETURN_IF_ERROR(fsync.status());
  figures.fsync = *fsync == "on";
  const absl::StatusOr<std::string> backend = connection.Query("SELECT pg_backend_pid()");
  NAVAL_RETURN_IF_ERROR(backend.status());
  pid_t pid = 0;
  if (absl::SimpleAtoi(*backend, &pid)) figures.postmaster = PostmasterOf(pid);
  return figures;
}

}  // namespace naval::load
