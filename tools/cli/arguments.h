#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "naval/lobby/v1/lobby_service.pb.h"
#include "naval/ranking/v1/ranking_service.pb.h"
#include "tools/client/addresses.h"

namespace naval::cli {

// What naval-cli is asked to do, one value a command. An empty id means the stored one.

struct GuestCommand {};
struct RegisterCommand {
  std::string handle;
  // "-" for standard input; empty: the terminal is asked.
  std::string password_file;
};
struct LogInCommand {
  std::string handle;
  std::string password_file;
};
struct LogOutCommand {
  // Only the stored session goes; the server is not asked.
  bool forget = false;
};
struct WhoAmICommand {};

struct RulesCommand {};
struct TablesCommand {
  lobby::v1::ListTablesRequest request;
};
struct TableCommand {
  std::string table_id;
};
struct MatchesCommand {};
struct CreateCommand {
  lobby::v1::CreateTableRequest request;
};
struct JoinCommand {
  lobby::v1::JoinTableRequest request;
};
struct LeaveCommand {
  std::string table_id;
};

struct ShowCommand {
  std::string match_id;
};
struct WaitCommand {
  std::string match_id;
  absl::Duration limit = absl::InfiniteDuration();
};
struct ProposeCommand {
  std::string match_id;
  // Each as ParseShip reads it.
  std::vector<std::string> ships;
};
struct PlaceCommand {
  std::string match_id;
  std::vector<std::string> ships;
};
struct ConfirmCommand {
  std::string match_id;
  // Also where that loses the match.
  bool illegal = false;
};
struct FireCommand {
  std::string match_id;
  std::vector<std::string> squares;
};
struct ResignCommand {
  std::string match_id;
};
struct ClaimCommand {
  std::string match_id;
};
struct WatchCommand {
  std::string match_id;
};
struct PlayCommand {
  std::string match_id;
  // Opened where no match is going on.
  std::optional<lobby::v1::CreateTableRequest> table;
};

struct LeaderboardCommand {
  ranking::v1::ListLeaderboardRequest request;
};
struct RatingCommand {
  ranking::v1::GetRatingRequest request;
};

using Command =
    std::variant<GuestCommand, RegisterCommand, LogInCommand, LogOutCommand, WhoAmICommand,
                 RulesCommand, TablesCommand, TableCommand, MatchesCommand, CreateCommand,
                 JoinCommand, LeaveCommand, ShowCommand, WaitCommand, ProposeCommand, PlaceCommand,
                 ConfirmCommand, FireCommand, ResignCommand, ClaimCommand, WatchCommand,
                 PlayCommand, LeaderboardCommand, RatingCommand>;

struct Arguments {
  client::Addresses addresses;
  // How long a call may take, all its tries together.
  absl::Duration timeout = absl::ZeroDuration();
  // Empty: where StateFile::DefaultPath says.
  std::string state_file;
  // JSON on standard output and for errors, instead of text for people.
  bool json = false;
  Command command;
};

// Reads the command line and the environment (NAVAL_LOBBY and the like). Nullopt when `arguments`
// holds a command to run; else the exit code, and what is to be said (the help, what is wrong) was
// printed.
std::optional<int> ParseArguments(int argc, const char* const* argv, Arguments& arguments);

}  // namespace naval::cli
