// Drives the real headroom-cli with streams and files that fail: closed, full, without a reader, gone, interrupted.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "app/cli/cli_fixture.h"

namespace headroom::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A descriptor that is closed at the end of a scope, or before.
class Descriptor {
 public:
  explicit Descriptor(int number) : m_number(number) { CHECK(number >= 0, "a stream of a test cannot be opened"); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int number() const { return m_number; }
  void close() {
    if (m_number >= 0) ::close(m_number);
    m_number = -1;
  }

 private:
  int m_number;
};

struct Pipe {
  Pipe() : Pipe(made()) {}
  Descriptor reader, writer;

 private:
  static std::array<int, 2> made() {
    std::array<int, 2> ends{};
    CHECK(pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe");
    return ends;
  }
  explicit Pipe(const std::array<int, 2>& ends) : reader(ends[0]), writer(ends[1]) {}
};

void readSome(const Descriptor& from) {
  char byte = 0;
  ASSERT_EQ(read(from.number(), &byte, 1), 1);
}

class CliStreamsTest : public Cli {
 protected:
  // One command of every subcommand, with and without --json, and the texts that the parser itself prints.
  static std::vector<std::vector<std::string>> everyCommand() {
    const std::string list = write("one.json", R"([{"role": "user", "content": "hi"}])");
    const std::string text = write("text.txt", "some words to compare with each other");
    std::vector<std::vector<std::string>> commands{
        {"inspect", model},
        {"devices"},
        {"plan", model},
        {"solve", model, "--for", "ctx"},
        {"run", model, "-p", "hi", "-n", "4"},
        {"tokenize", model, "hi"},
        {"detokenize", model, "5 6"},
        {"render", model, "--messages", list},
        {"logits", model, "--tokens", "5,6", "--out", pathOf("logits.f32")},
        {"kld", model, "--file", text, "--ctx", "16"},
        {"bench", model, "-p", "4", "-n", "2", "--repeat", "1", "--threads", "1"},
        {"verify", model, "--ctx", "32"}};
    for (std::size_t i = 0, n = commands.size(); i < n; ++i) {
      commands.push_back(commands[i]);
      commands.back().emplace_back("--json");
    }
    commands.insert(commands.end(), {{"tour", model}, {"--help"}, {"--version"}, {"run", "--help"}});
    return commands;
  }
  // Answers on and on: the likeliest token each time, in a context that no test waits to see full.
  static std::vector<std::string> endless(const std::vector<std::string>& more) {
    RandomModelSpec spec = smallModel();
    spec.architecture = "qwen2";
    spec.has_end = false;
    std::vector<std::string> words{"run",   make_random_model(spec, folder->path(), "endless"), "--temp", "0", "--ctx",
                                   "200000"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(CliStreamsTest, a_chat_without_stdin_ends_and_reads_no_file_in_its_place) {
  const CliResult result = runCli({"run", model, "-n", "4", "--ctx", "64"}, CliStreams{.closed = {0}});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST_F(CliStreamsTest, a_result_that_has_no_stdout_is_an_error) {
  for (const std::vector<int>& closed : {std::vector<int>{1}, {0, 1}}) {
    const CliResult result = runCli({"plan", model}, CliStreams{.closed = closed});
    expectOneErrorLine(result, 4);
    EXPECT_THAT(result.err, HasSubstr("standard output: cannot be written"));
  }
  EXPECT_EQ(runCli({"plan", model}, CliStreams{.closed = {2}}).exitCode, 0);
}

TEST_F(CliStreamsTest, a_full_disk_ends_every_command_with_4) {
  const Descriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  for (const std::vector<std::string>& words : everyCommand()) {
    const CliResult result = runCli(words, CliStreams{.out = full.number()});
    EXPECT_EQ(result.exitCode, 4) << testing::PrintToString(words);
    EXPECT_THAT(result.err, HasSubstr("standard output: cannot be written: No space left on device"))
        << testing::PrintToString(words);
  }
}

TEST_F(CliStreamsTest, a_reader_that_went_away_ends_every_command_with_4) {
  for (const std::vector<std::string>& words : everyCommand()) {
    const CliResult result = runCliWithoutReader(words);
    EXPECT_EQ(result.exitCode, 4) << testing::PrintToString(words);
    EXPECT_THAT(result.err, HasSubstr("standard output: cannot be written: Broken pipe"))
        << testing::PrintToString(words);
  }
}

TEST_F(CliStreamsTest, an_answer_stops_when_its_reader_goes_away) {
  Pipe out;
  const std::string reportPath = pathOf("unread.json");
  const CliProcess process(endless({"-p", "hi", "--report", reportPath}), CliStreams{.out = out.writer.number()});
  out.writer.close();
  readSome(out.reader);
  out.reader.close();
  const CliResult result = process.wait();
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_THAT(result.err, HasSubstr("Broken pipe"));
  std::ifstream stream(reportPath);
  const nlohmann::json json = nlohmann::json::parse(stream);
  EXPECT_EQ(json["finish_reason"], "stopped");
  EXPECT_LT(json["context_used"], 200000);
}

TEST_F(CliStreamsTest, nothing_is_computed_for_a_reader_of_json_that_went_away) {
  const std::string reportPath = pathOf("none.json");
  EXPECT_EQ(runCliWithoutReader(endless({"-p", "hi", "--json", "--report", reportPath})).exitCode, 4);
  EXPECT_FALSE(std::filesystem::exists(reportPath)) << "there was no answer to report";
}

TEST_F(CliStreamsTest, an_interrupted_answer_ends_with_4_and_keeps_what_there_was) {
  Pipe out;
  const std::string reportPath = pathOf("interrupted.json");
  const CliProcess process(endless({"-p", "hi", "--report", reportPath}), CliStreams{.out = out.writer.number()});
  readSome(out.reader);
  process.interrupt();
  const CliResult result = process.wait();
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_THAT(result.err, testing::EndsWith("headroom-cli: interrupted\n"));
  std::ifstream stream(reportPath);
  EXPECT_EQ(nlohmann::json::parse(stream)["finish_reason"], "stopped");
}

TEST_F(CliStreamsTest, an_interrupted_script_asks_nothing_more) {
  Pipe in, out;
  const CliProcess process(endless({}), CliStreams{.in = in.reader.number(), .out = out.writer.number()});
  const std::string lines = "hi\nnever asked\n";
  ASSERT_EQ(::write(in.writer.number(), lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  readSome(out.reader);
  process.interrupt();
  const CliResult result = process.wait();
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_THAT(result.err, testing::EndsWith("headroom-cli: interrupted\n"));
}

TEST_F(CliStreamsTest, a_terminal_that_goes_away_ends_the_chat) {
  Descriptor terminal(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_EQ(grantpt(terminal.number()), 0);
  ASSERT_EQ(unlockpt(terminal.number()), 0);
  Descriptor screen(open(ptsname(terminal.number()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  const CliProcess process({"run", model, "--ctx", "64"}, CliStreams{.in = screen.number(), .out = screen.number()});
  screen.close();
  readSome(terminal);  // "> ": it waits for a message
  terminal.close();
  EXPECT_EQ(process.wait().exitCode, 4);
}

TEST_F(CliStreamsTest, a_report_that_cannot_be_written_is_refused_before_anything_is_computed) {
  for (const std::string& path : {pathOf("no/such/folder.json"), folder->path().string()}) {
    const CliResult result = runCli({"run", model, "-p", "hi", "-n", "2", "--report", path});
    expectOneErrorLine(result, 4);
    EXPECT_THAT(result.err, HasSubstr(path + ": cannot be written: "));
    EXPECT_EQ(result.out, "");
    expectOneErrorLine(runCli({"logits", model, "--tokens", "1", "--out", path}), 4);
  }
  const CliResult full = runCli({"run", model, "-p", "hi", "-n", "2", "--report", "/dev/full"});
  EXPECT_EQ(full.exitCode, 4);
  EXPECT_THAT(full.err, HasSubstr("/dev/full: cannot be written: No space left on device"));
  expectOneErrorLine(runCli({"logits", model, "--tokens", "1", "--out", "/dev/full"}), 4);
}

TEST_F(CliStreamsTest, a_failed_run_leaves_no_empty_report_and_no_other_one_changed) {
  const std::string kept = write("kept.json", "what was there");
  EXPECT_EQ(runCli({"run", model, "-p", std::string(500, 'x'), "--ctx", "32", "--report", kept}).exitCode, 1);
  std::ifstream stream(kept);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "what was there");
  EXPECT_EQ(runCli({"run", model, "-p", std::string(500, 'x'), "--ctx", "32", "--report", pathOf("new")}).exitCode, 1);
  EXPECT_FALSE(std::filesystem::exists(pathOf("new")));
}

TEST_F(CliStreamsTest, a_report_of_a_model_whose_name_is_no_utf8_can_be_written) {
  const std::string path = make_random_model({}, folder->path(), "oddly-named");
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::string key = "general.name";
  const std::size_t at = bytes.find(key);
  ASSERT_NE(at, std::string::npos);
  bytes[at + key.size() + 4 + 8] = '\xff';  // after the value's type and length
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  const CliResult result = runCli({"run", path, "-p", "hi", "-n", "2", "--report", pathOf("odd.json"), "--json"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  std::ifstream stream(pathOf("odd.json"));
  EXPECT_THAT(nlohmann::json::parse(stream)["model"].get<std::string>(), testing::StartsWith("\xEF\xBF\xBD"));
}

TEST_F(CliStreamsTest, a_pipe_is_no_model_and_nobody_waits_for_it) {
  const std::string pipe = pathOf("pipe.gguf");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"inspect", pipe}, {"plan", pipe}, {"run", pipe, "-p", "hi"}}) {
    const CliResult result = runCli(words);
    expectOneErrorLine(result, 3);
    EXPECT_THAT(result.err, HasSubstr("expected a file, found a pipe"));
  }
}

TEST_F(CliStreamsTest, text_may_come_through_a_pipe) {
  Pipe text;
  ASSERT_EQ(::write(text.writer.number(), "hi", 2), 2);
  text.writer.close();
  const CliResult result = runCli({"tokenize", model, "--file", "/dev/stdin"}, CliStreams{.in = text.reader.number()});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, runCli({"tokenize", model, "hi"}).out);
}

TEST_F(CliStreamsTest, arguments_that_are_no_utf8_do_no_harm) {
  const std::string odd = "\xff\xfe\x80 \xc3";
  const CliResult answer = runCli({"run", model, "-p", odd, "-n", "2", "--json"});
  EXPECT_EQ(answer.exitCode, 0) << answer.err;
  EXPECT_FALSE(answer.json().is_discarded());
  const CliResult tokens = runCli({"tokenize", model, odd, "--json"});
  EXPECT_EQ(tokens.exitCode, 0) << tokens.err;
  EXPECT_FALSE(tokens.json().is_discarded());
  for (const std::vector<std::string>& words : {std::vector<std::string>{"plan", model, "--device", odd},
                                                {"plan", model, "--ctx", odd},
                                                {"plan", model, "--kv-k", odd},
                                                {odd}}) {
    expectOneErrorLine(runCli(words), 2);
  }
}

TEST_F(CliStreamsTest, messages_may_hold_zero_bytes_and_end_as_on_windows) {
  using namespace std::string_literals;
  const CliResult zeros = runCli({"run", model, "-n", "2", "--ctx", "128"}, "a\0b\n\0\n"s);
  EXPECT_EQ(zeros.exitCode, 0) << zeros.err;
  EXPECT_GE(std::count(zeros.out.begin(), zeros.out.end(), '\n'), 2) << "two answers";
  const CliResult windows = runCli({"run", model, "-n", "2", "--ctx", "128"}, "/exit\r\nnever read\r\n");
  EXPECT_EQ(windows.exitCode, 0) << windows.err;
  EXPECT_EQ(windows.out, "");
}

TEST_F(CliStreamsTest, a_script_learns_that_a_message_was_too_long_and_the_others_are_answered) {
  const CliResult result =
      runCli({"run", model, "-n", "2", "--ctx", "64", "--temp", "0"}, std::string(1 << 20, 'x') + "\nhi\n");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.err, HasSubstr("the context holds 64"));
  EXPECT_THAT(result.out, Not(testing::IsEmpty()));
}

TEST_F(CliStreamsTest, input_that_cannot_be_read_is_an_error) {
  const Descriptor directory(open(folder->path().c_str(), O_RDONLY | O_CLOEXEC));
  const CliResult result = runCli({"run", model, "--ctx", "64"}, CliStreams{.in = directory.number()});
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_THAT(result.err, HasSubstr("standard input: cannot be read: Is a directory"));
}

}  // namespace
}  // namespace headroom::test
