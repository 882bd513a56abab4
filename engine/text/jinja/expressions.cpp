#include "text/jinja/expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "text/jinja/error.h"
#include "text/jinja/parser.h"

namespace headroom::jinja {

namespace {

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd: return "the end of the template";
    case TokenKind::kData: return "text";
    case TokenKind::kString: return "a string";
    case TokenKind::kVariableBegin:
    case TokenKind::kVariableEnd:
    case TokenKind::kBlockBegin:
    case TokenKind::kBlockEnd:
    case TokenKind::kName:
    case TokenKind::kInteger:
    case TokenKind::kFloat:
    case TokenKind::kOperator: break;
  }
  return fmt::format("'{}'", token.text);
}

}  // namespace

ExpressionParser::Nesting::Nesting(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kMaxNesting)
    fail(fmt::format("more than {} levels of nesting", kMaxNesting), parser_.current().line);
}

void ExpressionParser::fail_here(std::string_view what) const {
  fail(fmt::format("{}: {}", what, describe(current())), current().line);
}

void ExpressionParser::expect_operator(std::string_view text) {
  if (!skip_operator(text)) fail_here(fmt::format("expected '{}', found", text));
}

void ExpressionParser::expect_name(std::string_view name) {
  if (!skip_name(name)) fail_here(fmt::format("expected '{}', found", name));
}

std::string ExpressionParser::expect_any_name() {
  if (current().kind != TokenKind::kName) fail_here("expected a name, found");
  return next().text;
}

void ExpressionParser::expect_block_end() {
  if (current().kind != TokenKind::kBlockEnd) fail_here("expected the end of the tag, found");
  next();
}

ExprPtr ExpressionParser::make(ExprKind kind, std::uint32_t line, std::vector<ExprPtr> items) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->line = line;
  for (const ExprPtr& item : items)
    if (item) expr->depth = std::max(expr->depth, item->depth + 1);
  if (expr->depth > kMaxNesting) fail(fmt::format("an expression of more than {} levels", kMaxNesting), line);
  expr->items = std::move(items);
  return expr;
}

// ---- expressions, loosest first ----

ExprPtr ExpressionParser::parse_tuple(bool with_condition) {
  const std::uint32_t line = current().line;
  std::vector<ExprPtr> items;
  items.push_back(with_condition ? parse_expression() : parse_or());
  if (!is_operator(",")) return std::move(items.front());
  while (skip_operator(",")) {
    const TokenKind kind = current().kind;
    if (kind == TokenKind::kVariableEnd || kind == TokenKind::kBlockEnd || is_operator(")") || is_name("in")) break;
    items.push_back(with_condition ? parse_expression() : parse_or());
  }
  return make(ExprKind::kTuple, line, std::move(items));
}

ExprPtr ExpressionParser::parse_expression() {
  const Nesting nesting(*this);
  ExprPtr expr = parse_or();
  while (is_name("if")) {
    const std::uint32_t line = next().line;
    ExprPtr condition = parse_or();
    ExprPtr otherwise = skip_name("else") ? parse_expression() : nullptr;
    expr = make_of(ExprKind::kCondition, line, std::move(expr), std::move(condition), std::move(otherwise));
  }
  return expr;
}

ExprPtr ExpressionParser::parse_or() {
  ExprPtr left = parse_and();
  while (is_name("or")) {
    const std::uint32_t line = next().line;
    ExprPtr right = parse_and();
    left = make_of(ExprKind::kOr, line, std::move(left), std::move(right));
  }
  return left;
}

ExprPtr ExpressionParser::parse_and() {
  ExprPtr left = parse_not();
  while (is_name("and")) {
    const std::uint32_t line = next().line;
    ExprPtr right = parse_not();
    left = make_of(ExprKind::kAnd, line, std::move(left), std::move(right));
  }
  return left;
}

ExprPtr ExpressionParser::parse_not() {
  if (!is_name("not")) return parse_compare();
  const Nesting nesting(*this);
  const std::uint32_t line = next().line;
  return make_of(ExprKind::kNot, line, parse_not());
}

std::string ExpressionParser::read_comparison() {
  for (const std::string_view op : {"==", "!=", "<", "<=", ">", ">="})
    if (skip_operator(op)) return std::string(op);
  if (skip_name("in")) return "in";
  if (is_name("not") && look_ahead().is(TokenKind::kName, "in")) {
    next();
    next();
    return "not in";
  }
  return {};
}

ExprPtr ExpressionParser::parse_compare() {
  const std::uint32_t line = current().line;
  std::vector<ExprPtr> items;
  std::vector<std::string> operators;
  items.push_back(parse_sum());
  for (std::string op = read_comparison(); !op.empty(); op = read_comparison()) {
    operators.push_back(std::move(op));
    items.push_back(parse_sum());
  }
  if (operators.empty()) return std::move(items.front());
  ExprPtr compare = make(ExprKind::kCompare, line, std::move(items));
  compare->operators = std::move(operators);
  return compare;
}

