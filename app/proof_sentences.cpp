#include "app/proof_sentences.h"

#include <QCoreApplication>
#include <algorithm>

#include "plan/choose_devices.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"

namespace headroom::app {
namespace {

using ui::driverName, ui::nameAndDriver;

struct CardProofWords {
  Q_DECLARE_TR_FUNCTIONS(CardProof)
};

}  // namespace

QString checkingSentence(const DeviceInfo& device, const ProofProgress& progress) {
  return CardProofWords::tr("Checking %1 before it is used: %2 %")
      .arg(nameAndDriver(device))
      .arg(100 * progress.n_done / std::max(progress.n_steps, 1U));
}

QString passedSentence(const DeviceInfo& device, std::span<const DeviceInfo> devices) {
  const auto twin = std::ranges::find_if(devices, [&](const DeviceInfo& other) {
    return other.kind != device.kind && are_one_card(other, device) && is_used_unasked(other);
  });
  const auto itself = std::ranges::find(devices, device.id, &DeviceInfo::id);
  const auto seconds = itself == devices.end() ? std::nullopt : typical_token_seconds(*itself);
  const auto others = twin == devices.end() ? std::nullopt : typical_token_seconds(*twin);
  if (!seconds || !others)
    return CardProofWords::tr("%1 was checked: it computes as the CPU does. Plans use it where it is faster.")
        .arg(nameAndDriver(device));
  const bool isFaster = *seconds <= *others;
  const double ratio = isFaster ? *others / *seconds : *seconds / *others;
  //: %1 a graphics card, %2 and %4 its drivers: "RTX 4070 was checked: CUDA is 1.4 times as fast as Vulkan. Plans ..."
  return CardProofWords::tr(
             "%1 was checked: %2 is %3 times as fast as %4. Plans use it where it is faster than the CPU.")
      .arg(ui::shortDeviceName(QString::fromStdString(device.name)), driverName(isFaster ? device : *twin),
           ui::formatDecimal(ratio, 1), driverName(isFaster ? *twin : device));
}

QString failedSentence(const DeviceInfo& device, const ProofOfChild& proof) {
  if (proof.kind == ProofOfChild::Kind::kNoJudgement)
    return CardProofWords::tr("%1 could not be checked and is not used yet.").arg(nameAndDriver(device));
  return ui::failedCheckSentence(device);
}

QString failedDetails(const ProofOfChild& proof) {
  QString what = QString::fromStdString(proof.what);
  what.replace(QStringLiteral(" %"), QStringLiteral("\u00A0%"));  // lines do not break there
  //: %1 what was found wrong, in the words of the check; then a menu and its entry
  return CardProofWords::tr("Found: %1. Help > Check the graphics cards again repeats the check.").arg(what);
}

}  // namespace headroom::app
