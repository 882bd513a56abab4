// Several lambdas as one visitor of a std::variant.
#pragma once

namespace headroom {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace headroom
