#include "ui/chat/latex_row.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace headroom::ui {
namespace {

using Kind = LatexKind;

std::string rowOf(const std::vector<std::pair<const char*, Kind>>& parts, bool isTight = false) {
  LatexRow row(isTight);
  for (const auto& [text, kind] : parts) row.add(LatexBox(QString::fromUtf8(text)), kind);
  return row.take().flat().toStdString();
}

TEST(LatexRow, operators_have_spaces_around_them_and_signs_have_none) {
  EXPECT_EQ(rowOf({{"a", Kind::Plain}, {"+", Kind::Binary}, {"b", Kind::Plain}}), "a + b");
  EXPECT_EQ(rowOf({{"-", Kind::Binary}, {"b", Kind::Plain}}), "-b");
  EXPECT_EQ(rowOf({{"a", Kind::Plain}, {"=", Kind::Relation}, {"-", Kind::Binary}, {"b", Kind::Plain}}), "a = -b");
  EXPECT_EQ(rowOf({{"(", Kind::Open}, {"-", Kind::Binary}, {"1", Kind::Plain}, {")", Kind::Close}}), "(-1)");
  EXPECT_EQ(rowOf({{"a", Kind::Plain}, {"+", Kind::Binary}, {"b", Kind::Plain}}, true), "a+b");
}

TEST(LatexRow, words_and_fractions_are_parted_from_their_neighbours) {
  EXPECT_EQ(rowOf({{"2", Kind::Plain}, {"sin", Kind::Function}, {"x", Kind::Plain}}), "2 sin x");
  EXPECT_EQ(rowOf({{"sin", Kind::Function}, {"(", Kind::Open}, {"x", Kind::Plain}, {")", Kind::Close}}), "sin(x)");
  EXPECT_EQ(rowOf({{"2", Kind::Plain}, {"1/2", Kind::Fraction}, {"m", Kind::Plain}}), "2 1/2 m");
  EXPECT_EQ(rowOf({{"max", Kind::Function}, {"x", Kind::Plain}}, true), "max x");
}

TEST(LatexRow, commas_and_spaces_part_once) {
  EXPECT_EQ(rowOf({{"a", Kind::Plain}, {",", Kind::Comma}, {"b", Kind::Plain}}), "a, b");
  EXPECT_EQ(rowOf({{"a", Kind::Plain}, {",", Kind::Comma}, {" ", Kind::Space}, {"b", Kind::Plain}}), "a, b");
  EXPECT_EQ(rowOf({{" ", Kind::Space}, {"a", Kind::Plain}}), "a");
}

}  // namespace
}  // namespace headroom::ui