template <class Next>
ExprPtr ExpressionParser::parse_binary(Names operators, Next parse_next) {
  ExprPtr left = parse_next();
  while (current().kind == TokenKind::kOperator &&
         std::find(operators.begin(), operators.end(), current().text) != operators.end()) {
    const Token op = next();
    ExprPtr right = parse_next();
    left = make_of(ExprKind::kBinary, op.line, std::move(left), std::move(right));
    left->name = op.text;
  }
  return left;
}

ExprPtr ExpressionParser::parse_sum() {
  return parse_binary({"+", "-"}, [this] { return parse_concat(); });
}

ExprPtr ExpressionParser::parse_concat() {
  const std::uint32_t line = current().line;
  std::vector<ExprPtr> items;
  items.push_back(parse_product());
  while (skip_operator("~")) items.push_back(parse_product());
  if (items.size() == 1) return std::move(items.front());
  return make(ExprKind::kConcat, line, std::move(items));
}

ExprPtr ExpressionParser::parse_product() {
  return parse_binary({"*", "/", "//", "%"},
                      [this] { return parse_binary({"**"}, [this] { return parse_unary(true); }); });
}

ExprPtr ExpressionParser::parse_unary(bool with_filter) {
  const Nesting nesting(*this);
  const std::uint32_t line = current().line;
  ExprPtr expr;
  if (skip_operator("-")) {
    expr = make_of(ExprKind::kNegative, line, parse_unary(false));
  } else if (skip_operator("+")) {
    expr = make_of(ExprKind::kPositive, line, parse_unary(false));
  } else {
    expr = parse_primary();
  }
  expr = parse_postfix(std::move(expr));
  return with_filter ? parse_filters(std::move(expr)) : std::move(expr);
}

ExprPtr ExpressionParser::constant(Value value, std::uint32_t line) {
  ExprPtr expr = make(ExprKind::kConstant, line);
  expr->value = std::move(value);
  return expr;
}

ExprPtr ExpressionParser::parse_primary() {
  const Token token = current();
  switch (token.kind) {
    case TokenKind::kName: return parse_name();
    case TokenKind::kString: {
      std::string text;
      while (current().kind == TokenKind::kString) text += next().text;
      return constant(Value(TracedText::of_template(std::move(text))), token.line);
    }
    case TokenKind::kInteger: return parse_integer();
    case TokenKind::kFloat: {
      double number = 0;
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
      next();
      return constant(Value(number), token.line);
    }
    case TokenKind::kData:
    case TokenKind::kVariableBegin:
    case TokenKind::kVariableEnd:
    case TokenKind::kBlockBegin:
    case TokenKind::kBlockEnd:
    case TokenKind::kOperator:
    case TokenKind::kEnd: break;
  }
  if (skip_operator("(")) {
    if (skip_operator(")")) return make(ExprKind::kTuple, token.line);
    ExprPtr inner = parse_tuple();
    expect_operator(")");
    return inner;
  }
  if (skip_operator("[")) return parse_list(token.line);
  if (skip_operator("{")) return parse_dict(token.line);
  fail_here("unexpected");
}

ExprPtr ExpressionParser::parse_name() {
  const Token token = next();
  if (token.text == "true" || token.text == "True") return constant(Value(true), token.line);
  if (token.text == "false" || token.text == "False") return constant(Value(false), token.line);
  if (token.text == "none" || token.text == "None") return constant(Value(None{}), token.line);
  ExprPtr name = make(ExprKind::kName, token.line);
  name->name = token.text;
  return name;
}

ExprPtr ExpressionParser::parse_integer() {
  const Token token = next();
  std::int64_t number = 0;
  const auto read = std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
  if (read.ec != std::errc()) fail(fmt::format("the integer {} is larger than 64 bits", token.text), token.line);
  return constant(Value(number), token.line);
}

ExprPtr ExpressionParser::parse_list(std::uint32_t line) {
  std::vector<ExprPtr> items;
  while (!is_operator("]")) {
    if (!items.empty()) {
      expect_operator(",");
      if (is_operator("]")) break;
    }
    items.push_back(parse_expression());
  }
  next();
  return make(ExprKind::kList, line, std::move(items));
}

ExprPtr ExpressionParser::parse_dict(std::uint32_t line) {
  std::vector<ExprPtr> items;
  while (!is_operator("}")) {
    if (!items.empty()) {
      expect_operator(",");
      if (is_operator("}")) break;
    }
    items.push_back(parse_expression());
    expect_operator(":");
    items.push_back(parse_expression());
  }
  next();
  return make(ExprKind::kDict, line, std::move(items));
}

