// Work in the server's background: asked for while a view wants it, cancelled when the view goes.

import { createEffect, createMemo, createSignal, onCleanup, type Accessor } from "solid-js";
import { get, post, Refusal, remove, type JobState } from "./api.ts";
import { text } from "./answer.ts";

export interface Job {
  readonly state: JobState | undefined;
  readonly error: string | undefined;
}

const WAIT_MS = 2000;

/** `null`: nothing is wanted. `t`: the trace, null for a question about both. */
export function useJob(question: Accessor<{ t: number; body: object } | null>): Accessor<Job> {
  const [job, set] = createSignal<Job>({ state: undefined, error: undefined });
  // A place that changes elsewhere is the same question: its job goes on.
  const asked = createMemo(question, undefined, { equals: (a, b) => JSON.stringify(a) === JSON.stringify(b) });
  createEffect(() => {
    const wanted = asked();
    set({ state: undefined, error: undefined });
    if (wanted === null) return;
    const abort = new AbortController();
    let running: string | undefined;
    onCleanup(() => {
      abort.abort();
      if (running !== undefined) remove(`api/jobs/${running}`).catch(() => undefined);
    });
    follow(wanted, abort.signal, (state) => {
      running = state.state === "running" || state.state === "waiting" ? state.job : undefined;
      if (!abort.signal.aborted) set({ state, error: state.state === "failed" ? (state.error ?? "It failed, and the server does not say why.") : undefined });
      // The view went while the question was on its way.
      else if (running !== undefined) remove(`api/jobs/${running}`).catch(() => undefined);
    }).catch((error: unknown) => {
      if (!abort.signal.aborted) set({ state: undefined, error: text(error) });
    });
  });
  return job;
}

async function follow(question: { t: number; body: object }, signal: AbortSignal, see: (state: JobState) => void): Promise<void> {
  const ask = () => post<JobState>(`api/${question.t}/jobs`, question.body);
  let state = await ask();
  see(state);
  while (!signal.aborted && state.state !== "done" && state.state !== "failed") {
    try {
      // The same question is one job, for all windows: where another one cancelled it, it is asked for anew.
      state = state.state === "cancelled" ? await ask() : await get<JobState>(`api/jobs/${state.job}?wait=${WAIT_MS}`, signal);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      state = await ask();
    }
    see(state);
  }
}
