// What the user looked for on the hub: the files that were found, and how each would fit here.
#pragma once

#include <QNetworkAccessManager>
#include <QObject>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "ui/calculator/starting_plan.h"
#include "ui/library/header_probe.h"
#include "ui/library/hub_listing.h"
#include "ui/library/model_fit.h"

namespace headroom::ui {

struct BrowserLimits {
  HubLimits hub;
  ProbeLimits probe;
};

// What it asks of others; owned by whoever makes it.
struct BrowserPorts {
  std::function<HubAccess()> findAccess;
  std::function<QString()> downloadFolder;
  std::function<StartingDevices()> startingDevices;  // empty: nothing is said of how a model fits
  InspectModel inspectModel;
};

// One file, or one split model, in the list.
struct BrowserRow {
  ListedModel model;
  DownloadSpec download;
  ModelFit fit;         // Unknown until its header was read
  Sentence fitProblem;  // why its header tells nothing; empty: it does, or was not read yet
  bool isReading = false;
};

namespace browser_state {
struct Empty {};  // nothing was looked for yet
struct Asking {
  QString subject;    // what for
  Sentence sentence;  // why it takes longer, or empty
};
struct Listed {
  QString subject;
  Sentence note;  // or empty
};
struct Failed {
  HubTrouble trouble;
};
}  // namespace browser_state
using BrowserState =
    std::variant<browser_state::Empty, browser_state::Asking, browser_state::Listed, browser_state::Failed>;

// GUI thread. Asks a server only while it looks for what `look` was told.
class HubBrowser : public QObject {
  Q_OBJECT
 public:
  HubBrowser(BrowserPorts ports, BrowserLimits limits, QObject* parent = nullptr);
  ~HubBrowser() override;

  void look(const QString& typed);
  void lookAgain();  // for the same: a token was given
  void stop();

  const BrowserState& state() const { return m_state; }
  const std::vector<BrowserRow>& rows() const { return m_rows; }

 signals:
  void changed();            // state and rows
  void rowChanged(int row);  // how it fits

 private:
  void lookAt(const HubReference& reference);
  void takeListing(const HubReference& reference, const std::vector<ListedModel>& models);
  void setState(BrowserState state);
  void readHeaders();
  void readHeader(std::size_t row);
  void dropProbes();
  void planFit(std::size_t row, const std::shared_ptr<const ModelInfo>& model);

  const BrowserPorts m_ports;
  const BrowserLimits m_limits;
  QNetworkAccessManager m_network;
  HubListing m_listing;
  QString m_typed;
  HubReference m_reference;
  HubAccess m_access;  // of this look
  BrowserState m_state;
  std::vector<BrowserRow> m_rows;
  QObject* m_looking = nullptr;  // owns the probes of this look, and goes with it
  std::size_t m_nextRow = 0;     // whose header is read next
  int m_nReading = 0;
  Bytes m_headerBytes = 0;  // of the model that was read last: the files of a repository are much alike
};

}  // namespace headroom::ui
