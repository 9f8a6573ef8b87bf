"use strict";
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
for (const button of document.querySelectorAll("button[data-open]")) {
  button.addEventListener("click", () => {
    for (const branch of button.closest(".panel").querySelectorAll("details.edge")) {
      branch.open = button.dataset.open === "all";
    }
  });
}
// A reference to a node that is shown elsewhere opens the way to it.
const reveal = () => {
  const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  for (let place = target; place; place = place.parentElement) {
    if (place.tagName === "DETAILS") place.open = true;
  }
  if (target) target.scrollIntoView({ block: "center" });
};
addEventListener("hashchange", reveal);
reveal();
