// The line below every view: the command that shows the same, and what the view shows as text for the clipboard.

import { createEffect, createSignal, onCleanup, Show, type JSX } from "solid-js";
import { trace } from "./place.ts";
import { tsv, type Cell } from "./tsv.ts";
import { word } from "./text.ts";

/** Commands that replay: they take what the trace plays on. */
const REPLAYING: readonly string[] = ["show", "thumbnails", "pixel", "debug", "mesh"];

export interface Export {
  /** Words of the command after `reprise`; `TRACE` stands for the file. */
  readonly command: readonly string[];
  /** What stands behind a pipe after it. */
  readonly pipe?: string;
  readonly table?: () => Promise<{ head: string[]; rows: Cell[][]; more?: string }>;
  readonly json?: () => Promise<unknown>;
}

const [stack, setStack] = createSignal<readonly (() => Export)[]>([]);
const [said, say] = createSignal("");

export { say };

/** What a view offers while it is there. An inner view comes before an outer one. */
export function useExport(offer: () => Export): void {
  createEffect(() => {
    setStack((list) => [...list, offer]);
    onCleanup(() => setStack((list) => list.filter((one) => one !== offer)));
  });
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The browser allows the clipboard only to some pages; an old way is allowed to all.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(`Copied: ${what}.`);
}

export function ExportLine(): JSX.Element {
  const offer = () => stack().at(-1)?.();
  const command = () => {
    const current = offer();
    if (current === undefined) return "";
    const file = trace()?.path ?? trace()?.file ?? "TRACE";
    const words = current.command.map((part) => word(part === "TRACE" ? file : part));
    const on = REPLAYING.includes(words[0] ?? "") ? trace()?.replay.on : undefined;
    // SQL has the frames that the trace has by itself.
    const ends = words[0] === "query" ? undefined : trace()?.frame_boundary;
    const env = (on?.env ?? []).map((pair) => `${pair.replace(/=.*$/s, "")}=${word(pair.replace(/^[^=]*=/, ""))} `).join("");
    words.splice(1, 0, ...(on?.runtime ? ["--runtime", word(on.runtime)] : []), ...(on?.gpu ? ["--gpu", word(on.gpu)] : []), ...(ends ? ["--frame-boundary", word(ends)] : []));
    return `${env}reprise ${words.join(" ")}${current.pipe ? ` | ${current.pipe}` : ""}`;
  };
  const table = async () => {
    const made = await offer()?.table?.();
    if (made) await copy(tsv(made.head, made.rows), `${made.rows.length} rows as TSV${made.more ? `, ${made.more}` : ""}`);
  };
  const json = async () => {
    const made = await offer()?.json?.();
    if (made !== undefined) await copy(JSON.stringify(made, null, 1), "JSON");
  };
  const failed = (error: unknown) => say(`Not copied: ${error instanceof Error ? error.message : String(error)}`);
  return (
    <footer class="export">
      <Show when={offer()}>
        <code title="The command that shows the same">{command()}</code>
        <button onClick={() => copy(command(), "the command").catch(failed)}>Copy command</button>
        <Show when={offer()?.table}>
          <button onClick={() => table().catch(failed)}>Copy TSV</button>
        </Show>
        <Show when={offer()?.json}>
          <button onClick={() => json().catch(failed)}>Copy JSON</button>
        </Show>
      </Show>
      <span class="said" role="status">
        {said()}
      </span>
    </footer>
  );
}
