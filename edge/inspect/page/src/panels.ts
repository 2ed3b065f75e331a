// Panels one after the other, by key: what scrolls or is moved in by keys can be come to from anywhere.

const PANELS = '.list, [role="tree"], [role="tabpanel"], [role="application"], .lanes, .bar, .toolbar input[type="search"]';

/** The panels that are visible, in the order of the page. */
function visible(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(PANELS)].filter((one) => one.getClientRects().length > 0 && one.closest("dialog") === null);
}

/** What of a panel takes the focus: itself, or the first thing in it that does. */
function target(panel: HTMLElement): HTMLElement | null {
  return panel.tabIndex >= 0 ? panel : panel.querySelector<HTMLElement>('[tabindex="0"], button, input, select, a[href]');
}

/** Goes to the next panel, or to the one before. */
export function stepPanel(step: 1 | -1): void {
  const all = visible().map(target).filter((one): one is HTMLElement => one !== null);
  const own = document.activeElement;
  const inside = all.map((one) => one === own || one.contains(own)).lastIndexOf(true);
  const next = all[inside < 0 ? (step > 0 ? 0 : all.length - 1) : (inside + step + all.length) % all.length];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
