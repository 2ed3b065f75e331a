// What ends a frame: what was recorded, or what the user says. The server opens the trace anew with it, on a page of its own, so this page stays
// as it is and the browser's Back leads to it.

import { createSignal, Show, type JSX } from "solid-js";
import { text } from "./answer.ts";
import { post } from "./api.ts";
import { Empty, Problem } from "./notice.tsx";
import { trace } from "./place.ts";

/** What a user may ask for, in the words of `--frame-boundary`; "" is as recorded. */
const KINDS: readonly { readonly word: string; readonly says: string; readonly value?: { readonly label: string; readonly hint: string } }[] = [
  { word: "", says: "as recorded" },
  { word: "present", says: "presents" },
  { word: "present=", says: "presents of one swap chain", value: { label: "Number of the swap chain", hint: "1" } },
  { word: "submissions", says: "submissions" },
  { word: "marker=", says: "markers", value: { label: "Regular expression for the text of markers", hint: "^Frame" } },
];

export function FrameBoundary(): JSX.Element {
  const now = () => trace()?.frame_boundary ?? "";
  const [kind, setKind] = createSignal(now().replace(/=.*$/s, "="));
  const [value, setValue] = createSignal(/=(.*)$/s.exec(now())?.[1] ?? "");
  const [problem, setProblem] = createSignal<string>();
  const [busy, setBusy] = createSignal(false);
  const wanted = () => KINDS.find((one) => one.word === kind())?.value;
  const words = () => (wanted() ? `${kind()}${value()}` : kind());
  const apply = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const { link } = await post<{ link: string }>("api/divided", { frame_boundary: words() === "" ? null : words() });
      location.assign(link);
    } catch (error) {
      setProblem(text(error));
    }
    setBusy(false);
  };
  return (
    <>
      <form class="toolbar" onSubmit={(event) => void apply(event)}>
        <label>
          Frames end with{" "}
          <select value={kind()} onChange={(event) => setKind(event.currentTarget.value)}>
            {KINDS.map((one) => <option value={one.word}>{one.says}</option>)}
          </select>
        </label>
        <Show when={wanted()} keyed>
          {(of) => <input aria-label={of.label} placeholder={of.hint} autocomplete="off" spellcheck={false} value={value()} onInput={(event) => setValue(event.currentTarget.value)} />}
        </Show>
        <button type="submit" disabled={busy() || words() === now()}>{busy() ? "Opening…" : "Apply"}</button>
      </form>
      <Problem text={problem()} />
      <Show when={trace()?.divided}>
        <Empty>Nothing ended a frame in this trace, so each row is a submission, and its picture is the largest texture that it drew to, or else wrote. Choose above what ends a frame instead, such as the program's markers; <code>reprise capture --frame-boundary</code> records it.</Empty>
      </Show>
    </>
  );
}
