#include "tests/app/conversation_sequence.h"

#include <random>

namespace headroom::test {

namespace {

struct Known {
  ui::ConversationHead head;
  std::vector<ui::Turn> turns;
  bool isRemoved = false, isPinned = false;
};

class Writer {
 public:
  explicit Writer(unsigned seed) : m_random(seed) {}

  std::vector<Step> write() {
    startConversation();
    for (int event = 0; event < 14; ++event) {
      switch (pick(9)) {
        case 0: startConversation(); break;
        case 1: rename(); break;
        case 2: remove(); break;
        case 3: chooseVersion(); break;
        case 4: setPinned(); break;
        default: ask(); break;
      }
    }
    return m_steps;
  }

 private:
  int pick(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
  Known& any() { return m_known[static_cast<std::size_t>(pick(static_cast<int>(m_known.size())))]; }

  void startConversation() {
    Known known;
    known.head = {QString("c%1").arg(m_known.size()), QString("Title %1").arg(pick(1000)), "", ++m_clock, m_clock};
    m_known.push_back(known);
    m_steps.push_back({Step::Kind::SaveHead, known.head, {}});
  }

  void save(Known& known, const ui::Turn& turn) { m_steps.push_back({Step::Kind::SaveTurn, known.head, turn}); }

  // A question and its answer, or another version of an answer.
  void ask() {
    Known& known = any();
    if (known.isRemoved) return;
    ui::Turn answer;
    if (!known.turns.empty() && pick(3) == 0) {
      answer.parentId = known.turns[static_cast<std::size_t>(pick(static_cast<int>(known.turns.size())))].id;
    } else {
      ui::Turn question;
      question.id = QString("t%1").arg(++m_clock);
      question.parentId = known.turns.empty() ? QString() : known.turns.back().id;
      question.text = QString("Question %1 ").arg(pick(1000)).repeated(1 + pick(200));
      question.createdMs = m_clock;
      known.turns.push_back(question);
      save(known, question);
      answer.parentId = question.id;
    }
    answer.id = QString("t%1").arg(++m_clock);
    answer.role = ui::Role::Assistant;
    answer.state = ui::TurnState::Writing;
    answer.createdMs = m_clock;
    for (int part = pick(5); part >= 0; --part) {
      answer.text += QString("some words %1 ").arg(pick(1000)).repeated(1 + pick(300));
      save(known, answer);
    }
    answer.state = pick(4) == 0 ? ui::TurnState::Stopped : ui::TurnState::Done;
    known.head.updatedMs = ++m_clock;
    m_steps.push_back({Step::Kind::SaveHead, known.head, {}});
    save(known, answer);
    known.turns.push_back(answer);
  }

  void rename() {
    Known& known = any();
    known.head.title = QString("Renamed %1").arg(pick(1000));
    m_steps.push_back({Step::Kind::Rename, known.head, {}});
  }

  void setPinned() {
    Known& known = any();
    known.isPinned = !known.isPinned;
    m_steps.push_back({Step::Kind::SetPinned, known.head, {}, known.isPinned});
  }

  void remove() {
    Known& known = any();
    if (known.isRemoved) return;
    m_steps.push_back({Step::Kind::Remove, known.head, {}});
    known.isRemoved = pick(2) == 0;
    const bool isPurged = known.isRemoved && pick(2) == 0;
    if (!known.isRemoved) m_steps.push_back({Step::Kind::Restore, known.head, {}});
    if (isPurged) m_steps.push_back({Step::Kind::Purge, known.head, {}});
  }

  void chooseVersion() {
    Known& known = any();
    if (known.turns.empty() || known.isRemoved) return;
    ui::Turn turn;
    turn.id = known.turns[static_cast<std::size_t>(pick(static_cast<int>(known.turns.size())))].id;
    m_steps.push_back({Step::Kind::ChooseVersion, known.head, turn});
  }

  std::mt19937 m_random;
  std::vector<Step> m_steps;
  std::vector<Known> m_known;
  qint64 m_clock = 0;
};

void choose(Known& known, const QString& id) {
  QString parent;
  for (const ui::Turn& turn : known.turns) {
    if (turn.id == id) parent = turn.parentId;
  }
  for (ui::Turn& turn : known.turns) {
    if (turn.parentId == parent) turn.active = turn.id == id;
  }
}

void saveInto(Known& known, const ui::Turn& saved) {
  ui::Turn* place = nullptr;
  for (ui::Turn& turn : known.turns) {
    if (turn.id == saved.id) place = &turn;
  }
  if (place != nullptr) {
    *place = saved;
  } else {
    known.turns.push_back(saved);
  }
  if (saved.active) choose(known, saved.id);
}

}  // namespace

std::vector<Step> sequenceOf(unsigned seed) { return Writer(seed).write(); }

void play(const Step& step, ui::ConversationPort& port) {
  switch (step.kind) {
    case Step::Kind::SaveHead: return port.saveHead(step.head);
    case Step::Kind::SaveTurn: return port.saveTurn(step.head.id, step.turn);
    case Step::Kind::Rename: return port.rename(step.head.id, step.head.title);
    case Step::Kind::SetPinned: return port.setPinned(step.head.id, step.isPinned);
    case Step::Kind::ChooseVersion: return port.chooseVersion(step.head.id, step.turn.id);
    case Step::Kind::Remove: return port.remove(step.head.id);
    case Step::Kind::Restore: return port.restore(step.head.id);
    case Step::Kind::Purge: return port.purge(step.head.id);
  }
}

QString inWords(const ui::Conversation& conversation, bool isPinned) {
  QStringList lines{
      QString("%1 %2 pinned %3").arg(conversation.head.title).arg(conversation.head.updatedMs).arg(isPinned)};
  for (const ui::Turn& turn : conversation.turns) {
    lines.append(QString("%1 under '%2' role %3 state %4 active %5: %6")
                     .arg(turn.id, turn.parentId)
                     .arg(static_cast<int>(turn.role))
                     .arg(static_cast<int>(turn.state))
                     .arg(turn.active)
                     .arg(turn.text));
  }
  return lines.join('\n');
}

QMap<QString, QString> heldAfter(const std::vector<Step>& steps, std::size_t n) {
  QMap<QString, Known> all;
  for (std::size_t i = 0; i < n; ++i) {
    const Step& step = steps[i];
    Known& known = all[step.head.id];
    switch (step.kind) {
      case Step::Kind::SaveHead: known.head = step.head; break;
      case Step::Kind::SaveTurn: saveInto(known, step.turn); break;
      case Step::Kind::Rename: known.head.title = step.head.title; break;
      case Step::Kind::SetPinned: known.isPinned = step.isPinned; break;
      case Step::Kind::ChooseVersion: choose(known, step.turn.id); break;
      case Step::Kind::Remove: known.isRemoved = true; break;
      case Step::Kind::Restore: known.isRemoved = false; break;
      case Step::Kind::Purge: break;  // it is removed, and a restart purges it as well
    }
  }
  QMap<QString, QString> held;
  for (auto it = all.cbegin(); it != all.cend(); ++it) {
    ui::Conversation conversation{it->head, it->turns};
    for (ui::Turn& turn : conversation.turns) {
      if (turn.state == ui::TurnState::Writing) turn.state = ui::TurnState::Interrupted;
    }
    if (!it->isRemoved) held[it.key()] = inWords(conversation, it->isPinned);
  }
  return held;
}

}  // namespace headroom::test
