// Expressions, and the walk over the tokens that statements share.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/lexer.h"

namespace headroom::jinja {

using Names = std::initializer_list<std::string_view>;

// One pass over the tokens of a template. Everything throws Failure, which names the line and what was found there.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

 protected:
  // Counts how deep the parser is in its own calls.
  class Nesting {
   public:
    explicit Nesting(ExpressionParser& parser);
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    ExpressionParser& parser_;
  };

  const Token& current() const { return tokens_[pos_]; }
  const Token& look_ahead() const { return tokens_[std::min(pos_ + 1, tokens_.size() - 1)]; }
  Token next() {
    Token token = current();
    if (pos_ + 1 < tokens_.size()) ++pos_;
    return token;
  }
  bool is_name(std::string_view name) const { return current().is(TokenKind::kName, name); }
  bool is_operator(std::string_view text) const { return current().is(TokenKind::kOperator, text); }
  bool skip_name(std::string_view name) {
    if (!is_name(name)) return false;
    next();
    return true;
  }
  bool skip_operator(std::string_view text) {
    if (!is_operator(text)) return false;
    next();
    return true;
  }
  [[noreturn]] void fail_here(std::string_view what) const;
  void expect_operator(std::string_view text);
  void expect_name(std::string_view name);
  std::string expect_any_name();
  void expect_block_end();

  // Bounds the depth of the tree.
  static ExprPtr make(ExprKind kind, std::uint32_t line, std::vector<ExprPtr> items = {});

  // One expression, or several with commas between them: a tuple.
  ExprPtr parse_tuple(bool with_condition = true);
  ExprPtr parse_expression();
  ExprPtr parse_one_filter(ExprPtr input);
  // What may follow an expression: filters, tests, calls.
  ExprPtr parse_filters(ExprPtr expr);

 private:
  template <class... Items>
  static ExprPtr make_of(ExprKind kind, std::uint32_t line, Items... items) {
    std::vector<ExprPtr> list;
    (list.push_back(std::move(items)), ...);
    return make(kind, line, std::move(list));
  }
  ExprPtr parse_or();
  ExprPtr parse_and();
  ExprPtr parse_not();
  // "==", "in", "not in" and so on; empty when no comparison follows.
  std::string read_comparison();
  ExprPtr parse_compare();
  // A row of left-associative operators of one rank.
  template <class Next>
  ExprPtr parse_binary(Names operators, Next parse_next);
  ExprPtr parse_sum();
  ExprPtr parse_concat();
  ExprPtr parse_product();
  ExprPtr parse_unary(bool with_filter);
  static ExprPtr constant(Value value, std::uint32_t line);
  ExprPtr parse_primary();
  ExprPtr parse_name();
  ExprPtr parse_integer();
  ExprPtr parse_list(std::uint32_t line);
  ExprPtr parse_dict(std::uint32_t line);
  ExprPtr parse_postfix(ExprPtr expr);
  ExprPtr parse_attribute(ExprPtr expr, std::uint32_t line);
  ExprPtr parse_subscript();
  ExprPtr parse_call(ExprPtr callee);
  // The deepest argument counts into the depth of the expression, like any item.
  static void take(Expr& expr, ExprPtr& slot, ExprPtr argument);
  void parse_arguments(Expr& expr);
  bool starts_test_argument() const;
  ExprPtr parse_test(ExprPtr expr);

  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  std::uint32_t nesting_ = 0;
};

}  // namespace headroom::jinja
