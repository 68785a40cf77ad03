#include "tools/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tools/cli/failure.h"
#include "tools/cli/rule_options.h"

namespace naval::cli {
namespace {

namespace v1 = lobby::v1;

constexpr char kRuleSet[] = "tablu";
constexpr int kDefaultTimeoutSeconds = 10;
constexpr int kLongestSeconds = 100'000;

constexpr char kFooter[] =
    "What a session needs is kept in the state file: the tokens, and the last table and match,\n"
    "which commands without an id mean. naval-cli COMMAND --help tells more of a command.\n"
    "\n"
    "Exit codes: 0 done; 1 the server refused; 2 wrong usage, nothing was sent; 3 no answer in\n"
    "time: the same command may succeed later; 4 no session, or it has ended; 5 something is\n"
    "broken, on this side or in the answer; 128 + N ended by signal N.\n";

// Every string option writes to a std::string: protobuf's fields are set once all is read.
struct TableOptions {
  std::string rule_set = kRuleSet;
  // The options; the rule set and the pace stand beside it.
  game::v1::GameRules rules;
  // "live", "slow", "correspondence" or nothing.
  std::string pace;
  bool is_public = false;
  bool is_private = false;
  std::string bot;
  bool rated = false;
};

// The usual one where no name is given.
game::v1::Pace PaceNamed(absl::string_view name) {
  if (name == "live") return game::v1::PACE_LIVE;
  if (name == "slow") return game::v1::PACE_SLOW;
  if (name == "correspondence") return game::v1::PACE_CORRESPONDENCE;
  return game::v1::PACE_UNSPECIFIED;
}

v1::CreateTableRequest ToRequest(const TableOptions& options) {
  v1::CreateTableRequest request;
  game::v1::GameRules& rules = *request.mutable_rules();
  rules = options.rules;
  rules.set_rule_set(options.rule_set);
  rules.set_pace(PaceNamed(options.pace));
  request.set_bot(options.bot);
  // A public table is always rated.
  request.set_rated(options.rated || options.is_public);
  request.set_kind(options.is_public    ? v1::TABLE_KIND_PUBLIC
                   : options.is_private ? v1::TABLE_KIND_PRIVATE
                                        : v1::TABLE_KIND_BOT);
  return request;
}

// Codes have 22 characters and no dashes at these places.
bool LooksLikeAnId(absl::string_view text) {
  return text.size() == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' &&
         text[23] == '-';
}

class Parser {
 public:
  explicit Parser(Arguments& arguments) : arguments_(arguments) {
    // None at all is found out after parsing: the library would hide a wrong name behind that.
    app_.require_subcommand(0, 1);
    // The options of every command may stand behind it too.
    app_.fallthrough();
    app_.failure_message([this](const CLI::App* app, const CLI::Error& error) {
      const auto commands = app->get_subcommands();
      const std::string command = commands.empty() ? "" : commands.front()->get_name() + " ";
      const absl::Status status =
          UsageError(absl::StrCat(error.what(), "; see '", CommandLine(command + "--help"), "'"));
      return wants_json_ ? FailureJson(status) : FailureText(status);
    });
    AddCommonOptions();
    AddAccountCommands();
    AddTableCommands();
    AddMatchCommands();
    AddPlayCommands();
    AddRankingCommands();
    // Set last, it is not taken over by the commands.
    app_.footer(kFooter);
  }

  std::optional<int> Parse(int argc, const char* const* argv) {
    // Words that cannot be parsed are to be told of in this form too.
    wants_json_ = std::find(argv, argv + argc, absl::string_view("--json")) != argv + argc;
    if (const int code = ParseOrSay(argc, argv); code != kParsed) {
      return code == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
    }
    arguments_.timeout = absl::Seconds(timeout_seconds_);
    return std::nullopt;
  }

 private:
  static constexpr int kParsed = -1;

  // The library's own way to keep its exceptions to itself: it prints, and gives its exit code.
  int ParseOrSay(int argc, const char* const* argv) {
    CLI11_PARSE(app_, argc, argv);
    if (!app_.get_subcommands().empty()) return kParsed;
    return app_.exit(CLI::RequiredError("A command"));
  }

  // A command whose options write into the C that comes back; it is taken when it was named.
  template <typename C>
  std::pair<CLI::App*, std::shared_ptr<C>> Add(const std::string& name, const std::string& help) {
    auto command = std::make_shared<C>();
    CLI::App* const app = app_.add_subcommand(name, help);
    app->final_callback([this, command] { arguments_.command = *command; });
    return {app, command};
  }

