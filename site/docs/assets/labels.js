// Names that the theme leaves out and a screen reader needs.
"use strict";
document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
