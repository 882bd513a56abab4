#include "ui/library/hub_reference.h"

#include <gtest/gtest.h>

#include "support/use_variable.h"

namespace headroom::ui {
namespace {

const QUrl kMirror(QStringLiteral("https://mirror.example:8443/hf"));

struct TypedRow {
  const char* typed;
  const char* expected;  // "repository|revision|file|quantization|address"; empty: refused
};

std::string described(const Result<HubReference>& reference) {
  if (!reference) return {};
  return QStringList{reference->repository, reference->revision, reference->file, reference->quantization,
                     reference->address.toString()}
      .join(QLatin1Char('|'))
      .toStdString();
}

TEST(HubReference, what_is_typed_names_a_repository_a_file_or_nothing) {
  const TypedRow rows[] = {
      {"org/name", "org/name|main|||"},
      {"  org/name \n", "org/name|main|||"},
      {"org/na.me-GGUF", "org/na.me-GGUF|main|||"},
      {"org/name:Q4_K_M", "org/name|main||Q4_K_M|"},
      {"https://huggingface.co/org/name", "org/name|main|||"},
      {"https://huggingface.co/org/name/", "org/name|main|||"},
      {"https://huggingface.co/org/name/tree/main", "org/name|main|||"},
      {"https://huggingface.co/org/name/tree/v2/folder", "org/name|v2|||"},
      {"https://huggingface.co/org/name/blob/main/x.gguf", "org/name|main|x.gguf||"},
      {"https://huggingface.co/org/name/resolve/main/x.gguf?download=true", "org/name|main|x.gguf||"},
      {"https://huggingface.co/org/name/resolve/abc123/Q8/x.GGUF", "org/name|abc123|Q8/x.GGUF||"},
      {"huggingface.co/org/name", "org/name|main|||"},
      {"hf.co/org/name:Q8_0", "org/name|main||Q8_0|"},
      {"https://mirror.example:8443/hf/org/name", "org/name|main|||"},
      {"mirror.example:8443/hf/org/name/blob/main/x.gguf", "org/name|main|x.gguf||"},
      {"https://elsewhere.example/models/x.gguf", "|main|||https://elsewhere.example/models/x.gguf"},
      {"http://127.0.0.1:8000/x.gguf?key=1", "|main|||http://127.0.0.1:8000/x.gguf?key=1"},
      {"https://mirror.example/hf/x.gguf", "|main|||https://mirror.example/hf/x.gguf"},  // another port: not the mirror
      {"", ""},
      {"name", ""},
      {"org/name/more", ""},
      {"org//name", ""},
      {"../name", ""},
      {"org/..", ""},
      {"org/name:", ""},
      {"org/name:Q4 K", ""},
      {"org/na me", ""},
      {"https://huggingface.co/org", ""},
      {"https://huggingface.co/org/name/blob/main/readme.md", ""},
      {"https://huggingface.co/org/name/blob/main/../../x.gguf", ""},
      {"https://huggingface.co/org/name/blob/main/.hidden/x.gguf", ""},
      {"https://huggingface.co/datasets/org/name", ""},
      {"https://elsewhere.example/models", ""},
      {"https://user:secret@elsewhere.example/x.gguf", ""},
      {"https://elsewhere.example/.gguf", ""},
      {"ftp://elsewhere.example/x.gguf", ""},
      {"file:///x.gguf", ""},
      {"https://", ""},
  };
  for (const TypedRow& row : rows)
    EXPECT_EQ(described(parseHubReference(QString::fromUtf8(row.typed), kMirror)), row.expected) << row.typed;
}

TEST(HubReference, a_refusal_says_what_was_expected_and_repeats_no_password) {
  EXPECT_NE(parseHubReference(QStringLiteral("name"), kMirror).error().message.text().find("expected a repository"),
            std::string::npos);
  const auto withPassword = parseHubReference(QStringLiteral("https://user:secret@host.example/x.gguf"), kMirror);
  EXPECT_EQ(withPassword.error().message.text().find("secret"), std::string::npos);
}

TEST(HubReference, paths_that_a_server_gives_stay_below_our_folder) {
  for (const char* safe : {"x.gguf", "Q4/x-00001-of-00002.gguf", "a b.gguf", "é.gguf"})
    EXPECT_TRUE(isSafePath(QString::fromUtf8(safe))) << safe;
  for (const char* hostile : {"", "/x", "../x", "a/../x", "a//x", ".x", "a/.x", "a\\x", "a:b", "x\n", "a/", "."})
    EXPECT_FALSE(isSafePath(QString::fromUtf8(hostile))) << hostile;
}

TEST(HubReference, the_hub_is_of_the_settings_then_of_the_environment_then_the_public_one) {
  const test::UseVariable mirror("HF_ENDPOINT", "https://env.example");
  EXPECT_EQ(hubAddress(QStringLiteral("https://set.example")).host(), QStringLiteral("set.example"));
  EXPECT_EQ(hubAddress(QString()).host(), QStringLiteral("env.example"));
  EXPECT_EQ(hubAddress(QStringLiteral("nonsense")).host(), QStringLiteral("env.example"));
  const test::UseVariable none("HF_ENDPOINT", "");
  EXPECT_EQ(hubAddress(QString()).toString(), QStringLiteral("https://huggingface.co"));
}

TEST(HubReference, addresses_of_a_mirror_keep_its_port_and_path) {
  HubReference reference;
  reference.repository = QStringLiteral("org/name");
  EXPECT_EQ(treeAddress(kMirror, reference).toString().toStdString(),
            "https://mirror.example:8443/hf/api/models/org/name/tree/main?recursive=true");
  EXPECT_EQ(fileAddress(kMirror, reference, QStringLiteral("a b.gguf")).toEncoded().toStdString(),
            "https://mirror.example:8443/hf/org/name/resolve/main/a%20b.gguf");
}

}  // namespace
}  // namespace headroom::ui