  void AddCommonOptions() {
    auto& [lobby, match, ranking] = arguments_.addresses;
    const auto address = [&](const std::string& name, std::string& target, const char* usual) {
      target = usual;
      std::string variable = absl::StrCat("NAVAL_", name);
      for (char& letter : variable)
        letter = absl::ascii_toupper(static_cast<unsigned char>(letter));
      app_.add_option(absl::StrCat("--", name), target,
                      absl::StrCat("Where the ", name, " service answers"))
          ->envname(variable)
          ->take_last()
          ->capture_default_str()
          ->type_name("HOST:PORT");
    };
    address("lobby", lobby, "127.0.0.1:7101");
    address("match", match, "127.0.0.1:7102");
    address("ranking", ranking, "127.0.0.1:7103");
    app_.add_option("--state", arguments_.state_file,
                    "Where the session is kept, readable by you alone "
                    "(default: naval/cli.json in $XDG_STATE_HOME or ~/.local/state)")
        ->envname("NAVAL_STATE")
        ->type_name("FILE");
    app_.add_flag("--json", arguments_.json,
                  "Print the answer as the API's JSON, and an error as JSON too");
    app_.add_option("--timeout", timeout_seconds_,
                    "How long a call may take, with all that is tried again")
        ->check(CLI::Range(1, kLongestSeconds))
        ->capture_default_str()
        ->type_name("SECONDS");
  }

  template <typename C>
  void AddNamed(const std::string& name, const std::string& help) {
    const auto [app, command] = Add<C>(name, help);
    app->add_option("handle", command->handle, "The name that others see")->required();
    app->add_option("--password-file", command->password_file,
                    "Where the first line is the password, - for standard input; "
                    "without it the terminal asks")
        ->type_name("FILE");
  }

  void AddAccountCommands() {
    Add<GuestCommand>("guest", "Make a guest, who may play bots");
    AddNamed<RegisterCommand>(
        "register",
        "Make an account, or turn the guest who is logged in into one that stays; its password "
        "has 15 characters or more");
    AddNamed<LogInCommand>("login", "Open a session of an account");
    const auto [app, command] =
        Add<LogOutCommand>("logout", "End the session; a guest is gone with it");
    app->add_flag("--forget", command->forget,
                  "Only forget the session here, for one that the server does not know any more");
    Add<WhoAmICommand>("whoami", "Say who is logged in");
  }

  template <typename Request>
  void AddPages(CLI::App* app, Request& request) {
    app->add_option_function<int32_t>(
           "--page-size", [&](int32_t size) { request.set_page_size(size); },
           "How many to list: 50 where it is not given, 200 at most")
        ->type_name("N");
    app->add_option_function<std::string>(
           "--page-token", [&](const std::string& token) { request.set_page_token(token); },
           "Go on after the page that gave this token")
        ->type_name("TOKEN");
  }

  static void AddRules(CLI::App* app, TableOptions& options) {
    app->add_option("--rule-set", options.rule_set, "What is played, see naval-cli rules")
        ->capture_default_str()
        ->type_name("ID");
    for (const RuleOption& option : kRuleOptions) {
      app->add_flag_callback(
          option.flag, [&option, &rules = options.rules] { (rules.*option.set)(true); },
          option.help);
    }
    app->add_option("--pace", options.pace, "How fast it goes, if not as usual")
        ->check(CLI::IsMember({"live", "slow", "correspondence"}))
        ->type_name("PACE");
  }

  void AddTableCommands() {
    Add<RulesCommand>("rules", "List the rule sets with their fleets and clocks");
    const auto [tables, tables_command] =
        Add<TablesCommand>("tables", "List the open public tables");
    AddPages(tables, tables_command->request);
    const auto [table, table_command] = Add<TableCommand>("table", "Show a table");
    table->add_option("table-id", table_command->table_id, "The table, if not the last one");

    Add<MatchesCommand>("matches",
                        "List your matches that go on and your open tables, of those that were "
                        "begun with this state file");

    CLI::App* const create =
        app_.add_subcommand("create", "Open a table; against a bot the match begins at once");
    const auto options = std::make_shared<TableOptions>();
    CLI::Option_group* const kind = create->add_option_group("kind", "Who may come");
    kind->add_flag("--public", options->is_public, "Everybody; always rated");
    kind->add_flag("--private", options->is_private, "Who has the code that is shown");
    kind->add_option("--bot", options->bot, "A bot: jota (easy), as, rey (hard)")->type_name("ID");
    kind->require_option(1);
    create->add_flag("--rated", options->rated, "The match changes ratings");
    AddRules(create, *options);
    create->final_callback(
        [this, options] { arguments_.command = CreateCommand{.request = ToRequest(*options)}; });

    const auto [join, join_command] = Add<JoinCommand>("join", "Take the free seat of a table");
    join->add_option_function<std::string>(
            "table",
            [request = &join_command->request](const std::string& which) {
              if (LooksLikeAnId(which)) {
                request->set_table_id(which);
              } else {
                request->set_join_code(which);
              }
            },
            "The code of a private table, or the id of a public one")
        ->required();
    const auto [leave, leave_command] =
        Add<LeaveCommand>("leave", "Leave a table before its match begins; one's own closes");
    leave->add_option("table-id", leave_command->table_id, "The table, if not the last one");
  }

