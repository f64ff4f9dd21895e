/** Light, dark, or as the system has it. */

export type Theme = "auto" | "light" | "dark";

export function theme(): Theme {
  const found = localStorage.getItem("theme");
  return found === "light" || found === "dark" ? found : "auto";
}

export function setTheme(value: Theme): void {
  localStorage.setItem("theme", value);
  apply();
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Says in the document which theme it has: the style sheet knows light and dark, and no auto. */
export function apply(): void {
  const found = theme();
  const system = dark.matches ? "dark" : "light";
  document.documentElement.dataset["theme"] = found === "auto" ? system : found;
  dispatchEvent(new Event("tsvc-theme"));
}

dark.addEventListener("change", apply);

/** Returns a colour of the style sheet, for what is drawn on a canvas. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
