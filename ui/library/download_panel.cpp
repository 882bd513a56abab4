#include "ui/library/download_panel.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "base/overloaded.h"
#include "ui/format/format_bytes.h"
#include "ui/library/download_row.h"
#include "ui/library/listed_model_row.h"
#include "ui/theme/clear_button.h"
#include "ui/theme/page_area.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

QLabel* makeLabel(const char* name, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setObjectName(QLatin1String(name));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

QVBoxLayout* makeColumn(QWidget* parent) {
  auto* column = new QVBoxLayout(parent);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  return column;
}

void emptyColumn(QVBoxLayout& column) {
  while (QLayoutItem* item = column.takeAt(0)) {
    if (item->widget() != nullptr) {
      item->widget()->hide();
      item->widget()->deleteLater();
    }
    delete item;
  }
}

QString kindText(ListedModel::Kind kind) {
  switch (kind) {
    case ListedModel::Kind::Projector: return DownloadPanel::tr("For images and sound: no model by itself");
    case ListedModel::Kind::ImportanceMatrix: return DownloadPanel::tr("For making other quantizations: no model");
    case ListedModel::Kind::IncompleteSet: return DownloadPanel::tr("Parts of it are missing in the repository");
    case ListedModel::Kind::Model: break;
  }
  return {};
}

QString noteOf(const BrowserRow& row) {
  QStringList note;
  if (!row.model.quantization.isEmpty()) note << row.model.quantization;
  if (row.model.n_bytes > 0) note << formatBytes(row.model.n_bytes);
  if (row.model.parts.size() > 1)
    note << DownloadPanel::tr("%n parts", nullptr, static_cast<int>(row.model.parts.size()));
  return note.join(QStringLiteral(" · "));
}

}  // namespace

DownloadPanel::DownloadPanel(HubBrowser& browser, Downloads& downloads, TokenPort& tokens,
                             std::vector<ModelToStart> toStart, QWidget* parent)
    : QWidget(parent), m_browser(browser), m_downloads(downloads), m_tokens(tokens), m_toStart(std::move(toStart)) {
  setObjectName(QStringLiteral("downloadPanel"));
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(12);
  column->addWidget(makeSearch());
  m_banner = new QFrame(page);
  setRole(m_banner, "banner");
  m_message = makeLabel("message", m_banner);
  setRole(m_message, "sentence");
  (new QVBoxLayout(m_banner))->addWidget(m_message);
  column->addWidget(m_banner);
  column->addWidget(makeToken());
  m_listHeading = makeLabel("listHeading", page);
  setRole(m_listHeading, "title");
  auto* list = new QWidget(page);
  m_list = makeColumn(list);
  column->addWidget(m_listHeading);
  column->addWidget(list);
  column->addStretch(1);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->setSpacing(0);
  outer->addWidget(new PageArea(page, this), 3);
  outer->addWidget(makeDownloads(), 2);

  connect(&m_browser, &HubBrowser::changed, this, &DownloadPanel::showBrowser);
  connect(&m_browser, &HubBrowser::rowChanged, this, &DownloadPanel::showRow);
  connect(&m_tokens, &TokenPort::changed, this, &DownloadPanel::showTokenSource);
  connect(&m_downloads, &Downloads::added, this, &DownloadPanel::addDownload);
  connect(&m_downloads, &Downloads::changed, this, &DownloadPanel::showDownload);
  connect(&m_downloads, &Downloads::removed, this, [this](int row) {
    m_downloadRows[static_cast<std::size_t>(row)]->hide();
    m_downloadRows[static_cast<std::size_t>(row)]->deleteLater();
    m_downloadRows.erase(m_downloadRows.begin() + row);
    fitDownloads();
    for (int i = 0; i < static_cast<int>(m_rows.size()); ++i) showRow(i);
  });
  connect(&m_downloads, &Downloads::finished, this, &DownloadPanel::downloaded);
  fitDownloads();
  for (int row = 0; row < m_downloads.count(); ++row) addDownload(row);
  showTokenSource();
  showToken(false);
  showBrowser();
}

