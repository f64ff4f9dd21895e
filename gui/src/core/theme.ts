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

export function apply(): void {
  const found = theme();
  if (found === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = found;
  dispatchEvent(new Event("tsvc-theme"));
}

/** Returns a colour of the style sheet, for what is drawn on a canvas. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
