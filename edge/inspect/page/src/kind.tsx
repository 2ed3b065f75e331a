// Kinds of calls: a mark whose colour and letter say the same.

import type { JSX } from "solid-js";
import { hue } from "./views/timeline.tsx";

const LETTERS: Readonly<Record<string, string>> = {
  draw: "D", dispatch: "C", rays: "R", mesh: "M", indirect: "I", bundle: "B", copy: "c", resolve: "r", clear: "x", discard: "x", barrier: "b", marker: "m",
  query: "q", build: "A", submit: "S", signal: "s", wait: "w", present: "P", create: "+", release: "−", map: "p", view: "v", list: "L", submission: "S", frame: "F",
};

export function Kind(props: { kind: string | null | undefined }): JSX.Element {
  return (
    <span class={`kind ${hue(props.kind ?? "other")}`} title={props.kind ?? "not known"} aria-label={props.kind ?? "not known"} role="img">
      {LETTERS[props.kind ?? ""] ?? "·"}
    </span>
  );
}
