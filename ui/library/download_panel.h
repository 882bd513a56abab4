// Where models are found on the hub and fetched: a field, what was found, and the downloads.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "ui/library/downloads.h"
#include "ui/library/hub_browser.h"
#include "ui/library/models_to_start.h"
#include "ui/library/token_port.h"
#include "ui/theme/tone.h"

class QFrame;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace headroom::ui {

class DownloadRow;
class ListedModelRow;
class PageArea;

// Borrows what it is given. Nobody is asked anything before the user presses a button or Enter.
class DownloadPanel : public QWidget {
  Q_OBJECT
 public:
  DownloadPanel(HubBrowser& browser, Downloads& downloads, TokenPort& tokens, std::vector<ModelToStart> toStart,
                QWidget* parent = nullptr);

  // What this machine has to hold models in; larger ones of the short list are marked. 0: not known.
  void setMemory(Bytes n_bytes);
  QString typed() const;  // in the field, and not looked for yet
  void setTyped(const QString& text);
  QSize sizeHint() const override { return {720, 640}; }

 signals:
  void loadWanted(const QString& path);
  void downloaded(const QString& path);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;  // what the list of downloads needs changes

 private:
  QWidget* makeSearch();
  QWidget* makeToken();
  QWidget* makeDownloads();
  void fitDownloads();
  void look(const QString& typed);
  void whenTokenIsKnown(const std::function<void()>& then);
  void keepToken();
  void showToken(bool isShown);
  QString tokenSource() const;  // in words
  void showTokenSource();
  void showBrowser();
  void showToStart();
  void showFound();
  void showRow(int row);
  void showMessage(Tone tone, const QString& sentence);
  void addDownload(int row);
  void askToRemove(Download& download);
  void showDownload(int row);
  void fetch(const BrowserRow& row);

  HubBrowser& m_browser;
  Downloads& m_downloads;
  TokenPort& m_tokens;
  const std::vector<ModelToStart> m_toStart;
  Bytes m_memoryBytes = 0;
  QLineEdit *m_field = nullptr, *m_tokenField = nullptr;
  QPushButton *m_lookButton = nullptr, *m_tokenButton = nullptr;
  QWidget* m_tokenPart = nullptr;
  QLabel *m_tokenNote = nullptr, *m_message = nullptr, *m_listHeading = nullptr;
  QFrame* m_banner = nullptr;
  PageArea* m_downloadsArea = nullptr;  // hidden while there are none
  QVBoxLayout *m_list = nullptr, *m_downloadList = nullptr;
  std::vector<ListedModelRow*> m_rows;  // of the browser; empty while the short list is shown
  std::vector<DownloadRow*> m_downloadRows;
};

}  // namespace headroom::ui
