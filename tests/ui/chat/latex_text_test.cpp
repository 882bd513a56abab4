#include "ui/chat/latex_text.h"

#include <gtest/gtest.h>

#include <random>

#include "support/written_lines.h"

namespace headroom::ui {
namespace {

// As textbooks have them, and what models and mistakes make of them.
const char* const kInline[] = {
    R"(a^2 + b^2 = c^2)",
    R"(x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a})",
    R"(E = mc^2)",
    R"(e^{i\pi} + 1 = 0)",
    R"(\alpha, \beta, \gamma, \Gamma, \Delta, \varepsilon, \varphi)",
    R"(\frac{a}{b})",
    R"(\frac{1}{2})",
    R"(\frac{a+b}{c})",
    R"(\frac{a}{b+c})",
    R"(\frac{2ab}{c_1})",
    R"(\frac{1}{2a})",
    R"(\frac{dy}{dx} = \frac{\partial f}{\partial x})",
    R"(\dfrac{d^2y}{dx^2})",
    R"(\frac{\frac{a}{b}}{c})",
    R"(\sqrt{2})",
    R"(\sqrt{x_1})",
    R"(\sqrt{a^2+b^2})",
    R"(\sqrt[3]{8} + \sqrt[4]{x} + \sqrt[n]{y+1})",
    R"(x_1, x_2, \dots, x_n)",
    R"(x_{i+1}, x_{ij}, x_{i,j})",
    R"(x^{n-1}, x^{2n}, x^{q}, x^{a/b})",
    R"(a_i^2)",
    R"(a^2_i)",
    R"(f'(x), f''(x), f^{(n)}(x))",
    R"(x^\circ, 90^\circ)",
    R"(A^T, A^{\top}, A^\dagger, A^*)",
    R"(\sum_{i=1}^{n} i = \frac{n(n+1)}{2})",
    R"(\sum_{k=0}^{\infty} \frac{x^k}{k!})",
    R"(\prod_{p} \frac{1}{1-p^{-s}})",
    R"(\int_0^1 x^2 \, dx = \frac13)",
    R"(\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi})",
    R"(\oint_C \mathbf{F} \cdot d\mathbf{r})",
    R"(\iint_D f(x,y)\,dA)",
    R"(\lim_{x \to 0} \frac{\sin x}{x} = 1)",
    R"(\lim_{n\to\infty} \left(1 + \frac{1}{n}\right)^n = e)",
    R"(\sin^2\theta + \cos^2\theta = 1)",
    R"(\log_2 n, \ln(x), \exp(-x))",
    R"(\max_{x \in S} f(x), \min\{a, b\})",
    R"(2\sin x\cos x)",
    R"(\mathbb{R}, \mathbb{N}, \mathbb{Z}, \mathbb{Q}, \mathbb{C}, \mathbb{E}[X])",
    R"(\mathcal{L}, \mathcal{O}(n \log n))",
    R"(x \in \mathbb{R}^n)",
    R"(A \subseteq B \iff \forall x (x \in A \implies x \in B))",
    R"(A \cup B \cap C \setminus D)",
    R"(\exists \delta > 0)",
    R"(\neg p \lor q)",
    R"(p \land q \to r)",
    R"(\{x \mid x > 0\})",
    R"(|x| \le \|y\|)",
    R"(\left| x \right| \leq \left\| y \right\|)",
    R"(\langle u, v \rangle)",
    R"(\lfloor x \rfloor + \lceil y \rceil)",
    R"(\left\{ \frac{a}{b} \right\})",
    R"(\left. \frac{df}{dx} \right|_{x=0})",
    R"(\big( a \bigr))",
    R"(a \times b \div c \cdot d)",
    R"(a \ne b, a \approx b, a \equiv b \pmod{n})",
    R"(a \not= b)",
    R"(x \leftarrow y \Rightarrow z \mapsto w)",
    R"(f: A \to B)",
    R"(\hat{x}, \bar{x}, \vec{v}, \dot{x}, \ddot{x}, \tilde{x})",
    R"(\overline{AB}, \underline{x})",
    R"(\vec{v} \cdot \vec{w} = |\vec v||\vec w|\cos\theta)",
    R"(\nabla \times \vec{E} = -\frac{\partial \vec{B}}{\partial t})",
    R"(\nabla \cdot \mathbf{B} = 0)",
    R"(\hbar, \ell, \infty, \emptyset)",
    R"(\text{if } x > 0)",
    R"(x = 1 \text{ for all $n > 2$})",
    R"(\mathrm{d}x)",
    R"(\operatorname{rank}(A))",
    R"(\operatorname*{argmax}_\theta L(\theta))",
    R"(\binom{n}{k} = \frac{n!}{k!(n-k)!})",
    R"(P(A|B) = \frac{P(B|A)P(A)}{P(B)})",
    R"(\sigma^2 = \frac{1}{N}\sum_{i=1}^N (x_i - \mu)^2)",
    R"(\frac{1}{\sigma\sqrt{2\pi}} e^{-\frac{1}{2}\left(\frac{x-\mu}{\sigma}\right)^2})",
    R"(H = -\sum_i p_i \log_2 p_i)",
    R"(\mathrm{softmax}(x_i) = \frac{e^{x_i}}{\sum_j e^{x_j}})",
    R"(\text{Attention}(Q,K,V) = \text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V)",
    R"(\theta_{t+1} = \theta_t - \eta \nabla_\theta L(\theta_t))",
    R"(O(n^2))",
    R"(\Theta(n \log n))",
    R"(2^{10} = 1{,}024)",
    R"(1,000 + 2)",
    R"(-1 \le x \le -y)",
    R"((-1)^n)",
    R"(a = -b)",
    R"(a, -b)",
    R"(x \cdot -1)",
    R"(3 \times 10^{8}\ \mathrm{m/s})",
    R"(25\,^{\circ}\mathrm{C})",
    R"(\Delta G = \Delta H - T\Delta S)",
    R"(\mathrm{H_2O})",
    R"(2\mathrm{H}_2 + \mathrm{O}_2 \rightarrow 2\mathrm{H}_2\mathrm{O})",
    R"(A \xrightarrow{f} B)",
    R"(a \stackrel{?}{=} b)",
    R"(a \overset{n}{=} b, \underset{x}{\max})",
    R"(\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix})",
    R"(|x| = \begin{cases} x & x \ge 0 \\ -x & x < 0 \end{cases})",
    R"(\mathbf{x}^\top A \mathbf{x})",
    R"(\displaystyle\sum_{i} x_i)",
    R"(\unknowncommand{a}{b} + c)",
    R"(\foo bar)",
    R"(\alpha\beta)",
    R"(\alpha x)",
    R"(\boxed{x = 2})",
    R"(\underbrace{a + b}_{n})",
    R"(\pounds 5, \% , \$ , \# , \_)",
    R"(a \quad b \qquad c)",
    R"(a~b\;c\!d)",
    R"(x_{\text{max}})",
    R"(x^{y^z})",
    R"({a}_{b})",
    R"(x^)",
    R"(_)",
    R"(})",
    R"({)",
    R"(\)",
    R"(\frac)",
    R"(\frac{a})",
    R"(\left()",
    R"(\right))",
    R"(\begin{pmatrix} 1 & 2)",
    R"(\end{pmatrix})",
    R"(\begin{foo}x^2\end{foo})",
    R"(\sqrt)",
    R"(\sqrt[3)",
    R"(a & b)",
    R"(a \\ b)",
    R"(日本^2 + é)",
    R"(\textbf{bold} x)",
    R"(\cos(2x) = 1 - 2\sin^2 x)",
    R"(\therefore x = y)",
    R"(v = \sqrt{\frac{2GM}{r}})",
    R"(x \propto y^{-1})",
    R"(\dfrac{x^2}{a^2} + \dfrac{y^2}{b^2} = 1)",
    R"(\mathfrak{g}, \ell_1)",
    R"(2\frac{1}{2} + \frac{1}{2}mv^2)",
    R"(-\sum_i x_i)",
    R"(\frac{\partial L}{\partial \theta_i} (x))",
};
const char* const kDisplay[] = {
    R"(\begin{pmatrix} a & b \\ c & d \end{pmatrix})",
    R"(A = \begin{bmatrix} 1 & 20 & 300 \\ 4 & 5 & 6 \\ 7 & 8 & 9 \end{bmatrix})",
    R"(\det\begin{vmatrix} a & b \\ c & d \end{vmatrix} = ad - bc)",
    R"(f(n) = \begin{cases} n/2 & \text{if } n \text{ is even} \\ 3n+1 & \text{if } n \text{ is odd} \end{cases})",
    R"(\begin{aligned} a &= b + c \\ &= d \\ x + y &= z \end{aligned})",
    R"(\begin{align*} y &= mx + b \\ y - b &= mx \end{align*})",
    R"(\left( \begin{array}{cc} 1 & 0 \\ 0 & 1 \end{array} \right))",
    R"(x = 1 \\ y = 2)",
    R"(\begin{cases} x + y = 1 \\ x - y = 2 \\ z = 0 \end{cases})",
    R"(\begin{pmatrix} x \\ y \end{pmatrix}^T)",
    R"(\frac{\partial}{\partial t} u = \alpha \nabla^2 u)",
    R"(\begin{gather} a = b \\ c = d \end{gather})",
    R"(\begin{equation} E = mc^2 \tag{1} \end{equation})",
};

TEST(LatexText, formulas_read_as_the_table_says) {
  std::vector<std::string> rows;
  const auto add = [&](const char* latex, bool isDisplay) {
    QString text = latexText(QString::fromUtf8(latex), isDisplay);
    text.replace(u'\n', QStringLiteral(" | "));
    rows.push_back(std::string(latex) + (isDisplay ? "  ==>  " : "  =>  ") + text.toStdString());
  };
  for (const char* latex : kInline) add(latex, false);
  for (const char* latex : kDisplay) add(latex, true);
  test::expectWrittenLines(rows, HEADROOM_SOURCE_DIR "/tests/ui/chat/latex_text_table.txt");
}

TEST(LatexText, a_formula_in_a_line_has_no_second_one) {
  for (const char* latex : kDisplay) EXPECT_FALSE(latexText(QString::fromUtf8(latex), false).contains(u'\n')) << latex;
}

TEST(LatexText, a_command_that_is_not_known_keeps_its_backslash) {
  EXPECT_EQ(latexText(u"\\nosuch{a}{b}+c", false), QStringLiteral("\\nosuch{a}{b} + c"));
  EXPECT_EQ(latexText(u"\\begin{nosuch}\\alpha\\end{nosuch}", true),
            QStringLiteral("\\begin{nosuch}\\alpha\\end{nosuch}"));
}

TEST(LatexText, one_that_is_too_long_is_left_as_it_is) {
  const QString longer = QString(QStringLiteral("\\alpha ")).repeated(1000);
  EXPECT_EQ(latexText(longer, true), longer);
}

TEST(LatexText, groups_of_any_depth_end) {
  for (const char* part : {"{", "\\frac{", "\\sqrt[", "\\left(", "x^{", "\\begin{pmatrix}", "\\text{$", "\\hat", "\\bm",
                           "\\not", "\\sqrt", "\\overset{a}"}) {
    const QString deep = QString::fromUtf8(part).repeated(kMostLatexChars).left(kMostLatexChars);
    EXPECT_LT(latexText(deep, true).size(), 100'000) << part;
  }
}

// No crash, no loop without an end, and no more than what a formula of this length can be.
TEST(LatexText, any_text_ends_within_a_bound) {
  const char* const kParts[] = {"{",
                                "}",
                                "^",
                                "_",
                                "\\frac",
                                "\\sqrt",
                                "[",
                                "]",
                                "&",
                                "\\\\",
                                "\\left",
                                "\\right",
                                "(",
                                ")",
                                ".",
                                "\\begin{pmatrix}",
                                "\\end{pmatrix}",
                                "\\begin{cases}",
                                "\\end{cases}",
                                "\\begin{aligned}",
                                "\\end{aligned}",
                                "\\begin{array}{cc}",
                                "\\end{array}",
                                "\\text{",
                                "$",
                                "\\alpha",
                                "\\sum",
                                "\\sin",
                                "\\hat",
                                "\\overline",
                                "\\not",
                                "\\overset",
                                "\\xrightarrow",
                                "\\mathbb",
                                "\\operatorname*",
                                "\\limits",
                                "\\cr",
                                "\\nosuch",
                                "\\",
                                " ",
                                "\n",
                                "a",
                                "1",
                                "+",
                                "-",
                                "=",
                                "'",
                                ",",
                                "~",
                                "\\,",
                                "\\tag",
                                "\\boxed",
                                "\\end",
                                "\\begin",
                                "é",
                                "😀"};
  std::mt19937 random(11);
  for (int i = 0; i < 6000; ++i) {
    QString latex;
    for (unsigned n = random() % (i % 100 == 0 ? 1000 : 25); n > 0; --n)
      latex += QString::fromUtf8(kParts[random() % std::size(kParts)]);
    for (const bool isDisplay : {false, true}) {
      const QString text = latexText(latex, isDisplay);
      ASSERT_LT(text.size(), 40 * latex.size() + 25'000) << latex.toStdString();
    }
  }
}

}  // namespace
}  // namespace headroom::ui
