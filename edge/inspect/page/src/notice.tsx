// What there is instead of an answer: waiting, nothing, or what is wrong.

import { Show, type JSX } from "solid-js";
import type { Answer } from "./answer.ts";
import type { Job } from "./job.ts";
import { grouped } from "./text.ts";

export function Problem(props: { text: string | undefined }): JSX.Element {
  return (
    <Show when={props.text}>
      <p class="problem" role="alert">
        {props.text}
      </p>
    </Show>
  );
}

export function Empty(props: { children: JSX.Element }): JSX.Element {
  return <p class="none">{props.children}</p>;
}

/** What an answer brings, or why there is none. */
export function Answered<T>(props: { answer: Answer<T>; children: (data: () => T) => JSX.Element }): JSX.Element {
  return (
    <>
      <Problem text={props.answer.error} />
      <Show when={props.answer.data === undefined && props.answer.busy}>
        <p class="none" role="status">
          Reading…
        </p>
      </Show>
      <Show when={props.answer.data !== undefined}>
        <div class="answered" classList={{ stale: props.answer.busy }} aria-busy={props.answer.busy}>
          {props.children(() => props.answer.data as T)}
        </div>
      </Show>
    </>
  );
}

/** How far a job is. Nothing once it is done. */
export function Progress(props: { job: Job; what: string }): JSX.Element {
  const state = () => props.job.state;
  const progress = () => state()?.progress;
  return (
    <>
      <Problem text={props.job.error} />
      <Show when={props.job.error === undefined && state()?.state !== "done"}>
        <div class="progress" role="status">
          <progress aria-label={props.what} max={progress()?.of || 1} value={progress()?.of ? progress()?.done : undefined} />
          <span>
            {props.what}
            <Show when={state()?.state === "waiting"}>, waiting for other work</Show>
            <Show when={progress()?.text}>: {progress()?.text}</Show>
            <Show when={(state()?.found ?? 0) > 0}> · {grouped(state()?.found ?? 0)} found</Show>
          </span>
        </div>
      </Show>
    </>
  );
}
