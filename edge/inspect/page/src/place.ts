// Where the page is: the URL's fragment as a signal.

import { batch, createSignal } from "solid-js";
import type { Trace } from "./api.ts";
import { read, write, type Place, type View } from "./link.ts";

const first = read(location.hash);
const [current, setCurrent] = createSignal<Place>(typeof first === "string" ? { view: "frames", more: {} } : first);
const [problem, setProblem] = createSignal<string | undefined>(typeof first === "string" ? first : undefined);
const [traces, setTraces] = createSignal<readonly Trace[]>([]);
/** Whether both traces are one, played on two things. */
const [replays, setReplays] = createSignal(false);

export { problem, replays, setReplays, setTraces, traces };

export const place = current;

window.addEventListener("hashchange", () => {
  const next = read(location.hash);
  batch(() => {
    setProblem(typeof next === "string" ? next : undefined);
    if (typeof next !== "string") setCurrent(next);
  });
});

/** How many digits of a trace's identity stand in a link. */
const DIGITS = 12;

/** The trace that the page shows. */
export function trace(): Trace | undefined {
  const t = current().t ?? 0;
  const identity = current().trace;
  const list = traces();
  const there = list.find((one) => one.t === t) ?? list[0];
  if (identity === undefined || there?.identity.startsWith(identity)) return there;
  return list.find((one) => one.identity.startsWith(identity)) ?? there;
}

/** What tells a side from the other: its file, or what it plays on. */
export function sideName(one: Trace | undefined): string {
  return (replays() ? one?.replay.on.label : one?.file) ?? "";
}

/** What is wrong with the link: it names a trace that is not open. */
export function stranger(): string | undefined {
  const identity = current().trace;
  const list = traces();
  if (identity === undefined || list.length === 0 || list.some((one) => one.identity.startsWith(identity))) return undefined;
  return `This link is of another trace (${identity}) than what is open (${list.map((one) => one.file).join(", ")}): its numbers of calls and objects mean other things here.`;
}

export type Change = Partial<Record<"frame" | "call" | "object" | "t", number | undefined>> & { view?: View; tab?: string | undefined; more?: Record<string, string | undefined> };

/** The place with a change. Another view forgets what only the old one knew. */
export function changed(change: Change): Place {
  const before = current();
  const other = change.view !== undefined && change.view !== before.view;
  const next: Place = { ...before, more: {} };
  if (other) delete next.tab;
  for (const key of ["frame", "call", "object", "t"] as const) {
    if (!(key in change)) continue;
    const value = change[key];
    if (value === undefined) delete next[key];
    else next[key] = value;
  }
  if ("tab" in change) {
    if (change.tab === undefined) delete next.tab;
    else next.tab = change.tab;
  }
  if (change.view !== undefined) next.view = change.view;
  const more: Record<string, string> = other ? {} : { ...before.more };
  for (const [key, value] of Object.entries(change.more ?? {})) {
    if (value === undefined || value === "") delete more[key];
    else more[key] = value;
  }
  const identity = traces().find((one) => one.t === (next.t ?? 0))?.identity;
  if (identity !== undefined) next.trace = identity.slice(0, DIGITS);
  return { ...next, more };
}

/** The link of a place with a change: what a link on the page has as its address, so that it can be opened in a window of its own. */
export function link(change: Change): string {
  return write(changed(change));
}

/** Goes there. Moves of a selection replace the place: otherwise the way back would be a thousand steps. */
export function go(change: Change, replace = false): void {
  const next = changed(change);
  const text = write(next);
  if (text === location.hash) return;
  if (replace) history.replaceState(null, "", text);
  else history.pushState(null, "", text);
  batch(() => {
    setProblem(undefined);
    setCurrent(next);
  });
}

window.addEventListener("popstate", () => {
  const next = read(location.hash);
  if (typeof next !== "string") setCurrent(next);
});

/** A path of the trace that the page shows. */
export function api(name: string, t = trace()?.t ?? 0): string {
  return `api/${t}/${name}`;
}
