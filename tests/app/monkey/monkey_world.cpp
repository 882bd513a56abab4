#include "tests/app/monkey/monkey_world.h"

#include <QApplication>
#include <QElapsedTimer>

#include "support/model_specs.h"
#include "ui/background/background.h"
#include "ui/library/library_page.h"
#include "ui/settings/settings_dialog.h"

namespace headroom::test {
namespace {

Result<ModelInfo> inspectMade(const QString& path) {
  const QStringList paths = MonkeyWorld::modelPaths();
  if (path == paths[0]) return make_model(kTinyLlama);
  if (path == paths[1]) return make_model(kLlama32_1B);
  return Error{ErrorCode::kBadFile, Message::plain(path.toStdString() + ": not a GGUF file")};
}

DeviceInfo cardWith(const char* id, Bytes bytes) {
  DeviceInfo card = gpu_with(bytes);
  card.id = card.name = id;
  card.speed.read_bytes_per_s = 400e9;
  return card;
}

}  // namespace

QStringList MonkeyWorld::modelPaths() {
  return {QStringLiteral("/models/tiny.gguf"), QStringLiteral("/models/small.gguf"),
          QStringLiteral("/models/broken.gguf")};
}

MonkeyWorld::MonkeyWorld(const QString& folder, std::mt19937& random, KeptTexts& kept, const ui::Settings& settings)
    : m_random(random),
      m_settings(settings),
      m_theme(settings.appearance),
      m_keeper(folder + QStringLiteral("/conversations.sqlite")),
      m_folder(folder) {
  ui::ModelServices services;
  services.engine = &m_engine;
  services.inspectModel = inspectMade;
  services.probeDevices = [] {
    DeviceInfo host = make_cpu_device("A processor", 16 * kGiB, 11 * kGiB, 8);
    host.speed.read_bytes_per_s = 50e9;
    return std::vector<DeviceInfo>{host, cardWith("cuda:0", 3 * kGiB), cardWith("cuda:1", 2 * kGiB)};
  };
  services.catalogue = {cardWith("RTX 4090", 24 * kGiB)};
  services.catalogue[0].is_present = services.catalogue[0].driver_measured = false;
  services.starterModelPath = modelPaths()[0];
  m_models = std::make_unique<ui::ModelController>(std::move(services), m_settings);
  m_window = std::make_unique<ui::MainWindow>(*m_models, m_settings, m_theme);
  m_sessions = std::make_unique<ui::ChatSessions>(m_engine, m_store, m_settings);
  showChat();
  m_library = std::make_unique<ui::ModelLibrary>(inspectMade, ui::libraryPlaces(folder), m_settings.library());
  m_libraryPage = new ui::LibraryPage(m_theme, *m_library);
  m_window->setLibraryPage(m_libraryPage);
  QObject* context = m_window.get();
  const auto connect = [context](auto* sender, auto signal, auto call) {
    QObject::connect(sender, signal, context, call);
  };
  connect(&m_settings, &ui::SettingsModel::appearanceChanged,
          [this] { m_theme.setAppearance(m_settings.appearance()); });
  connect(m_window.get(), &ui::MainWindow::settingsWanted, [this] { showSettings(); });
  connect(&m_store, &WatchedStore::turnRemoved,
          [&kept](const QString& id, bool isAlone) { kept.forgetTurn(id, isAlone); });
  connect(&m_store, &WatchedStore::draftSaved,
          [&kept](const QString& id, const ui::Draft& draft) { kept.takeLonger(id, draft); });
  connect(&m_store, &WatchedStore::conversationRemoved, [&kept](const QString& id) { kept.forgetConversation(id); });
  connect(&m_store, &WatchedStore::conversationRestored, [&kept](const QString& id) { kept.rememberConversation(id); });
  // Later, as the program does: it may be chosen in a list that is built anew.
  QObject::connect(
      &m_settings, &ui::SettingsModel::generalChanged, context, [this] { followLanguage(); }, Qt::QueuedConnection);
  followLanguage();
  m_window->show();
  m_chat->setFocus();
}

void MonkeyWorld::showChat() {
  m_chat = new ui::ChatWidget(*m_sessions, m_store, m_theme);
  m_window->setChatWidget(m_chat);
  QObject::connect(m_models.get(), &ui::ModelController::openModelChanged, m_chat, &ui::ChatWidget::setOpenModel);
  const auto connect = [this](auto signal, auto call) { QObject::connect(m_chat, signal, m_window.get(), call); };
  connect(&ui::ChatWidget::largerContextWanted, [this](quint32 nCtx) { m_window->planForContext(nCtx); });
  connect(&ui::ChatWidget::loadAgainWanted, [this] { m_models->loadAgain(); });
  connect(&ui::ChatWidget::modelDropped, [this](const QString& path) { m_models->open(path); });
  connect(&ui::ChatWidget::problemFound,
          [this](const ui::Sentence& sentence) { m_window->showMessage(ui::Tone::Warning, sentence); });
  m_models->tellOpenModel();
}

void MonkeyWorld::followLanguage() {
  const ui::Language language = ui::chosenLanguage(m_settings.general().language, ui::systemLanguages());
  if (language == m_language.language()) return;
  const auto chat = m_chat->release();
  const ui::LibraryPage::Kept library = m_libraryPage->kept();
  m_language.set(language);
  m_window->writeAnew();
  showChat();
  m_libraryPage = new ui::LibraryPage(m_theme, *m_library);
  m_window->setLibraryPage(m_libraryPage);
  m_chat->takeOver(*chat);
  m_libraryPage->takeOver(library);
  if (auto* dialog = m_window->findChild<ui::SettingsDialog*>()) dialog->writeAnew();
}

MonkeyWorld::~MonkeyWorld() {
  m_window->close();
  m_window.reset();
  m_library.reset();
  m_sessions.reset();
  m_models.reset();
  ui::readingThreads().waitForDone();
}

void MonkeyWorld::showSettings() {
  if (m_window->findChild<ui::SettingsDialog*>() != nullptr) return;
  (new ui::SettingsDialog(m_settings, *m_models, m_folder, m_window.get()))->show();
}

bool MonkeyWorld::step() {
  const bool worked = m_engine.work();
  const bool told = m_engine.deliver();
  QApplication::processEvents();
  QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  return worked || told;
}

bool MonkeyWorld::settle() {
  QElapsedTimer clock;
  clock.start();
  constexpr int kQuietPasses = 5, kLimitMs = 60'000;
  for (int quiet = 0; quiet < kQuietPasses; ++quiet) {
    while (step()) {
      if (clock.elapsed() > kLimitMs) return false;
      quiet = 0;
    }
    ui::readingThreads().waitForDone();
    // Requests are answered in their order: behind this answer all others have come.
    bool isListed = false;
    const QString search = QStringLiteral("what nobody wrote");
    const auto heard = QObject::connect(&m_keeper, &ui::ConversationPort::listed, m_window.get(),
                                        [&](const QString& listed) { isListed = isListed || listed == search; });
    m_keeper.list(search);
    while (!isListed) {
      if (clock.elapsed() > kLimitMs) return false;
      QApplication::processEvents(QEventLoop::AllEvents, 5);
    }
    QObject::disconnect(heard);
  }
  return true;
}

}  // namespace headroom::test
