#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace headroom::test {

// A variable of the environment, for this program and those that it starts meanwhile; afterwards it is as it was.
class UseVariable {
 public:
  UseVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  UseVariable(const UseVariable&) = delete;
  UseVariable& operator=(const UseVariable&) = delete;
  ~UseVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace headroom::test
