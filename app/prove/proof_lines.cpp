#include "proof_lines.h"

#include <nlohmann/json.hpp>

#include "base/overloaded.h"

namespace headroom {

using Json = nlohmann::json;

std::string write_proof_line(const ProofLine& line) {
  const Json json = std::visit(
      Overloaded{[](const ProofProgress& progress) {
                   return Json{{"done", progress.n_done}, {"of", progress.n_steps}, {"what", progress.what}};
                 },
                 [](const ProofReport& report) {
                   return Json{
                       {"failures", report.failures}, {"seconds", report.seconds}, {"worst_error", report.worst_error}};
                 },
                 [](const NoJudgement& none) {
                   return Json{{"no_judgement", none.why}};
                 }},
      line);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<ProofLine> read_proof_line(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    if (json.contains("no_judgement")) return NoJudgement{json.at("no_judgement").get<std::string>()};
    if (json.contains("failures")) {
      return ProofReport{json.at("failures").get<std::vector<std::string>>(), json.at("seconds").get<double>(),
                         json.at("worst_error").get<double>()};
    }
    return ProofProgress{json.at("done").get<std::uint32_t>(), json.at("of").get<std::uint32_t>(),
                         json.at("what").get<std::string>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace headroom
