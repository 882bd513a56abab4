// A parsed template: plain trees, owned from the top, never changed after parsing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/jinja/value.h"

namespace headroom::jinja {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

enum class ExprKind : std::uint8_t {
  kConstant,       // value
  kName,           // name
  kNamespaceName,  // name.attribute, as a target of set
  kList,           // items
  kTuple,          // items
  kDict,           // items: key, value, key, value, ...
  kNot,            // items[0]
  kNegative,       // items[0]
  kPositive,       // items[0]
  kBinary,         // items[0] name items[1]; name: + - * / // % **
  kAnd,            // items[0], items[1]
  kOr,             // items[0], items[1]
  kConcat,         // items, any number
  kCompare,        // items[0] operators[0] items[1] operators[1] items[2] ...
  kCondition,      // items[0] if items[1] else items[2] (null: undefined)
  kAttribute,      // items[0].name
  kItem,           // items[0][items[1]]
  kSlice,          // items[0..2]: start, stop, step, each may be null; only inside kItem
  kCall,           // items[0](arguments)
  kFilter,         // items[0] | name(arguments); items[0] is null at the head of a filter block
  kTest,           // items[0] is name(arguments)
};

struct Arguments {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr more_positional, more_named;  // *args, **kwargs
};

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  std::uint32_t line = 0;
  std::uint32_t depth = 1;  // of the tree below, bounded by the parser
  std::string name, attribute;
  Value value;
  std::vector<ExprPtr> items;
  std::vector<std::string> operators;
  Arguments arguments;
};

enum class StmtKind : std::uint8_t {
  kText,         // text
  kOutput,       // expr
  kIf,           // branches; a null condition is the else
  kFor,          // target in expr, filtered by condition (may be null); body, otherwise; perhaps recursive
  kSet,          // target = expr
  kSetBlock,     // target = body, through the filter expr (may be null)
  kMacro,        // name, parameters, body
  kCallBlock,    // expr is a kCall that gets a caller made of parameters and body
  kFilterBlock,  // body, through the filter expr
  kWith,         // assignments, body
  kScope,        // body ({% generation %})
  kBreak,
  kContinue,
};

struct Stmt {
  struct Branch {
    ExprPtr condition;
    Block body;
  };
  struct Parameter {
    std::string name;
    ExprPtr default_value;  // may be null
  };

  StmtKind kind = StmtKind::kText;
  std::uint32_t line = 0;
  std::string text;  // kMacro: its name
  ExprPtr target, expr, condition;
  bool is_recursive = false;
  Block body, otherwise;
  std::vector<Branch> branches;
  std::vector<Parameter> parameters;
  std::vector<std::pair<ExprPtr, ExprPtr>> assignments;
};

}  // namespace headroom::jinja
