// Pictures of frames, made by replays in the background for what is visible.

import { createEffect, createSignal, onCleanup, type Accessor } from "solid-js";
import { get, type Listing } from "./api.ts";
import { useJob, type Job } from "./job.ts";

export interface Thumbnail {
  frame: number;
  file: string;
  width: number;
  height: number;
  /** Where nothing ended a frame: the texture that stands for the submission, and the submission's call. */
  resource?: number;
  call?: number;
}

/** Frames are asked for in blocks: a scroll by one row is not a question of its own. */
const BLOCK = 24;
const SETTLE_MS = 200;

export interface Thumbnails {
  readonly job: Accessor<Job>;
  picture(frame: number): Thumbnail | undefined;
  /** Says which frames are visible. */
  want(first: number, count: number): void;
}

export function useThumbnails(t: number, frames: number, size: number, possible: boolean): Thumbnails {
  const have = new Map<number, Thumbnail>();
  const asked = new Set<number>();
  const [version, setVersion] = createSignal(0);
  const [block, setBlock] = createSignal<number | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const job = useJob(() => {
    const wanted = block();
    if (wanted === null || !possible || wanted * BLOCK >= frames) return null;
    return { t, body: { kind: "thumbnails", frames: [wanted * BLOCK + 1, Math.min(frames, (wanted + 1) * BLOCK)], size } };
  });
  let wanted: number[] = [];
  const next = () => setBlock(wanted.find((one) => !asked.has(one)) ?? null);
  createEffect(() => {
    const state = job().state;
    if (state === undefined) return;
    const ended = state.state === "done" || state.state === "failed";
    const now = block();
    if (state.found === 0 && !ended) return;
    get<Listing<Thumbnail>>(`api/jobs/${state.job}/items?first=0&count=${BLOCK}`).then(
      (answer) => {
        for (const item of answer.items) have.set(item.frame, item);
        setVersion((value) => value + 1);
        if (ended && now !== null) {
          asked.add(now);
          if (block() === now) next();
        }
      },
      () => undefined,
    );
  });
  return {
    job,
    picture(frame) {
      version();
      return have.get(frame);
    },
    want(first, count) {
      const low = Math.floor(Math.max(0, first - 1) / BLOCK);
      const high = Math.floor(Math.max(0, Math.min(frames, first + count - 1) - 1) / BLOCK);
      wanted = [];
      for (let one = low; one <= high; one += 1) wanted.push(one);
      clearTimeout(timer);
      timer = setTimeout(() => {
        const now = block();
        if (now === null || !wanted.includes(now)) next();
      }, SETTLE_MS);
    },
  };
}
