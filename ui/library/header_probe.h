// Reads the header of a model that is still on a server, and nothing of its weights.
#pragma once

#include <QByteArray>
#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "ui/library/download_record.h"
#include "ui/library/http_get.h"
#include "ui/model/model_services.h"

namespace headroom::ui {

struct ProbeLimits {
  HttpLimits http;
  Bytes firstBytes = kMiB;      // asked for at first; more, four times as much each, until the header is whole
  Bytes mostBytes = 64 * kMiB;  // of one file
};

// One model at a time: the first bytes of each of its files are fetched, written to a file with a hole in the place of
// the weights, and read by whatever reads models on disk. Tells `read` or `failed` once. GUI thread; the disk is
// another one's.
class HeaderProbe : public QObject {
  Q_OBJECT
 public:
  HeaderProbe(QNetworkAccessManager& network, InspectModel inspect, ProbeLimits limits, QObject* parent = nullptr);

  // `likelyBytes`: how long the header of a file is, where one like it was read before; 0: nothing is known.
  void start(const DownloadSpec& spec, const HubAccess& access, Bytes likelyBytes = 0);
  Bytes headerBytes() const { return m_headerBytes; }  // of the longest header so far

 signals:
  void read(const std::shared_ptr<const headroom::ModelInfo>& model);
  void failed(const headroom::ui::Sentence& sentence);  // without a full stop

 private:
  void askForMore();
  void takeHead(const HttpHead& head);
  void takeBytes(const QByteArray& bytes);
  std::optional<Bytes> extent() const;  // of what is here of this file; absent: more is needed
  void cutOff();
  void takePart();
  void inspectAll();
  void fail(const Sentence& sentence);

  QNetworkAccessManager& m_network;
  const InspectModel m_inspect;
  const ProbeLimits m_limits;
  DownloadSpec m_spec;
  HubAccess m_access;
  HttpGet* m_get = nullptr;
  Bytes m_wanted = 0;    // of this file
  Bytes m_nextLook = 0;  // with so many of it here, whether it is enough is looked at
  Bytes m_headerBytes = 0;
  Bytes m_skipBytes = 0;              // of the answer, which are here already
  std::vector<QByteArray> m_headers;  // of each file so far
};

}  // namespace headroom::ui
