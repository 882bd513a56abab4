#include "ui/library/token_port.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(TokenPortTest, a_token_is_one_word_of_plain_signs) {
  EXPECT_TRUE(isUsableToken("hf_AbC-1.2"));
  EXPECT_TRUE(isUsableToken(QByteArray(kMostTokenBytes, 'a')));
  for (const QByteArray& other : {QByteArray(), QByteArray("hf_a b"), QByteArray("a\r\nHost: b"),
                                  QByteArray("h\xc3\xa4"), QByteArray(kMostTokenBytes + 1, 'a')})
    EXPECT_FALSE(isUsableToken(other)) << other.toStdString();
}

}  // namespace
}  // namespace headroom::ui
