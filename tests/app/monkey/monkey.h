// Does what nobody would do on purpose: random clicks, keys, texts, drags and menus in the real window, by a seed.
#pragma once

#include <QTemporaryDir>
#include <QTimer>
#include <QUrl>
#include <array>
#include <iterator>
#include <memory>
#include <random>

#include "tests/app/monkey/monkey_world.h"

class QFileDialog;
class QMenu;

namespace headroom::test {

// GUI thread. Nothing outside of its own temporary folder is written, and nothing is opened in another program.
class Monkey : public QObject {
  Q_OBJECT
 public:
  explicit Monkey(unsigned seed);
  ~Monkey() override;

  // False: something is amiss, which why() says.
  bool play(int nActions);
  const QString& why() const { return m_why; }
  QString figures() const;  // what was reached

 public slots:
  void ignoreUrl(const QUrl&) {}  // what the desktop would open

 private:
  using Act = void (Monkey::*)();
  struct Weighted {
    unsigned weight;
    const char* name;
    Act act;
  };
  static const std::array<Weighted, 18>& acts();

  void click();
  void clickAnywhere();
  void doubleClick();
  void pressKey();
  void type();
  void send();
  void drag();
  void wheel();
  void resize();
  void triggerAction();
  void dropFile();
  void openConversation();
  void openModel();
  void chooseTextSize();
  void chooseLanguage();
  void turnPages();
  void work();
  void pause();

  bool check();  // after some actions: an answer can be had, and the store has all texts
  bool checkAsking();
  bool loadToAsk();
  bool checkStore();  // restarts the window
  void see();
  bool fail(const QString& why);

  void closeDialogs();
  void answerDialogs();
  void answerFileDialog(QFileDialog& dialog);
  void leaveNestedLoop();
  QWidget* anyWidget(const char* kind);
  QString anyText();
  template <class Values>
  auto anyOf(const Values& values) {
    return *(std::begin(values) + static_cast<std::ptrdiff_t>(m_random() % std::size(values)));
  }

  std::mt19937 m_random;
  QTemporaryDir m_folder;
  KeptTexts m_kept;
  std::unique_ptr<MonkeyWorld> m_world;
  QTimer m_rescue;  // fires within an action only where that waits in a loop of its own
  QString m_why, m_last;
  int m_nActions = 0, m_nAsked = 0, m_nRestarts = 0;
};

}  // namespace headroom::test
