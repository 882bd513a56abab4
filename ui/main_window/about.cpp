#include "ui/main_window/about.h"

#include <QCoreApplication>
#include <QMessageBox>

namespace headroom::ui {
namespace {

struct AboutWords {
  Q_DECLARE_TR_FUNCTIONS(About)
};

void showText(QWidget* parent, const QString& title, const QString& text) {
  auto* box = new QMessageBox(QMessageBox::NoIcon, title, text, QMessageBox::Close, parent);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIconPixmap(QIcon(QStringLiteral(":/headroom/icons/app.svg")).pixmap(QSize(64, 64)));
  box->setTextFormat(Qt::RichText);
  box->open();
}

}  // namespace

void showAbout(QWidget* parent) {
  showText(
      parent, AboutWords::tr("About Headroom"),
      AboutWords::tr("<h3>Headroom %1</h3>"
                     "<p>See where every byte of a local model goes before it is loaded, then load it and chat.</p>"
                     "<p>What is planned is what is allocated: there is one piece of arithmetic for both. Nothing is "
                     "allocated after a load, and nothing leaves this machine unless you ask for it.</p>"
                     "<p>Free software under the GNU General Public License, version 3 or later.</p>")
          .arg(QCoreApplication::applicationVersion().toHtmlEscaped()));
}

void showAboutStarter(QWidget* parent) {
  showText(
      parent, AboutWords::tr("What the starter model is"),
      AboutWords::tr("<h3>A guide, not a general assistant</h3>"
                     "<p>The starter model is a few million parameters, trained for Headroom on questions and answers "
                     "about memory, the KV cache, "
                     "quantization, context length, offload and this app.</p>"
                     "<p>It is here so that the first start needs no download. It does not know anything else, and "
                     "says so. For everything else, drop a "
                     "model of your own on the window.</p>"));
}

}  // namespace headroom::ui
