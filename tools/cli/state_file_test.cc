#include "tools/cli/state_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace naval::cli {
namespace {

using naval::testing::HasReason;
using naval::testing::IsOk;
using naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

lobby::v1::Session Session(const std::string& account_id) {
  lobby::v1::Session session;
  session.mutable_account()->set_account_id(account_id);
  session.set_access_token(absl::StrCat("access of ", account_id));
  session.set_refresh_token(absl::StrCat("refresh of ", account_id));
  session.mutable_refresh_token_expire_time()->set_seconds(1'700'000'000);
  return session;
}

unsigned ModeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

class StateFileTest : public ::testing::Test {
 protected:
  absl::Status Keep(const std::string& account_id) {
    return file_.ChangeSession([&](const lobby::v1::Session&) { return Session(account_id); })
        .status();
  }

  testing::TemporaryFolder folder_;
  StateFile file_{absl::StrCat(folder_.path(), "/new/folder/cli.json")};
};

TEST_F(StateFileTest, KeepsAllForTheNextCommandAndForNobodyElse) {
  EXPECT_TRUE(file_.Read()->session.access_token().empty());
  ASSERT_THAT(Keep("ana"), IsOk());
  ASSERT_THAT(file_.Change([](State& state) {
    state.table_id = "table";
    state.match_id = "match";
    state.open_table_ids = {"other", "table"};
    return absl::OkStatus();
  }),
              IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const State state, StateFile(file_.path()).Read());
  EXPECT_EQ(state.session.SerializeAsString(), Session("ana").SerializeAsString());
  EXPECT_EQ(state.table_id, "table");
  EXPECT_EQ(state.match_id, "match");
  EXPECT_THAT(state.open_table_ids, ElementsAre("other", "table"));
  EXPECT_EQ(ModeOf(file_.path()), 0600u);
  EXPECT_EQ(ModeOf(std::filesystem::path(file_.path()).parent_path()), 0700u);
}

TEST_F(StateFileTest, ForgetsTheTableAndMatchOfAnotherAccount) {
  ASSERT_THAT(Keep("ana"), IsOk());
  ASSERT_THAT(file_.Change([](State& state) {
    state.match_id = "match";
    return absl::OkStatus();
  }),
              IsOk());
  ASSERT_THAT(Keep("ana"), IsOk());
  EXPECT_EQ(file_.Read()->match_id, "match");
  ASSERT_THAT(Keep("bruno"), IsOk());
  EXPECT_EQ(file_.Read()->match_id, "");
}

TEST_F(StateFileTest, TakesTheLastTableOfAFileThatHasNoListForAnOpenOne) {
  ASSERT_THAT(Keep("ana"), IsOk());
  std::ofstream(file_.path()) << R"({"session": {}, "tableId": "table", "matchId": "match"})";
  EXPECT_THAT(file_.Read()->open_table_ids, ElementsAre("table"));
}

TEST_F(StateFileTest, StaysAsItWasWhenAChangeFails) {
  ASSERT_THAT(Keep("ana"), IsOk());
  EXPECT_THAT(file_.Change([](State& state) {
    state = {};
    return absl::UnavailableError("away");
  }),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(file_.Read()->session.account().account_id(), "ana");
}

TEST_F(StateFileTest, LetsOneChangeAtATime) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      // Each with a file of its own, as processes have.
      StateFile file(file_.path());
      for (int k = 0; k < 10; ++k) {
        EXPECT_THAT(file.Change([](State& state) {
          state.match_id += "x";
          return absl::OkStatus();
        }),
                    IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(file_.Read()->match_id, std::string(80, 'x'));
}

TEST_F(StateFileTest, OverwritesWhatAKilledCommandLeft) {
  ASSERT_THAT(Keep("ana"), IsOk());
  std::ofstream(absl::StrCat(file_.path(), ".new")) << "half of";
  ASSERT_THAT(Keep("bruno"), IsOk());
  EXPECT_EQ(ModeOf(file_.path()), 0600u);
  EXPECT_EQ(file_.Read()->session.account().account_id(), "bruno");
}

TEST_F(StateFileTest, RefusesAFileThatOthersMayRead) {
  ASSERT_THAT(Keep("ana"), IsOk());
  ASSERT_EQ(chmod(file_.path().c_str(), 0640), 0);
  EXPECT_THAT(file_.Read(), HasReason("STATE_FILE"));
  EXPECT_THAT(std::string(file_.Read().status().message()), HasSubstr("mode 0640"));
}

TEST_F(StateFileTest, NamesAFileThatIsNoState) {
  ASSERT_THAT(Keep("ana"), IsOk());
  for (const char* const text :
       {"", "{", "7", "[]", "{}", R"({"session": 7})", R"({"session": {"account": "ana"}})"}) {
    std::ofstream(file_.path()) << text;
    EXPECT_THAT(file_.Read(), HasReason("STATE_FILE")) << text;
  }
  EXPECT_THAT(StateFile(folder_.path()).Read(), HasReason("STATE_FILE"));
  EXPECT_THAT(StateFile("/dev/null/cli.json").Change([](State&) { return absl::OkStatus(); }),
              HasReason("STATE_FILE"));
}

TEST(StateFilePath, FollowsTheXdgFolders) {
  setenv("HOME", "/home/ana", 1);
  unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(*StateFile::DefaultPath(), "/home/ana/.local/state/naval/cli.json");
  setenv("XDG_STATE_HOME", "relative", 1);
  EXPECT_EQ(*StateFile::DefaultPath(), "/home/ana/.local/state/naval/cli.json");
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(*StateFile::DefaultPath(), "/state/naval/cli.json");
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  EXPECT_THAT(StateFile::DefaultPath(), HasReason("USAGE"));
}

}  // namespace
}  // namespace naval::cli
