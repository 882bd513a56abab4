// A locale that writes a comma in numbers and names months otherwise, for the time of a test. The window's process has
// that of its user.
#pragma once

#include <clocale>
#include <cstdlib>
#include <string>

#include "support/temp_folder.h"

namespace headroom::test {

class CommaLocale {
 public:
  // Of those that are installed, else made by localedef from the sources of the C library.
  CommaLocale() {
    before_ = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"})
      if (take(name)) return;
    const std::string folder = folder_.path().string();
    const std::string make = "localedef -i de_DE -f UTF-8 '" + folder + "/de_DE.UTF-8' > /dev/null 2>&1";
    if (std::system(make.c_str()) != 0) return;
    setenv("LOCPATH", folder.c_str(), 1);
    take("de_DE.UTF-8");
    unsetenv("LOCPATH");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;
  ~CommaLocale() { std::setlocale(LC_ALL, before_.c_str()); }

  bool is_there() const { return is_there_; }

 private:
  bool take(const char* name) {
    is_there_ = std::setlocale(LC_ALL, name) != nullptr && std::strtod("1,5", nullptr) == 1.5;
    return is_there_;
  }

  TempFolder folder_;
  std::string before_;
  bool is_there_ = false;
};

inline constexpr const char* kNoCommaLocale = "no locale with a comma is installed, and localedef makes none";

}  // namespace headroom::test
