#include "ui/chat/trouble_message.h"

#include <QObject>

namespace headroom::ui {

BarMessage troubleMessage(const Trouble& trouble, const TroubleWaysOut& ways) {
  using Kind = Trouble::Kind;
  const bool isFailure = trouble.kind == Kind::Failed || trouble.kind == Kind::DeviceLost;
  BarMessage message{isFailure ? Tone::Bad : Tone::Warning, trouble.sentence};
  const auto offer = [&](const char* name, const QString& text, const QString& tip,
                         const std::function<void()>& choose) {
    message.waysOut.append({name, text, tip, choose});
  };
  const bool canCut = trouble.kind == Kind::ContextFull || trouble.kind == Kind::PromptTooLong;
  if (canCut) {
    offer("dropOldest", QObject::tr("Drop the oldest turns"),
          QObject::tr("They stay on the screen; the model no longer reads them"), ways.dropOldest);
    offer("summarise", QObject::tr("Summarise them"),
          QObject::tr("The model writes a summary that takes the place of the oldest turns"), ways.summarise);
  }
  if (canCut || trouble.kind == Kind::AloneTooLong) {
    offer("largerContext", QObject::tr("Plan a larger context…"),
          QObject::tr("Opens the calculator with a context that would do"), ways.planLarger);
  }
  if (trouble.kind == Kind::Template) {
    offer("plainTemplate", QObject::tr("Use the plain form"), QObject::tr("Until another model is loaded"),
          ways.usePlainForm);
  }
  if (trouble.kind == Kind::DeviceLost) {
    offer("loadAgain", QObject::tr("Load the model again"),
          QObject::tr("With the same plan; a device that is gone is left out"), ways.loadAgain);
  }
  if (!trouble.deviceId.isEmpty()) {
    offer("loadWithout", QObject::tr("Load it without this device"),
          QObject::tr("On another GPU of this machine, or on the CPU where there is none"), ways.loadWithout);
  }
  return message;
}

}  // namespace headroom::ui
