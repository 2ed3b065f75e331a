// Light and dark: as the system has it, or as was chosen.

import { createSignal } from "solid-js";

export type Theme = "system" | "light" | "dark";
const KEY = "reprise-theme";

/** Storage may be closed to a page, for one in a private window: then the choice lasts as long as the page. */
function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system";
  }
}

const [theme, setTheme] = createSignal<Theme>(stored());
const media = window.matchMedia("(prefers-color-scheme: dark)");
const [systemDark, setSystemDark] = createSignal(media.matches);
media.addEventListener("change", (event) => setSystemDark(event.matches));

export { theme };

export function dark(): boolean {
  return theme() === "dark" || (theme() === "system" && systemDark());
}

export function nextTheme(): void {
  const next = dark() ? "light" : "dark";
  // Back to the system where both agree again: the page then follows it.
  choose((next === "dark") === systemDark() ? "system" : next);
  try {
    localStorage.setItem(KEY, theme());
  } catch {
    // See above.
  }
}

/** The element first: canvases take their colours from it when the signal changes. */
function choose(next: Theme): void {
  document.documentElement.dataset["theme"] = next;
  setTheme(next);
}

choose(theme());

/** A colour of the style sheet, for canvases. Follows the theme. */
export function colour(name: string): string {
  dark();
  return getComputedStyle(probe(name)).color;
}

/** `light-dark()` is resolved in properties that are colours only: so a variable is asked for through an element. */
function probe(name: string): HTMLElement {
  let element = document.getElementById(`colour-${name}`);
  if (element === null) {
    element = document.createElement("span");
    element.id = `colour-${name}`;
    element.hidden = true;
    element.style.color = `var(--${name})`;
    document.body.append(element);
  }
  return element;
}