QWidget* DownloadPanel::makeSearch() {
  auto* part = new QWidget(this);
  auto* column = makeColumn(part);
  auto* label = new QLabel(tr("&Name on Hugging Face, or address"), part);
  m_field = new QLineEdit(part);
  m_field->setObjectName(QStringLiteral("hubField"));
  m_field->setPlaceholderText(tr("Qwen/Qwen3-4B-GGUF"));
  addClearButton(m_field);
  label->setBuddy(m_field);
  m_lookButton = new QPushButton(tr("Loo&k"), part);
  m_lookButton->setObjectName(QStringLiteral("look"));
  setRole(m_lookButton, "primary");
  m_tokenButton = new QPushButton(tr("&Token…"), part);
  m_tokenButton->setObjectName(QStringLiteral("token"));
  m_tokenButton->setToolTip(tr("For repositories that are private or ask to agree to their terms"));
  m_tokenButton->setCheckable(true);
  auto* line = new QHBoxLayout;
  line->addWidget(m_field, 1);
  line->addWidget(m_lookButton);
  line->addWidget(m_tokenButton);
  column->addWidget(label);
  column->addLayout(line);
  connect(m_field, &QLineEdit::returnPressed, this, [this] { look(m_field->text()); });
  connect(m_field, &QLineEdit::textChanged, this, [this](const QString& text) {
    if (text.isEmpty()) m_browser.stop();  // back to the short list
  });
  connect(m_lookButton, &QPushButton::clicked, this, [this] { look(m_field->text()); });
  connect(m_tokenButton, &QPushButton::clicked, this, [this](bool isChecked) {
    showToken(isChecked);
    if (isChecked) whenTokenIsKnown([this] { showTokenSource(); });
  });
  return part;
}

// In an area of its own: a long list of files does not push it out of sight.
QWidget* DownloadPanel::makeDownloads() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(12, 8, 12, 12);
  column->setSpacing(8);
  auto* heading = makeLabel("downloadsHeading", page);
  heading->setText(tr("Downloads"));
  setRole(heading, "title");
  auto* list = new QWidget(page);
  m_downloadList = makeColumn(list);
  column->addWidget(heading);
  column->addWidget(list);
  column->addStretch(1);
  m_downloadsArea = new PageArea(page, this);
  page->installEventFilter(this);
  m_downloadsArea->setObjectName(QStringLiteral("downloadsArea"));
  return m_downloadsArea;
}

bool DownloadPanel::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize) fitDownloads();
  return QWidget::eventFilter(object, event);
}

// No higher than what is in it, so that the list above has the rest.
void DownloadPanel::fitDownloads() {
  m_downloadsArea->setVisible(!m_downloadRows.empty());
  const QWidget* page = m_downloadsArea->widget();
  const int height = page->hasHeightForWidth() ? page->heightForWidth(m_downloadsArea->viewport()->width()) : 0;
  m_downloadsArea->setMaximumHeight(std::max(height, page->sizeHint().height()) + 2 * m_downloadsArea->frameWidth());
}

QWidget* DownloadPanel::makeToken() {
  m_tokenPart = new QFrame(this);
  setRole(m_tokenPart, "card");
  auto* column = new QVBoxLayout(m_tokenPart);
  column->setContentsMargins(12, 8, 12, 8);
  auto* label = new QLabel(tr("Your t&oken for the hub"), m_tokenPart);
  m_tokenField = new QLineEdit(m_tokenPart);
  m_tokenField->setObjectName(QStringLiteral("tokenField"));
  m_tokenField->setEchoMode(QLineEdit::Password);
  m_tokenField->setPlaceholderText(QStringLiteral("hf_…"));
  label->setBuddy(m_tokenField);
  auto* keep = new QPushButton(tr("&Use it"), m_tokenPart);
  keep->setObjectName(QStringLiteral("keepToken"));
  auto* line = new QHBoxLayout;
  line->addWidget(m_tokenField, 1);
  line->addWidget(keep);
  m_tokenNote = makeLabel("tokenNote", m_tokenPart);
  setRole(m_tokenNote, "muted");
  column->addWidget(label);
  column->addLayout(line);
  column->addWidget(m_tokenNote);
  connect(keep, &QPushButton::clicked, this, &DownloadPanel::keepToken);
  connect(m_tokenField, &QLineEdit::returnPressed, this, &DownloadPanel::keepToken);
  return m_tokenPart;
}

void DownloadPanel::setMemory(Bytes n_bytes) {
  m_memoryBytes = n_bytes;
  if (std::holds_alternative<browser_state::Empty>(m_browser.state())) showToStart();
}

QString DownloadPanel::typed() const { return m_field->text(); }
void DownloadPanel::setTyped(const QString& text) { m_field->setText(text); }

// The keyring is asked when there is a first use for a token, and may ask the user.
void DownloadPanel::whenTokenIsKnown(const std::function<void()>& then) {
  if (m_tokens.isReady()) return then();
  connect(&m_tokens, &TokenPort::ready, this, then, Qt::SingleShotConnection);
  m_tokens.prepare();
}

