// The URL's fragment: it names what the page shows, so that a link can be kept, sent and opened again.
//
// `#v1/calls?trace=5b0c8a91d2f0&call=91&tab=pipeline`. The version comes first, so that a later page can tell old links from its own.

export const VIEWS = ["frames", "calls", "resources", "heaps", "descriptors", "objects", "shaders", "findings", "costs", "compare", "trace"] as const;
export type View = (typeof VIEWS)[number];

/** What the page shows. */
export interface Place {
  view: View;
  /** The first 12 digits of the trace's identity. */
  trace?: string;
  /** 1: the second trace of compare mode. */
  t?: number;
  frame?: number;
  call?: number;
  object?: number;
  tab?: string;
  /** What only one view knows: a filter, a subresource. */
  more: Readonly<Record<string, string>>;
}

const NUMBERS = ["t", "frame", "call", "object"] as const;
const TEXTS = ["trace", "tab"] as const;

export function write(place: Place): string {
  const parts = new URLSearchParams();
  if (place.trace !== undefined) parts.set("trace", place.trace);
  for (const key of NUMBERS) {
    const value = place[key];
    if (value !== undefined && !(key === "t" && value === 0)) parts.set(key, String(value));
  }
  if (place.tab !== undefined) parts.set("tab", place.tab);
  for (const [key, value] of Object.entries(place.more)) if (value !== "") parts.set(key, value);
  const text = parts.toString();
  return `#v1/${place.view}${text === "" ? "" : `?${text}`}`;
}

/** What a fragment says; a text where it says nothing that this page understands. */
export function read(fragment: string): Place | string {
  if (fragment === "" || fragment === "#") return { view: "frames", more: {} };
  const match = /^#v(\d+)\/([a-z]+)(?:\?(.*))?$/s.exec(fragment);
  if (match === null) return "This link is no link of this page.";
  if (match[1] !== "1") return `This link is of version ${match[1]}, which this page does not know. It knows version 1.`;
  const view = VIEWS.find((name) => name === match[2]);
  if (view === undefined) return `This link names a view that this page does not have: ${match[2]}.`;
  const more: Record<string, string> = {};
  const place: Place = { view, more };
  for (const [key, value] of new URLSearchParams(match[3] ?? "")) {
    const number = NUMBERS.find((name) => name === key);
    const text = TEXTS.find((name) => name === key);
    if (number !== undefined) {
      if (!/^\d{1,15}$/.test(value)) return `This link has no number where it should: ${key}=${value}.`;
      place[number] = Number(value);
    } else if (text !== undefined) place[text] = value;
    else Object.defineProperty(more, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return place;
}
