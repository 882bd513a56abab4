// Lines that stand in a file: a document, or a lifecycle's whole table, "stage + event -> stage: effects" a row.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace headroom::test {

// The rows that a file beside the test expects, compared one by one: a row too many and a row too few fail. With
// HEADROOM_WRITE_TABLES set the file is written instead, for a change of the table to be read in the diff.
inline void expectWrittenLines(const std::vector<std::string>& rows, const std::string& path) {
  if (std::getenv("HEADROOM_WRITE_TABLES") != nullptr) {
    std::ofstream out(path);
    for (const std::string& row : rows) out << row << '\n';
    FAIL() << path << " was written anew; read it, and run without HEADROOM_WRITE_TABLES";
  }
  std::ifstream in(path);
  std::vector<std::string> expected;
  for (std::string line; std::getline(in, line);) expected.push_back(line);
  ASSERT_FALSE(expected.empty()) << path;
  EXPECT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < std::min(rows.size(), expected.size()); ++i) EXPECT_EQ(rows[i], expected[i]);
}

}  // namespace headroom::test
