#include "ui/settings/page_parts.h"

#include <QLabel>
#include <QVBoxLayout>

#include "ui/theme/roles.h"

namespace headroom::ui {

QVBoxLayout* layOutPage(QWidget* page) {
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(kGrid, 0, kGrid, kGrid);
  layout->setSpacing(kGrid);
  return layout;
}

void addHeading(QVBoxLayout* layout, const QString& text) {
  auto* heading = new QLabel(text, layout->parentWidget());
  heading->setContentsMargins(0, layout->count() == 0 ? 0 : kGrid, 0, 0);
  setRole(heading, "heading");
  layout->addWidget(heading);
}

QLabel* addNote(QVBoxLayout* layout, const QString& text) {
  auto* note = new QLabel(text, layout->parentWidget());
  note->setTextFormat(Qt::PlainText);
  note->setWordWrap(true);
  note->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setRole(note, "muted");
  layout->addWidget(note);
  return note;
}

}  // namespace headroom::ui