void DownloadPanel::look(const QString& typed) {
  if (typed.trimmed().isEmpty()) return;
  whenTokenIsKnown([this, typed] { m_browser.look(typed); });
}

// An empty one is forgotten. What waits for it goes on.
void DownloadPanel::keepToken() {
  const QByteArray token = m_tokenField->text().trimmed().toUtf8();
  if (!token.isEmpty() && !isUsableToken(token)) {
    m_tokenNote->setText(tr("This is no token: one line of letters and digits was expected, as in hf_\u2026"));
    return;
  }
  m_tokens.setToken(token);
  m_tokenField->clear();
  if (!std::holds_alternative<browser_state::Empty>(m_browser.state())) m_browser.lookAgain();
  for (int row = 0; row < m_downloads.count(); ++row) {
    Download& download = m_downloads.at(row);
    const auto* failed = std::get_if<download_stage::Failed>(&download.stage());
    if (failed != nullptr && failed->needsToken) m_downloads.resume(download);
  }
}

void DownloadPanel::showToken(bool isShown) {
  m_tokenPart->setVisible(isShown);
  m_tokenButton->setChecked(isShown);
  if (isShown && isVisible()) m_tokenField->setFocus();
}

QString DownloadPanel::tokenSource() const {
  switch (m_tokens.source()) {
    case TokenSource::None:
      return tr(
          "None is known. It is made under huggingface.co/settings/tokens and may be one that "
          "reads only; your system's keyring keeps it");
    case TokenSource::Keyring: return tr("Yours is kept by your system's keyring. Leave the field empty to forget it");
    case TokenSource::ThisRun:
      return tr("Yours is known until Headroom ends: this system has no keyring that would keep it");
    case TokenSource::Environment: return tr("The one in HF_TOKEN is used, for huggingface.co alone");
    case TokenSource::HubFile: return tr("The one of the hub's own program is used, for huggingface.co alone");
  }
  return {};
}

// What the keyring would not delete is told beside the one that is used instead.
void DownloadPanel::showTokenSource() {
  if (!m_tokens.isStillKept()) return m_tokenNote->setText(tokenSource());
  const QString kept =
      tr("Your system's keyring has not deleted yours: it is still kept, and the next start finds it again. Press "
         "Enter in the empty field to try once more");
  const bool isAlone = m_tokens.source() == TokenSource::None;
  m_tokenNote->setText(isAlone ? kept : tokenSource() + QStringLiteral(". ") + kept);
}

void DownloadPanel::showMessage(Tone tone, const QString& sentence) {
  m_message->setText(sentence);
  m_banner->setVisible(!sentence.isEmpty());
  setTone(m_banner, tone);
}

void DownloadPanel::showBrowser() {
  emptyColumn(*m_list);
  m_rows.clear();
  namespace s = browser_state;
  std::visit(Overloaded{[this](const s::Empty&) {
                          showMessage(Tone::Neutral, {});
                          showToStart();
                        },
                        [this](const s::Asking& asking) {
                          m_listHeading->hide();
                          showMessage(Tone::Neutral, asking.sentence.isEmpty()
                                                         ? tr("The hub is asked for %1…").arg(asking.subject)
                                                         : asking.sentence.text());
                        },
                        [this](const s::Listed& listed) {
                          showMessage(Tone::Neutral, listed.note.text());
                          m_listHeading->setText(listed.subject);
                          m_listHeading->show();
                          showFound();
                        },
                        [this](const s::Failed& failed) {
                          m_listHeading->hide();
                          showMessage(Tone::Bad, failed.trouble.sentence.text());
                          if (failed.trouble.needsToken) showToken(true);
                        }},
             m_browser.state());
}

void DownloadPanel::showToStart() {
  emptyColumn(*m_list);
  m_listHeading->setText(tr("To start with"));
  m_listHeading->setVisible(!m_toStart.empty());
  for (const ModelToStart& model : m_toStart) {
    auto* row = new ListedModelRow(m_list->parentWidget());
    row->setTexts(
        model.name,
        tr("%1 · about %2 GiB")
            .arg(wordsOf(model), formatDecimal(static_cast<double>(model.n_bytes) / static_cast<double>(kGiB), 1)));
    if (m_memoryBytes > 0 && model.n_bytes > m_memoryBytes)
      row->setFit(tr("Larger than the memory of this machine"), Tone::Bad);
    row->setAction(tr("Look"), true);
    connect(row, &ListedModelRow::wanted, this, [this, typed = lookFor(model)] {
      m_field->setText(typed);
      m_field->setFocus();  // the row goes
      look(typed);
    });
    m_list->addWidget(row);
  }
}

