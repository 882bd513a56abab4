// The part of docs/models.md about published models: what they take, and what is planned for cards of common sizes.
#pragma once

#include <string>
#include <vector>

namespace headroom::test {

std::vector<std::string> published_plans();

}  // namespace headroom::test
