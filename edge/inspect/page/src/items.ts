// What a job has found so far, as a list that grows.

import { createEffect, createMemo, type Accessor } from "solid-js";
import { path } from "./api.ts";
import type { Job } from "./job.ts";
import { pages, type Pages } from "./pages.ts";

/** A list for each job. Null while there is no job. */
export function useItems<T>(job: Accessor<Job>): Accessor<Pages<T> | null> {
  const id = createMemo(() => job().state?.job ?? null);
  const list = createMemo(() => {
    const name = id();
    return name === null ? null : pages<T>((first, count) => path(`api/jobs/${name}/items`, { first, count }));
  });
  createEffect(() => list()?.grown(job().state?.found ?? 0));
  return list;
}
