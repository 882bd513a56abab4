#include "line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>

namespace headroom::cli {
namespace {

class LineReaderTest : public testing::Test {
 protected:
  LineReaderTest() { m_interrupts.hear(); }
  ~LineReaderTest() override {
    close(m_ends[0]);
    endInput();
  }
  void type(const std::string& text) const {
    ASSERT_EQ(write(m_ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void endInput() {
    if (m_ends[1] >= 0) close(m_ends[1]);
    m_ends[1] = -1;
  }
  std::optional<std::string> next() {
    const Result<std::optional<std::string>> line = m_lines.next();
    EXPECT_TRUE(line.ok());
    return line.ok() ? *line : std::nullopt;
  }

  Interrupts m_interrupts;
  std::array<int, 2> m_ends = newPipe();
  LineReader m_lines{m_ends[0], m_interrupts};

 private:
  static std::array<int, 2> newPipe() {
    std::array<int, 2> ends{};
    CHECK(pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe");
    return ends;
  }
};

TEST_F(LineReaderTest, lines_come_one_by_one_without_their_ends) {
  using namespace std::string_literals;
  type("one\ntwo\r\n\nze\0ro\nlast"s);
  endInput();
  for (const std::string& line : {"one"s, "two"s, ""s, "ze\0ro"s, "last"s}) EXPECT_EQ(next(), line);
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_EQ(next(), std::nullopt);
}

TEST_F(LineReaderTest, a_line_longer_than_any_buffer_is_whole) {
  const std::string line(3'000'000, 'x');
  std::thread typist([&] {
    type(line + "\nnext\n");
    endInput();
  });
  EXPECT_EQ(next(), line);
  EXPECT_EQ(next(), "next");
  typist.join();
}

TEST_F(LineReaderTest, an_interrupt_that_came_before_the_wait_ends_it) {
  std::raise(SIGINT);
  EXPECT_EQ(next(), std::nullopt) << "nothing is typed, and nobody waits";
}

TEST_F(LineReaderTest, lines_that_were_typed_ahead_of_an_interrupt_are_not_read) {
  type("one\ntwo\n");
  EXPECT_EQ(next(), "one");
  std::raise(SIGINT);
  EXPECT_EQ(next(), std::nullopt);
}

TEST_F(LineReaderTest, an_interrupt_ends_a_wait) {
  std::thread other([] { kill(getpid(), SIGINT); });  // before the wait, in it, or between look and wait
  EXPECT_EQ(next(), std::nullopt);
  other.join();
}

}  // namespace
}  // namespace headroom::cli
