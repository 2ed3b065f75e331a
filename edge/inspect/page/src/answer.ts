// An answer of the server as a signal: asked for when its path changes, dropped when the view goes.

import { createEffect, createMemo, createSignal, onCleanup, type Accessor } from "solid-js";
import { get } from "./api.ts";

export interface Answer<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  readonly busy: boolean;
}

/** `null` as the path: nothing is asked. What came before stays while the next answer is awaited, so that the page does not flicker. */
export function useAnswer<T>(path: Accessor<string | null>): Accessor<Answer<T>> {
  const [answer, set] = createSignal<Answer<T>>({ data: undefined, error: undefined, busy: path() !== null });
  // A place that changes elsewhere is the same path: its answer stays.
  const asked = createMemo(path);
  createEffect(() => {
    const wanted = asked();
    const abort = new AbortController();
    onCleanup(() => abort.abort());
    if (wanted === null) {
      set({ data: undefined, error: undefined, busy: false });
      return;
    }
    set((before) => ({ ...before, busy: true }));
    get<T>(wanted, abort.signal).then(
      (data) => set({ data, error: undefined, busy: false }),
      (error: unknown) => {
        if (!abort.signal.aborted) set({ data: undefined, error: text(error), busy: false });
      },
    );
  });
  return answer;
}

export function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
