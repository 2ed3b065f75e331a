// Keys that work everywhere on the page. Those of a list or a picture are with these.

export interface Key {
  /** As `KeyboardEvent.key`, with `Ctrl-` and `Shift-` before it. */
  readonly key: string;
  readonly what: string;
  readonly run: () => void;
  /** Works in fields, too. */
  readonly fields?: boolean;
}

export function name(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // Shift is part of what a printable key is; it counts with the others only.
  const shift = event.shiftKey && event.key.length > 1 ? "Shift-" : "";
  return `${event.ctrlKey || event.metaKey ? "Ctrl-" : ""}${shift}${key}`;
}

/** Listens until the returned function is called. */
export function listen(keys: () => readonly Key[]): () => void {
  const down = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey) return;
    const target = event.target;
    const field = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
    const pressed = name(event);
    const key = keys().find((one) => one.key === pressed && (!field || one.fields));
    if (key === undefined) return;
    event.preventDefault();
    key.run();
  };
  window.addEventListener("keydown", down);
  return () => window.removeEventListener("keydown", down);
}
