// PDFs that tests make themselves: pages of Helvetica, one line of text below the other.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace headroom::test {

using PdfPage = std::vector<std::string>;  // lines; none: a page without text, as a scanned one is

// `encryption`: what stands for /Encrypt in the trailer, with an object of its own; empty: it is not encrypted.
inline std::string made_pdf(const std::vector<PdfPage>& pages, const std::string& encryption = {}) {
  std::string pdf = "%PDF-1.4\n";
  std::vector<std::size_t> places;
  const auto add = [&](const std::string& object) {
    places.push_back(pdf.size());
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", places.size(), object);
  };
  std::string kids;
  for (std::size_t i = 0; i < pages.size(); ++i) kids += fmt::format("{} 0 R ", 4 + 2 * i);
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(fmt::format("<< /Type /Pages /Kids [{}] /Count {} >>", kids, pages.size()));
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (std::size_t i = 0; i < pages.size(); ++i) {
    add(
        fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
                    "/Contents {} 0 R >>",
                    5 + 2 * i));
    std::string drawn = "BT /F1 12 Tf 14 TL 72 720 Td\n";
    for (const std::string& line : pages[i]) drawn += fmt::format("({}) Tj T*\n", line);
    drawn += "ET";
    add(fmt::format("<< /Length {} >>\nstream\n{}\nendstream", drawn.size(), drawn));
  }
  std::string more;
  if (!encryption.empty()) {
    add(encryption);
    more = fmt::format("/Encrypt {} 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]",
                       places.size());
  }
  const std::size_t table = pdf.size();
  pdf += fmt::format("xref\n0 {}\n0000000000 65535 f \n", places.size() + 1);
  for (const std::size_t place : places) pdf += fmt::format("{:010} 00000 n \n", place);
  pdf += fmt::format("trailer\n<< /Size {} /Root 1 0 R {} >>\nstartxref\n{}\n%%EOF\n", places.size() + 1, more, table);
  return pdf;
}

// Of a user's password that nobody knows.
inline std::string locked_pdf() {
  const std::string key(64, '7');
  return made_pdf({{"secret"}}, fmt::format("<< /Filter /Standard /V 1 /R 2 /O <{}> /U <{}> /P -4 >>", key, key));
}

}  // namespace headroom::test
