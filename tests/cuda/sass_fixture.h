// Machine code for tests, written shortly.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "support/sass/listing.h"

namespace headroom::test {

// A listing as nvdisasm writes it, from lines that are instructions, labels (".L_x_1:") or where the next ones come
// from
// ("from a.cuh:12 b.cu:7": a line, and where it was inlined).
inline std::string sass_listing(const std::string& name, const std::string& lines) {
  std::string text = fmt::format("\t.section\t.text.{},\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=8\"\n", name);
  std::istringstream stream(lines);
  int offset = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    if (line.front() == '.') {
      text += line + "\n";
    } else if (line.starts_with("from ")) {
      std::istringstream origin(line.substr(5));
      for (std::string place; origin >> place;) {
        const std::size_t colon = place.find(':');
        text += fmt::format("\t//## File \"/a/b/{}\", line {} inlined at \"/a/c.cu\", line 1\n", place.substr(0, colon),
                            place.substr(colon + 1));
      }
    } else {
      text += fmt::format("        /*{:04x}*/                   {} ;\n", offset, line);
      offset += 16;
    }
  }
  return text;
}

inline SassFunction sass_function(const std::string& lines, const std::string& name = "kernel") {
  std::istringstream text(sass_listing(name, lines));
  Result<std::vector<SassFunction>> functions = read_sass(text);
  EXPECT_TRUE(functions.ok()) << (functions.ok() ? "" : functions.error().message.text());
  if (!functions.ok() || functions->size() != 1) return {};
  return std::move(functions->front());
}

}  // namespace headroom::test
