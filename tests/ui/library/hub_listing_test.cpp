#include "ui/library/hub_listing.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "download_fixture.h"

namespace headroom::ui {
namespace {

QByteArray entryOf(const char* path, qint64 size, const QByteArray& sha256 = {}) {
  QByteArray entry = R"({"type":"file","oid":"abc","path":")" + QByteArray(path) + R"(","size":)";
  if (sha256.isEmpty()) return entry + QByteArray::number(size) + "}";
  return entry + QByteArray::number(size) + R"(,"lfs":{"oid":")" + sha256 + R"(","size":)" + QByteArray::number(size) +
         R"(,"pointerSize":134}})";
}

const QByteArray kSha(64, 'a');

TEST(HubListing, a_page_gives_the_gguf_files_with_their_lengths_and_checksums) {
  const auto files =
      parseTreePage("[" + entryOf("x-Q4_K_M.gguf", 5'000'000'000, kSha) + "," + entryOf("README.md", 10) +
                    R"(,{"type":"directory","path":"d.gguf","size":0},)" + entryOf("small.gguf", 100) + "," +
                    entryOf("../up.gguf", 5) + "," + entryOf("none.gguf", 0) + ",3,null]");
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].n_bytes, 5'000'000'000U);
  EXPECT_EQ((*files)[0].sha256, kSha);
  EXPECT_TRUE((*files)[1].sha256.isEmpty());
}

TEST(HubListing, what_is_no_list_is_refused) {
  for (const char* json : {"", "{}", "<html>", "[1", "null", R"({"error":"no"})"})
    EXPECT_FALSE(parseTreePage(json).ok()) << json;
  EXPECT_TRUE(parseTreePage("[]").ok());
}

TEST(HubListing, the_next_page_stands_in_the_link_header) {
  EXPECT_EQ(nextPage("<https://h.example/api?cursor=a%3D>; rel=\"next\"").toEncoded(),
            "https://h.example/api?cursor=a%3D");
  EXPECT_EQ(nextPage("<https://a/1>; rel=\"prev\", <https://a/2>; rel=\"next\"").toString(),
            QStringLiteral("https://a/2"));
  EXPECT_TRUE(nextPage("<https://a/1>; rel=\"prev\"").isEmpty());
  EXPECT_TRUE(nextPage("").isEmpty());
}

TEST(HubListing, parts_of_a_set_are_one_model_and_helpers_are_none) {
  const auto models = listModels({{QStringLiteral("big-Q8_0-00002-of-00002.gguf"), 7, {}},
                                  {QStringLiteral("a-Q4_0.gguf"), 5, {}},
                                  {QStringLiteral("big-Q8_0-00001-of-00002.gguf"), 6, {}},
                                  {QStringLiteral("mmproj-F16.gguf"), 3, {}},
                                  {QStringLiteral("a-imatrix.gguf"), 2, {}},
                                  {QStringLiteral("half-00002-of-00003.gguf"), 1, {}}});
  ASSERT_EQ(models.size(), 5U);
  EXPECT_EQ(models[0].path, QStringLiteral("big-Q8_0-00001-of-00002.gguf"));
  EXPECT_EQ(models[0].n_bytes, 13U);
  EXPECT_EQ(models[0].parts.size(), 2U);
  EXPECT_EQ(models[0].kind, ListedModel::Kind::Model);
  EXPECT_EQ(models[1].quantization, QStringLiteral("Q4_0"));
  EXPECT_EQ(models[2].kind, ListedModel::Kind::Projector);
  EXPECT_EQ(models[3].kind, ListedModel::Kind::ImportanceMatrix);
  EXPECT_EQ(models[4].kind, ListedModel::Kind::IncompleteSet);
}

// A hub of one repository, "org/name".
class ListingOfHub : public testing::Test {
 protected:
  ListingOfHub() {
    m_access.hub = server.url(QString());
    m_reference.repository = QStringLiteral("org/name");
    QObject::connect(&listing, &HubListing::arrived, &listing,
                     [this](const HubReference&, const std::vector<ListedModel>& models) { arrived = models; });
    QObject::connect(&listing, &HubListing::failed, &listing, [this](const HubTrouble& told) { trouble = told; });
    QObject::connect(&listing, &HubListing::waiting, &listing, [this](const Sentence& told) { waits << told.text(); });
  }
  static HubLimits limits() {
    HubLimits made;
    made.http.silenceMs = 2000;
    made.waitMs = 10;
    return made;
  }
  void look() {
    listing.look(m_reference, m_access);
    ASSERT_TRUE(QTest::qWaitFor([this] { return arrived || trouble; }, 10'000));
  }
  void serve(const QString& path, const QByteArray& json, const QByteArray& link = {}) {
    server.serve(path, {json, {}, {}, "application/json", link});
  }

  test::FaultServer server;
  QNetworkAccessManager network;
  HubListing listing{network, limits()};
  HubReference m_reference;
  HubAccess m_access;
  const QString page = QStringLiteral("/api/models/org/name/tree/main?recursive=true");
  std::optional<std::vector<ListedModel>> arrived;
  std::optional<HubTrouble> trouble;
  QStringList waits;
};

TEST_F(ListingOfHub, all_pages_are_one_list) {
  const QString second = QStringLiteral("/second?cursor=x");
  serve(page, "[" + entryOf("a.gguf", 5) + "]", '<' + server.url(second).toEncoded() + ">; rel=\"next\"");
  serve(second, "[" + entryOf("b.gguf", 6) + "]");
  look();
  ASSERT_TRUE(arrived.has_value());
  EXPECT_EQ(arrived->size(), 2U);
}

TEST_F(ListingOfHub, a_page_on_another_server_is_not_asked_for) {
  m_access.token = "hf_secret";
  const QUrl elsewhere = server.url(QStringLiteral("/second"), QStringLiteral("localhost"));
  serve(page, "[" + entryOf("a.gguf", 5) + "]", '<' + elsewhere.toEncoded() + ">; rel=\"next\"");
  look();
  ASSERT_TRUE(trouble.has_value());
  EXPECT_NE(trouble->sentence.text().indexOf(QStringLiteral("another server")), -1);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(ListingOfHub, what_is_closed_asks_for_a_token_and_never_shows_it) {
  for (const int status : {401, 403}) {
    trouble.reset();
    server.setFaults(page, {{test::Fault::Status, status}});
    m_access.token = status == 403 ? "hf_secret" : "";
    look();
    ASSERT_TRUE(trouble.has_value());
    EXPECT_TRUE(trouble->needsToken);
    EXPECT_NE(trouble->sentence.text().indexOf(QStringLiteral("token")), -1);
    EXPECT_EQ(trouble->sentence.text().indexOf(QStringLiteral("hf_secret")), -1);
  }
}

TEST_F(ListingOfHub, a_hub_that_asks_for_patience_gets_it_for_a_while) {
  serve(page, "[" + entryOf("a.gguf", 5) + "]");
  server.setFaults(page, {{test::Fault::Status, 429, "Retry-After: 0\r\n"}, {test::Fault::Status, 503}});
  look();
  EXPECT_TRUE(arrived.has_value());
  EXPECT_EQ(waits.size(), 2);
  arrived.reset();
  server.setFaults(page, std::vector<test::ServerFault>(4, {test::Fault::Status, 429, "Retry-After: 0\r\n"}));
  look();
  EXPECT_TRUE(trouble.has_value());
}

TEST_F(ListingOfHub, what_is_no_repository_says_so) {
  look();
  ASSERT_TRUE(trouble.has_value());
  EXPECT_EQ(trouble->sentence.text(), QStringLiteral("The hub knows no org/name"));
  trouble.reset();
  serve(page, "[" + entryOf("model.safetensors", 5) + "]");
  look();
  ASSERT_TRUE(trouble.has_value());
  EXPECT_NE(trouble->sentence.text().indexOf(QStringLiteral("no .gguf files")), -1);
  trouble.reset();
  serve(page, "<html>");
  look();
  EXPECT_TRUE(trouble.has_value());
}

}  // namespace
}  // namespace headroom::ui
