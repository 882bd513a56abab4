// What names stand for in the body of an entry of PTX, and the operands that are written with them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/ptx/program.h"

namespace headroom::ptx {

std::string trimmed(std::string_view text);

// At commas outside of brackets and braces.
std::vector<std::string> split_operands(std::string_view text);

// All of the text as a whole number, as PTX writes it: 7, -7, 0x1F; octal behind a 0.
std::optional<std::uint64_t> parsed_number(std::string_view text);

// Errors are the word that is not known.
class Symbols {
 public:
  struct Register {
    std::uint32_t index = 0;
    bool is_predicate = false;
  };

  // Registers are known up to the end of the braces that they stand in.
  void open_scope() { scopes_.emplace_back(); }
  void close_scope();
  void add_register(const std::string& name, Register made) { scopes_.back()[name] = made; }
  const Register* find_register(const std::string& name) const;

  void add_variable(const std::string& name, std::uint64_t place) { variables_[name] = place; }

  Result<Operand> operand(const std::string& text) const;

 private:
  Result<Operand> vector(const std::vector<std::string>& texts) const;
  Result<Operand> address(const std::string& text) const;
  Result<Operand> number(const std::string& text) const;

  std::vector<std::map<std::string, Register>> scopes_ = std::vector<std::map<std::string, Register>>(1);
  std::map<std::string, std::uint64_t> variables_;  // places in shared memory; of a parameter in theirs
};

}  // namespace headroom::ptx