  // A command about a match, the last one if it is not named.
  template <typename C>
  std::pair<CLI::App*, std::shared_ptr<C>> AddOfMatch(const std::string& name,
                                                      const std::string& help) {
    auto added = Add<C>(name, help);
    added.first->add_option("--match-id", added.second->match_id, "The match, if not the last one")
        ->type_name("ID");
    return added;
  }

  void AddMatchCommands() {
    AddOfMatch<ShowCommand>("show", "Show the match as it stands");
    const auto [wait, wait_command] = AddOfMatch<WaitCommand>(
        "wait", "Wait until the match wants something of you, or is over; then show it");
    wait->add_option_function<int>(
            "--limit",
            [limit = &wait_command->limit](int seconds) { *limit = absl::Seconds(seconds); },
            "Give up after so long, with exit code 3")
        ->check(CLI::Range(1, kLongestSeconds))
        ->type_name("SECONDS");
    constexpr char kShips[] =
        "SHIP=BOW-STERN as in portaaviones=A1-A5, or SHIP=BOWh, SHIP=BOWv: to the right of the "
        "bow, "
        "or below it";
    const auto [propose, propose_command] =
        AddOfMatch<ProposeCommand>("propose", "Have a fleet drawn at random as your draft");
    propose->add_option("ships", propose_command->ships,
                        absl::StrCat("What stays where it is: ", kShips));
    const auto [place, place_command] = AddOfMatch<PlaceCommand>(
        "place", "Lay ships in your draft; its other ships stay where they are");
    place->add_option("ships", place_command->ships, kShips)->required();
    const auto [confirm, confirm_command] =
        AddOfMatch<ConfirmCommand>("confirm", "Confirm your draft, for good");
    confirm->add_flag("--illegal", confirm_command->illegal,
                      "Also a fleet that breaks the rules, where that loses the match");
    const auto [fire, fire_command] =
        AddOfMatch<FireCommand>("fire", "Fire at a square, or at all those of a volley");
    fire->add_option("squares", fire_command->squares, "Such as C7")->required();
    AddOfMatch<ResignCommand>("resign", "Give the match up");
    AddOfMatch<ClaimCommand>("claim", "Take the win from a rival who is absent for too long");
  }

  void AddPlayCommands() {
    AddOfMatch<WatchCommand>("watch",
                             "Follow a match to its end; with --json, a line for each event");
    const auto [play, play_command] = AddOfMatch<PlayCommand>(
        "play",
        "Play by hand, with both seas and the clock on the screen; goes on with the last match");
    const auto options = std::make_shared<TableOptions>();
    CLI::Option* const bot =
        play->add_option(
                "--bot", options->bot,
                "Begin a match against this bot, jota (easy), as or rey (hard), where none "
                "is going on; as a new guest, if nobody is logged in")
            ->type_name("ID");
    AddRules(play, *options);
    for (const char* const name : {"--rule-set", "--pace"}) play->get_option(name)->needs(bot);
    for (const RuleOption& option : kRuleOptions) play->get_option(option.flag)->needs(bot);
    play->final_callback([this, command = play_command, options] {
      if (!options->bot.empty()) command->table = ToRequest(*options);
      arguments_.command = *command;
    });
  }

  void AddRankingCommands() {
    const auto add_rule_set = [](CLI::App* app, auto& request) {
      request.set_rule_set(kRuleSet);
      app->add_option_function<std::string>(
             "--rule-set", [&](const std::string& id) { request.set_rule_set(id); },
             absl::StrCat("Of which rule set (default: ", kRuleSet, ")"))
          ->type_name("ID");
    };
    const auto [board, board_command] =
        Add<LeaderboardCommand>("leaderboard", "List the players by rating, best first");
    add_rule_set(board, board_command->request);
    AddPages(board, board_command->request);
    const auto [rating, rating_command] =
        Add<RatingCommand>("rating", "Show a rating and its rank");
    add_rule_set(rating, rating_command->request);
    rating->add_option_function<std::string>(
        "account-id",
        [request = &rating_command->request](const std::string& id) {
          request->set_account_id(id);
        },
        "Whose, if not your own");
  }

  Arguments& arguments_;
  int timeout_seconds_ = kDefaultTimeoutSeconds;
  bool wants_json_ = false;
  CLI::App app_{"Plays Batalla naval from a terminal or a script.", "naval-cli"};
};

}  // namespace

std::optional<int> ParseArguments(int argc, const char* const* argv, Arguments& arguments) {
  return Parser(arguments).Parse(argc, argv);
}

}  // namespace naval::cli
