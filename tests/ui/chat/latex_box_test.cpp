#include "ui/chat/latex_box.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

using Row = std::vector<LatexBox>;

LatexBox cell(const char* text) { return LatexBox(QString::fromUtf8(text)); }
std::string textOf(const LatexBox& box) { return box.text().toStdString(); }
std::vector<Row> twoByTwo() { return {{cell("1"), cell("20")}, {cell("300"), cell("4")}}; }

TEST(LatexBox, columns_are_filled_up_as_they_are_told) {
  EXPECT_EQ(textOf(LatexBox::ofCells(twoByTwo(), LatexColumns::Left)), "1    20\n300  4");
  EXPECT_EQ(textOf(LatexBox::ofCells(twoByTwo(), LatexColumns::Centred)), " 1   20\n300  4");
  EXPECT_EQ(textOf(LatexBox::ofCells(twoByTwo(), LatexColumns::Aligned)), "  1 20\n300 4");
  EXPECT_EQ(LatexBox::flatCells(twoByTwo()).toStdString(), "1 20; 300 4");
}

TEST(LatexBox, brackets_are_as_high_as_what_stands_in_them) {
  const LatexBox rows = LatexBox::ofCells({{cell("a")}, {cell("b")}, {cell("c")}}, LatexColumns::Left);
  EXPECT_EQ(textOf(bracketed(rows, u"(", u"]")), "⎛a⎤\n⎜b⎥\n⎝c⎦");
  EXPECT_EQ(textOf(bracketed(rows, u"{", u"")), "⎧ a\n⎨ b\n⎩ c");
  EXPECT_EQ(textOf(bracketed(cell("x"), u"⟨", u"⟩")), "⟨x⟩");
}

TEST(LatexBox, a_line_beside_rows_stands_at_half_their_height) {
  LatexBox box = cell("A = ");
  box.append(LatexBox::ofCells({{cell("a")}, {cell("b")}, {cell("c")}}, LatexColumns::Left));
  EXPECT_EQ(textOf(box), "    a\nA = b\n    c");
  EXPECT_EQ(box.width(), 5);
  EXPECT_EQ(box.flat().toStdString(), "a; A = b; c");
}

TEST(LatexBox, marks_take_no_column_of_their_own) { EXPECT_EQ(LatexBox(QString::fromUtf16(u"x\u0302")).width(), 1); }

TEST(LatexBox, what_would_take_too_many_spaces_is_only_parted) {
  std::vector<Row> rows(1000, Row{cell("a")});
  rows.push_back({LatexBox(QString(1000, u'b'))});
  const LatexBox box = LatexBox::ofCells(rows, LatexColumns::Left);
  EXPECT_EQ(box.nLines(), 1);
  EXPECT_LT(box.text().size(), 5000);
}

}  // namespace
}  // namespace headroom::ui