void DownloadPanel::showFound() {
  for (int i = 0; i < static_cast<int>(m_browser.rows().size()); ++i) {
    auto* row = new ListedModelRow(m_list->parentWidget());
    connect(row, &ListedModelRow::wanted, this, [this, i] { fetch(m_browser.rows()[static_cast<std::size_t>(i)]); });
    m_list->addWidget(row);
    m_rows.push_back(row);
    showRow(i);
  }
}

void DownloadPanel::showRow(int row) {
  if (row >= static_cast<int>(m_rows.size())) return;
  const BrowserRow& found = m_browser.rows()[static_cast<std::size_t>(row)];
  ListedModelRow& shown = *m_rows[static_cast<std::size_t>(row)];
  shown.setTexts(found.model.path, noteOf(found));
  const QString kind = kindText(found.model.kind);
  if (!kind.isEmpty()) {
    shown.setFit(kind, Tone::Neutral);
  } else if (!found.fitProblem.isEmpty()) {
    shown.setFit(found.fitProblem.text(), Tone::Bad);
  } else if (found.isReading) {
    shown.setFit(tr("Its header is read…"), Tone::Neutral);
  } else {
    shown.setFit(fitText(found.fit), fitTone(found.fit));
  }
  const bool isOnDisk = headroom::ui::isOnDisk(found.download);
  const Download* download = m_downloads.find(found.download.path());
  const bool isFetched = download != nullptr && !std::holds_alternative<download_stage::Done>(download->stage());
  shown.setAction(isOnDisk    ? tr("On disk")
                  : isFetched ? tr("In the list")
                              : tr("Download"),
                  !isOnDisk && !isFetched && found.model.kind != ListedModel::Kind::IncompleteSet);
}

void DownloadPanel::fetch(const BrowserRow& row) { m_downloads.add(row.download); }

void DownloadPanel::addDownload(int row) {
  auto* shown = new DownloadRow(m_downloadList->parentWidget());
  m_downloadRows.insert(m_downloadRows.begin() + row, shown);
  m_downloadList->insertWidget(row, shown);
  Download* download = &m_downloads.at(row);
  connect(shown, &DownloadRow::pauseWanted, download, &Download::pause);
  connect(shown, &DownloadRow::resumeWanted, download,
          // It may be removed while the keyring is asked.
          [this, download] {
            whenTokenIsKnown([this, wanted = QPointer(download)] {
              if (wanted != nullptr) m_downloads.resume(*wanted);
            });
          });
  // Later: the row is in the middle of its click.
  connect(
      shown, &DownloadRow::removeWanted, download, [this, download] { askToRemove(*download); }, Qt::QueuedConnection);
  connect(shown, &DownloadRow::loadWanted, download, [this, download] { emit loadWanted(download->spec().path()); });
  showDownload(row);
  fitDownloads();
}

// What is done stays on the disk, and nobody misses what has not begun.
void DownloadPanel::askToRemove(Download& download) {
  if (std::holds_alternative<download_stage::Done>(download.stage()) || download.bytesDone() == 0)
    return m_downloads.remove(download);
  auto* box = new QMessageBox(QMessageBox::Question, tr("Remove a download"),
                              tr("Delete what has come of %1?").arg(download.spec().parts.front().file),
                              QMessageBox::Cancel, this);
  box->setObjectName(QStringLiteral("removeQuestion"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->setInformativeText(tr("%1 would have to be fetched once more.").arg(formatBytes(download.bytesDone())));
  QPushButton* remove = box->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
  remove->setObjectName(QStringLiteral("removeAgreed"));
  // It may have gone meanwhile.
  connect(remove, &QPushButton::clicked, &download, [this, &download] { m_downloads.remove(download); });
  box->setDefaultButton(QMessageBox::Cancel);
  box->open();
}

void DownloadPanel::showDownload(int row) {
  const Download& download = m_downloads.at(row);
  m_downloadRows[static_cast<std::size_t>(row)]->show(download);
  const auto* failed = std::get_if<download_stage::Failed>(&download.stage());
  if (failed != nullptr && failed->needsToken && m_tokenPart->isHidden()) showToken(true);
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    if (m_browser.rows()[i].download.path() == download.spec().path()) showRow(static_cast<int>(i));
  }
}

}  // namespace headroom::ui
