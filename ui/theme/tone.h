// How something is meant, which the theme has colours for.
#pragma once

namespace headroom::ui {

enum class Tone { Neutral, Good, Warning, Bad };

}  // namespace headroom::ui
