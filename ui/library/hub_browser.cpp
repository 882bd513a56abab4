#include "ui/library/hub_browser.h"

#include <algorithm>
#include <utility>

#include "ui/background/background.h"
#include "ui/format/format_bytes.h"
#include "ui/library/model_name.h"

namespace headroom::ui {

namespace {

constexpr int kMostProbes = 2;  // headers that are read at once

}  // namespace

HubBrowser::HubBrowser(BrowserPorts ports, BrowserLimits limits, QObject* parent)
    : QObject(parent), m_ports(std::move(ports)), m_limits(limits), m_listing(m_network, limits.hub) {
  connect(&m_listing, &HubListing::arrived, this, &HubBrowser::takeListing);
  connect(&m_listing, &HubListing::failed, this,
          [this](const HubTrouble& trouble) { setState(browser_state::Failed{trouble}); });
  connect(&m_listing, &HubListing::waiting, this, [this](const Sentence& sentence) {
    setState(browser_state::Asking{m_reference.repository, sentence});
  });
}

HubBrowser::~HubBrowser() { dropProbes(); }

void HubBrowser::setState(BrowserState state) {
  m_state = std::move(state);
  emit changed();
}

void HubBrowser::dropProbes() {
  delete std::exchange(m_looking, nullptr);
  m_nReading = 0;
}

void HubBrowser::stop() {
  m_listing.cancel();
  dropProbes();
  m_rows.clear();
  setState(browser_state::Empty{});
}

void HubBrowser::look(const QString& typed) {
  m_listing.cancel();
  dropProbes();
  m_rows.clear();
  m_typed = typed;
  m_access = m_ports.findAccess();
  const Result<HubReference> reference = parseHubReference(typed, m_access.hub);
  if (!reference) return setState(browser_state::Failed{{reference.error().message, false}});
  lookAt(*reference);
}

void HubBrowser::lookAgain() {
  if (!m_typed.isEmpty()) look(m_typed);
}

void HubBrowser::lookAt(const HubReference& reference) {
  m_reference = reference;
  if (!reference.repository.isEmpty()) {
    setState(browser_state::Asking{reference.repository, {}});
    return m_listing.look(reference, m_access);
  }
  const QString name = reference.address.fileName();
  takeListing(reference, {{name, quantizationInName(name), ListedModel::Kind::Model, 0, {{name, 0, {}}}}});
}

void HubBrowser::takeListing(const HubReference& reference, const std::vector<ListedModel>& models) {
  const QString folder = m_ports.downloadFolder();
  const auto isWanted = [&](const ListedModel& model) {
    if (reference.file.isEmpty())
      return reference.quantization.isEmpty() ||
             model.quantization.compare(reference.quantization, Qt::CaseInsensitive) == 0;
    return std::any_of(model.parts.begin(), model.parts.end(),
                       [&](const HubFile& part) { return part.path == reference.file; });
  };
  const bool hasWanted = std::any_of(models.begin(), models.end(), isWanted);
  for (const ListedModel& model : models) {
    if (hasWanted && !isWanted(model)) continue;
    BrowserRow row;
    row.model = model;
    row.download = reference.repository.isEmpty() ? downloadOf(folder, reference.address)
                                                  : downloadOf(folder, m_access.hub, reference, model);
    m_rows.push_back(std::move(row));
  }
  Sentence note;
  if (!hasWanted) note = [] { return tr("None of its files is called that: here are all of them"); };
  setState(
      browser_state::Listed{reference.repository.isEmpty() ? reference.address.host() : reference.repository, note});
  m_looking = new QObject(this);
  m_nextRow = 0;
  m_headerBytes = 0;
  readHeaders();
}

void HubBrowser::readHeaders() {
  while (m_nReading < kMostProbes && m_nextRow < m_rows.size()) {
    const std::size_t row = m_nextRow++;
    if (m_rows[row].model.kind == ListedModel::Kind::Model) readHeader(row);
  }
}

void HubBrowser::readHeader(std::size_t row) {
  ++m_nReading;
  m_rows[row].isReading = true;
  auto* probe = new HeaderProbe(m_network, m_ports.inspectModel, m_limits.probe, m_looking);
  const auto isOver = [this, row, probe] {
    probe->deleteLater();
    m_rows[row].isReading = false;
    --m_nReading;
  };
  connect(probe, &HeaderProbe::read, m_looking,
          [this, row, probe, isOver](const std::shared_ptr<const ModelInfo>& model) {
            m_headerBytes = probe->headerBytes();
            isOver();
            planFit(row, model);
            readHeaders();
          });
  connect(probe, &HeaderProbe::failed, m_looking, [this, row, isOver](const Sentence& sentence) {
    isOver();
    m_rows[row].fitProblem = sentence;
    emit rowChanged(static_cast<int>(row));
    readHeaders();
  });
  emit rowChanged(static_cast<int>(row));
  probe->start(m_rows[row].download, m_access, m_headerBytes);
}

void HubBrowser::planFit(std::size_t row, const std::shared_ptr<const ModelInfo>& model) {
  if (!m_ports.startingDevices) return emit rowChanged(static_cast<int>(row));
  runInBackground(
      planningThreads(), m_looking, [model, devices = m_ports.startingDevices()] { return findFit(model, devices); },
      [this, row](const ModelFit& fit) {
        m_rows[row].fit = fit;
        emit rowChanged(static_cast<int>(row));
      });
}

}  // namespace headroom::ui
