#include "ui/library/http_get.h"

#include <gtest/gtest.h>

#include "download_fixture.h"

namespace headroom::ui {
namespace {

using test::Fault;

class GetOfServer : public testing::Test {
 protected:
  void get(const QUrl& url, std::optional<Bytes> from = {}, std::optional<Bytes> upTo = {}) {
    HttpLimits limits;
    limits.silenceMs = 1000;
    HttpGet get(network, access, limits);
    head = {};
    body.clear();
    end.reset();
    QObject::connect(&get, &HttpGet::headArrived, &get, [this](const HttpHead& told) { head = told; });
    QObject::connect(&get, &HttpGet::bytesArrived, &get, [this](const QByteArray& bytes) { body += bytes; });
    QObject::connect(&get, &HttpGet::ended, &get, [this](const HttpEnd& told) { end = told; });
    get.start({url, from, upTo, {}});
    ASSERT_TRUE(QTest::qWaitFor([this] { return end.has_value(); }, 5000));
  }

  test::DownloadFixture f{200'000};
  QNetworkAccessManager network;
  HubAccess access;
  HttpHead head;
  QByteArray body;
  std::optional<HttpEnd> end;
};

TEST(HttpGet, content_ranges_are_read_strictly) {
  EXPECT_EQ(parseContentRange("bytes 100-199/1000"), (ContentRange{100, 199, 1000}));
  for (const char* bad : {"", "bytes 100-199/*", "bytes */1000", "bytes 200-100/1000", "bytes 0-1000/1000", "0-1/2",
                          "bytes 1-2/99999999999999999999"})
    EXPECT_FALSE(parseContentRange(bad).has_value()) << bad;
}

TEST(HttpGet, a_delay_is_taken_in_seconds_and_bounded) {
  EXPECT_EQ(parseRetryAfterMs("3", 7), 3000);
  EXPECT_EQ(parseRetryAfterMs("Wed, 21 Oct 2026 07:28:00 GMT", 7), 7);
  EXPECT_EQ(parseRetryAfterMs("", 7), 7);
  EXPECT_EQ(parseRetryAfterMs("99999999", 7), 600'000);
}

TEST(HttpGet, the_token_goes_to_its_hub_alone_and_never_over_plain_http) {
  const HubAccess access{QUrl(QStringLiteral("https://hub.example")), "hf_secret"};
  EXPECT_TRUE(mayCarryToken(QUrl(QStringLiteral("https://hub.example/a")), access));
  EXPECT_TRUE(mayCarryToken(QUrl(QStringLiteral("https://hub.example:443/a")), access));
  for (const char* other :
       {"http://hub.example/a", "https://cdn.hub.example/a", "https://hub.example:444/a", "https://hub.example.evil/a"})
    EXPECT_FALSE(mayCarryToken(QUrl(QLatin1StringView(other)), access)) << other;
  const HubAccess plain{QUrl(QStringLiteral("http://hub.example")), "hf_secret"};
  EXPECT_FALSE(mayCarryToken(QUrl(QStringLiteral("http://hub.example/a")), plain));
}

TEST_F(GetOfServer, a_stretch_comes_with_what_is_said_of_it) {
  get(f.server.url(QStringLiteral("/x.gguf")), 100, 199);
  EXPECT_EQ(end->kind, HttpEnd::Kind::Whole);
  EXPECT_EQ(head.status, 206);
  EXPECT_EQ(head.range, (ContentRange{100, 199, 200'000}));
  EXPECT_EQ(head.etag, "\"one\"");
  EXPECT_EQ(body, f.bytes.mid(100, 100));
}

TEST_F(GetOfServer, connections_that_break_or_fall_silent_end_as_cut) {
  for (const test::ServerFault& fault :
       {test::ServerFault{Fault::Cut, 1000}, {Fault::CutHead}, {Fault::Stall, 1000}, {Fault::Garbage}}) {
    f.server.setFaults(QStringLiteral("/x.gguf"), std::vector(8, fault));
    get(f.server.url(QStringLiteral("/x.gguf")));
    EXPECT_EQ(end->kind, HttpEnd::Kind::Cut) << static_cast<int>(fault.kind);
    EXPECT_FALSE(end->sentence.isEmpty());
  }
}

TEST_F(GetOfServer, a_redirect_is_followed_and_the_token_stays_behind) {
  access = {f.server.url(QString()), "hf_secret"};
  const QUrl elsewhere = f.server.url(QStringLiteral("/x.gguf"), QStringLiteral("localhost"));
  f.server.serve(QStringLiteral("/hub"), {f.bytes, {}, "\"linked\""});
  f.server.setFaults(QStringLiteral("/hub"), {{Fault::Redirect, 0, elsewhere.toEncoded()}});
  get(f.server.url(QStringLiteral("/hub")));
  EXPECT_EQ(end->kind, HttpEnd::Kind::Whole);
  EXPECT_EQ(body, f.bytes);
  EXPECT_EQ(head.linkedEtag, "\"linked\"");
  EXPECT_EQ(head.linkedSize, Bytes{200'000});
  const auto requests = f.server.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].authorization, QStringLiteral("Bearer hf_secret"));
  EXPECT_TRUE(requests[1].authorization.isEmpty());
}

TEST_F(GetOfServer, redirects_that_lead_nowhere_are_refused) {
  const QByteArray self = f.server.url(QStringLiteral("/x.gguf")).toEncoded();
  f.server.setFaults(QStringLiteral("/x.gguf"), std::vector<test::ServerFault>(20, {Fault::Redirect, 0, self}));
  get(f.server.url(QStringLiteral("/x.gguf")));
  EXPECT_EQ(end->kind, HttpEnd::Kind::Refused);
  for (const char* target : {"file:///x", "ftp://a/x", "http://u:p@a/x"}) {
    f.server.setFaults(QStringLiteral("/x.gguf"), {{Fault::Redirect, 0, target}});
    get(f.server.url(QStringLiteral("/x.gguf")));
    EXPECT_EQ(end->kind, HttpEnd::Kind::Refused) << target;
  }
}

TEST_F(GetOfServer, statuses_are_answers) {
  for (const int status : {401, 403, 404, 416, 429, 500, 503}) {
    f.server.setFaults(QStringLiteral("/x.gguf"), {{Fault::Status, status, "Retry-After: 3\r\n"}});
    get(f.server.url(QStringLiteral("/x.gguf")));
    EXPECT_EQ(head.status, status);
    EXPECT_EQ(end->kind, HttpEnd::Kind::Whole) << status;
  }
}

}  // namespace
}  // namespace headroom::ui