ExprPtr ExpressionParser::parse_postfix(ExprPtr expr) {
  while (true) {
    const std::uint32_t line = current().line;
    if (skip_operator(".")) {
      expr = parse_attribute(std::move(expr), line);
    } else if (skip_operator("[")) {
      ExprPtr item = parse_subscript();
      expect_operator("]");
      expr = make_of(ExprKind::kItem, line, std::move(expr), std::move(item));
    } else if (is_operator("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

ExprPtr ExpressionParser::parse_attribute(ExprPtr expr, std::uint32_t line) {
  if (current().kind == TokenKind::kInteger) {
    ExprPtr index = parse_integer();
    return make_of(ExprKind::kItem, line, std::move(expr), std::move(index));
  }
  ExprPtr attribute = make_of(ExprKind::kAttribute, line, std::move(expr));
  attribute->name = expect_any_name();
  return attribute;
}

ExprPtr ExpressionParser::parse_subscript() {
  const std::uint32_t line = current().line;
  const auto ends = [this] { return is_operator(":") || is_operator("]"); };
  ExprPtr start = ends() ? nullptr : parse_tuple();
  if (!skip_operator(":")) {
    if (!start) fail_here("expected a subscript, found");
    return start;
  }
  ExprPtr stop = ends() ? nullptr : parse_expression();
  ExprPtr step;
  if (skip_operator(":") && !ends()) step = parse_expression();
  return make_of(ExprKind::kSlice, line, std::move(start), std::move(stop), std::move(step));
}

ExprPtr ExpressionParser::parse_call(ExprPtr callee) {
  ExprPtr call = make_of(ExprKind::kCall, current().line, std::move(callee));
  parse_arguments(*call);
  return call;
}

void ExpressionParser::take(Expr& expr, ExprPtr& slot, ExprPtr argument) {
  expr.depth = std::max(expr.depth, argument->depth + 1);
  if (expr.depth > kMaxNesting) fail(fmt::format("an expression of more than {} levels", kMaxNesting), expr.line);
  slot = std::move(argument);
}

void ExpressionParser::parse_arguments(Expr& expr) {
  Arguments& arguments = expr.arguments;
  expect_operator("(");
  bool is_first = true;
  while (!is_operator(")")) {
    if (!is_first) {
      expect_operator(",");
      if (is_operator(")")) break;
    }
    is_first = false;
    if (skip_operator("*")) {
      take(expr, arguments.more_positional, parse_expression());
    } else if (skip_operator("**")) {
      take(expr, arguments.more_named, parse_expression());
    } else if (current().kind == TokenKind::kName && look_ahead().is(TokenKind::kOperator, "=")) {
      std::string name = next().text;
      next();
      take(expr, arguments.named.emplace_back(std::move(name), nullptr).second, parse_expression());
    } else {
      if (!arguments.named.empty() || arguments.more_named) fail_here("a positional argument after a named one");
      take(expr, arguments.positional.emplace_back(), parse_expression());
    }
  }
  next();
}

ExprPtr ExpressionParser::parse_one_filter(ExprPtr input) {
  const std::uint32_t line = current().line;
  ExprPtr filter = make_of(ExprKind::kFilter, line, std::move(input));
  filter->name = expect_any_name();
  if (is_operator("(")) parse_arguments(*filter);
  return filter;
}

ExprPtr ExpressionParser::parse_filters(ExprPtr expr) {
  while (true) {
    if (skip_operator("|")) {
      expr = parse_one_filter(std::move(expr));
    } else if (expr && is_name("is")) {
      expr = parse_test(std::move(expr));
    } else if (expr && is_operator("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

bool ExpressionParser::starts_test_argument() const {
  switch (current().kind) {
    case TokenKind::kString:
    case TokenKind::kInteger:
    case TokenKind::kFloat: return true;
    case TokenKind::kName: return !is_name("else") && !is_name("or") && !is_name("and");
    case TokenKind::kData:
    case TokenKind::kVariableBegin:
    case TokenKind::kVariableEnd:
    case TokenKind::kBlockBegin:
    case TokenKind::kBlockEnd:
    case TokenKind::kOperator:
    case TokenKind::kEnd: break;
  }
  return is_operator("[") || is_operator("{");
}

ExprPtr ExpressionParser::parse_test(ExprPtr expr) {
  const std::uint32_t line = next().line;
  const bool negated = skip_name("not");
  ExprPtr test = make_of(ExprKind::kTest, line, std::move(expr));
  test->name = expect_any_name();
  if (is_operator("(")) {
    parse_arguments(*test);
  } else if (starts_test_argument()) {
    if (is_name("is")) fail_here("tests cannot be chained");
    take(*test, test->arguments.positional.emplace_back(), parse_postfix(parse_primary()));
  }
  return negated ? make_of(ExprKind::kNot, line, std::move(test)) : std::move(test);
}

}  // namespace headroom::jinja
