// A long list of which the page holds what is near the window.
//
// Invariant: at most two pages are asked for at a time, and those that are no longer wanted are not asked for: a fast scroll does not make a
// queue of requests.

import { createSignal, onCleanup, type Accessor } from "solid-js";
import { get, type Listing } from "./api.ts";
import { text } from "./answer.ts";

const PAGE = 200;
/** Pages that are kept. */
const KEPT = 60;
const AT_ONCE = 2;

export interface Pages<T> {
  /** How many items there are, as far as is known. */
  readonly total: Accessor<number>;
  /** Whether anything has been answered: until then `total` says nothing. */
  readonly answered: Accessor<boolean>;
  /** The item with a number; undefined while it is not there. Follows what arrives. */
  item(index: number): T | undefined;
  /** Says which items are visible: these are asked for. */
  want(first: number, count: number): void;
  readonly error: Accessor<string | undefined>;
  /** Items from `first` on, asked for anew where they are not there. */
  read(first: number, count: number): Promise<T[]>;
  /** Says that the list has grown: what it ended with is asked for anew. */
  grown(total: number): void;
}

/** `path` names items from `first` on, `count` of them. Keep one for each list: a list that changes gets a new one. */
export function pages<T>(path: (first: number, count: number) => string, known = 0): Pages<T> {
  const kept = new Map<number, T[]>();
  const underWay = new Map<number, AbortController>();
  const [total, setTotal] = createSignal(known);
  const [version, setVersion] = createSignal(0);
  const [error, setError] = createSignal<string>();
  let wanted: number[] = [];
  let ended = false;

  const ask = () => {
    for (const page of wanted) {
      if (ended || underWay.size >= AT_ONCE) return;
      if (kept.has(page) || underWay.has(page)) continue;
      const abort = new AbortController();
      underWay.set(page, abort);
      get<Listing<T>>(path(page * PAGE, PAGE), abort.signal)
        .then(
          (answer) => {
            kept.set(page, answer.items);
            for (const old of kept.keys()) {
              if (kept.size <= KEPT) break;
              if (!wanted.includes(old)) kept.delete(old);
            }
            setTotal((before) => Math.max(before, answer.total));
            setError(undefined);
            setVersion((value) => value + 1);
          },
          (reason: unknown) => {
            if (!abort.signal.aborted) {
              setError(text(reason));
              wanted = wanted.filter((other) => other !== page);
            }
          },
        )
        .finally(() => {
          underWay.delete(page);
          ask();
        });
    }
  };

  onCleanup(() => {
    ended = true;
    for (const abort of underWay.values()) abort.abort();
  });

  return {
    total,
    answered: () => version() > 0 || error() !== undefined,
    error,
    item(index) {
      version();
      return kept.get(Math.floor(index / PAGE))?.[index % PAGE];
    },
    want(first, count) {
      const low = Math.floor(Math.max(0, first) / PAGE);
      const high = Math.floor(Math.max(0, first + count - 1) / PAGE);
      wanted = [];
      for (let page = low; page <= high; page += 1) wanted.push(page);
      for (const [page, abort] of underWay) if (!wanted.includes(page)) abort.abort();
      for (const page of wanted) {
        // What is used stays longest.
        const items = kept.get(page);
        if (items) {
          kept.delete(page);
          kept.set(page, items);
        }
      }
      ask();
    },
    async read(first, count) {
      const items: T[] = [];
      while (items.length < count) {
        const part = Math.min(1000, count - items.length);
        const answer = await get<Listing<T>>(path(first + items.length, part));
        items.push(...answer.items);
        if (answer.items.length < part) break;
      }
      return items;
    },
    grown(total) {
      setTotal(total);
      for (const [page, items] of kept) if (items.length < PAGE && page * PAGE + items.length < total) kept.delete(page);
      ask();
    },
  };
}
