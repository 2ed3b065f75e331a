// A trace that is dropped onto the page: it is sent to the server, which opens it on a page of its own.

import { createSignal, onCleanup } from "solid-js";
import { text } from "./answer.ts";
import { path, postFile } from "./api.ts";

export interface Drop {
  /** Something hangs over the page, or is on its way. */
  readonly state: () => "over" | "sending" | undefined;
  readonly problem: () => string | undefined;
}

export function useDrop(): Drop {
  const [state, setState] = createSignal<"over" | "sending">();
  const [problem, setProblem] = createSignal<string>();
  const files = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  const over = (event: DragEvent) => {
    if (!files(event)) return;
    event.preventDefault();
    if (state() === undefined) setState("over");
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null && state() === "over") setState(undefined);
  };
  const drop = async (event: DragEvent) => {
    const file = event.dataTransfer?.files[0];
    if (!files(event) || file === undefined) return;
    event.preventDefault();
    setState("sending");
    setProblem(undefined);
    try {
      const { link } = await postFile<{ link: string }>(path("api/open", { name: file.name }), file);
      location.assign(link);
    } catch (error) {
      setProblem(`${file.name}: ${text(error)}`);
    }
    setState(undefined);
  };
  const dropped = (event: DragEvent) => void drop(event);
  window.addEventListener("dragover", over);
  window.addEventListener("dragleave", leave);
  window.addEventListener("drop", dropped);
  onCleanup(() => {
    window.removeEventListener("dragover", over);
    window.removeEventListener("dragleave", leave);
    window.removeEventListener("drop", dropped);
  });
  return { state, problem };
}
