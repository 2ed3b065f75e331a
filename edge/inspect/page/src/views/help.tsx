// All keys.

import { For, onMount, type JSX } from "solid-js";
import type { Key } from "../keys.ts";
import { DEBUG_KEYS } from "./debug.tsx";

const OTHERS: readonly { title: string; keys: readonly [string, string][] }[] = [
  { title: "Lists", keys: [["↑ ↓", "row by row"], ["Page Up, Page Down", "by what is visible"], ["Home, End", "first and last row"], ["Enter", "opens the row"]] },
  { title: "Tree", keys: [["→ ←", "open, close; into and out of a node"], ["*", "opens all below"]] },
  { title: "Timeline", keys: [["← →", "event by event"], ["↑ ↓", "lane by lane"], ["W S", "zoom"], ["A D", "move"], ["F", "all"], ["Enter", "opens the call"]] },
  { title: "Pictures", keys: [["arrows", "texel by texel; with Shift by 16"], ["+ −", "zoom"], ["0", "fit"], ["1", "one texel a pixel"], ["Enter", "what happened to the texel"]] },
  { title: "Tabs", keys: [["← →", "tab by tab"], ["Tab", "into what the tab shows"]] },
  { title: "Bars between panels", keys: [["arrows", "move the bar"]] },
  { title: "Debugger", keys: DEBUG_KEYS },
  { title: "Meshes", keys: [["arrows", "turn"], ["W S", "zoom"], ["A D", "move"], ["F", "all"]] },
];

export function Help(props: { keys: readonly Key[]; onClose: () => void }): JSX.Element {
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => props.onClose()}>
      <h2 id="help-title">Keys</h2>
      <div class="columns">
        <section>
          <h3>Everywhere</h3>
          <dl>
            <For each={props.keys}>
              {(key) => (
                <div>
                  <dt><kbd>{key.key.replace("Arrow", "").replaceAll("-", " + ")}</kbd></dt>
                  <dd>{key.what}</dd>
                </div>
              )}
            </For>
          </dl>
        </section>
        <For each={OTHERS}>
          {(group) => (
            <section>
              <h3>{group.title}</h3>
              <dl>
                <For each={group.keys}>{([key, what]) => <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>}</For>
              </dl>
            </section>
          )}
        </For>
      </div>
      <button autofocus onClick={() => dialog.close()}>Close</button>
    </dialog>
  );
}
