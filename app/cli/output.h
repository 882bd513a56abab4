// What goes out: text on stdout, notes on stderr, files.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/result.h"

namespace headroom::cli {

using Json = nlohmann::ordered_json;

// To stdout, at once. The first failure is told on stderr and nothing more is written; the program then ends with
// kNoResource.
void print(const std::string& text);
// Beside what was asked for, and so on a terminal alone, in faint letters. False: nothing was written.
bool printFaint(const std::string& text);
void printLine(const std::string& text);
void printJson(const Json& json);         // indented, bytes that are not UTF-8 replaced
std::string jsonText(const Json& json);   // as printJson() writes it, without the line end
void printNote(const std::string& text);  // to stderr, on one line

// One line on stderr that is written over, for people who look; nothing where stderr is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  void show(unsigned percent, const std::string& what);
  void clear();

 private:
  bool m_isSeen, m_isShown = false;
};

// Whether stdout took no more, or its reader went away although nothing was written since: whoever computes for it can
// stop. Main thread.
bool outputIsLost();

// A file for results. It is opened before the work begins, so that a path that cannot be written costs no computing,
// and what stood in it stays until there is something to write.
class OutputFile {
 public:
  static Result<OutputFile> open(const std::string& path);  // kResource

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();  // a file that was made here and never written goes away again

  Status write(const std::string& bytes);  // once; kResource

 private:
  OutputFile(std::string path, int descriptor, bool isNew);
  std::string m_path;
  int m_descriptor = -1;
  bool m_isNew = false;
};

// As above where the option was given; nothing where `path` is empty.
Result<std::optional<OutputFile>> openIfNamed(const std::string& path);

}  // namespace headroom::cli
