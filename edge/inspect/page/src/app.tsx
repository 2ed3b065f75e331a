// The page: what stands above and below every view, and which view is shown.

import { createEffect, createMemo, createSignal, For, Match, onCleanup, Show, Switch, type JSX } from "solid-js";
import { text, useAnswer } from "./answer.ts";
import { get, path, Refusal, type Measured, type Traces } from "./api.ts";
import { ExportLine, say } from "./export.tsx";
import { useDrop } from "./drop.ts";
import { listen, type Key } from "./keys.ts";
import { VIEWS, type View } from "./link.ts";
import { Problem } from "./notice.tsx";
import { stepPanel } from "./panels.ts";
import { api, go, link, place, problem, replays, setReplays, setTraces, sideName, stranger, trace, traces } from "./place.ts";
import { grouped } from "./text.ts";
import { dark, nextTheme } from "./theme.ts";
import { Calls, finder, stepAction } from "./views/calls.tsx";
import { Compare } from "./views/compare.tsx";
import { Costs } from "./views/costs.tsx";
import { Findings } from "./views/findings.tsx";
import { Frames } from "./views/frames.tsx";
import { Help } from "./views/help.tsx";
import { Notes } from "./views/notes.tsx";
import { Objects } from "./views/objects.tsx";
import { Shaders } from "./views/shaders.tsx";
import { TraceView } from "./views/trace.tsx";

const TITLES: Readonly<Record<View, string>> = {
  frames: "Frames", calls: "Calls", resources: "Resources", heaps: "Heaps", descriptors: "Descriptors", objects: "Objects", shaders: "Shaders",
  findings: "Findings", costs: "Costs", compare: "Compare", trace: "Trace",
};

const SURVEY_MS = 150;

export function App(): JSX.Element {
  const [failed, setFailed] = createSignal<string>();
  const [help, setHelp] = createSignal(false);
  const [notes, setNotes] = createSignal(false);
  const drop = useDrop();
  let ended = false;
  onCleanup(() => {
    ended = true;
  });
  const survey = async () => {
    for (;;) {
      const answer = await get<Traces>("api/traces");
      if (ended) return;
      setReplays(answer.replays);
      setTraces(answer.traces);
      if (answer.traces.every((one) => one.surveyed)) return;
      await new Promise((resolve) => setTimeout(resolve, SURVEY_MS));
    }
  };
  survey().catch((error: unknown) => setFailed(error instanceof Refusal && error.status === 404 ? "This link is of a run of `reprise inspect` that has ended. Start it again: it prints a new link." : text(error)));

  const views = () => VIEWS.filter((view) => (view !== "compare" || traces().length > 1) && (view !== "costs" || (trace()?.measured ?? false)));
  const surveyed = () => traces().length > 0 && traces().every((one) => one.surveyed);
  const keys: readonly Key[] = [
    { key: "1 … 9, 0", what: "the views, from the left", run: () => undefined },
    ...Array.from({ length: 10 }, (_, index) => ({
      key: String((index + 1) % 10), what: "",
      run: () => {
        const view = views()[index];
        if (view) go({ view });
      },
    })),
    { key: "/", what: "search", run: focusSearch },
    { key: "Ctrl-f", what: "search", run: focusSearch, fields: true },
    { key: "Ctrl-g", what: "goes to a call by its number", run: () => focus("goto"), fields: true },
    { key: "F3", what: "next call that was found", run: () => finder.step?.(1), fields: true },
    { key: "Shift-F3", what: "last call that was found", run: () => finder.step?.(-1), fields: true },
    { key: "Ctrl-ArrowRight", what: "next draw, dispatch, copy or clear", run: () => void stepAction(1) },
    { key: "Ctrl-ArrowLeft", what: "last draw, dispatch, copy or clear", run: () => void stepAction(-1) },
    { key: "F6", what: "next panel", run: () => stepPanel(1), fields: true },
    { key: "Shift-F6", what: "last panel", run: () => stepPanel(-1), fields: true },
    { key: "n", what: "notes, and a new one about what is shown", run: () => setNotes(true) },
    { key: "t", what: "light or dark", run: nextTheme },
    { key: "?", what: "this help", run: () => setHelp(true) },
  ];
  onCleanup(listen(() => (help() || notes() ? [] : keys)));
  createEffect(() => {
    const one = trace();
    document.title = one ? `${one.file}: ${TITLES[place().view].toLowerCase()}${place().view === "calls" && place().call !== undefined ? ` ${place().call}` : ""} – Reprise` : "Reprise";
  });
  const measured = useAnswer<Measured>(() => (surveyed() && trace()?.measured ? api("times") : null));
  const lesser = () => (measured().data?.left_out ?? measured().data?.against?.left_out) || undefined;
  const lacks = () => ((trace()?.damage.places ?? 0) > 0 ? "damaged" : trace()?.complete === false ? "not complete" : undefined);
  return (
    <div class="app">
      <header class="top">
        <h1>Reprise</h1>
        <Show
          when={traces().length > 1}
          fallback={<a class="file" href={link({ view: "trace" })} title={trace()?.path}><bdi>{trace()?.file ?? ""}</bdi></a>}
        >
          <div class="modes" role="group" aria-label={replays() ? "Replay" : "Trace"}>
            <For each={traces()}>
              {(one, index) => (
                <button aria-pressed={one.t === trace()?.t} title={one.path} onClick={() => go({ t: one.t })}>
                  {"AB"[index()]} <bdi>{sideName(one)}</bdi>
                </button>
              )}
            </For>
          </div>
        </Show>
        <nav aria-label="Views">
          <For each={views()}>
            {(view) => (
              <a href={link({ view })} aria-current={place().view === view ? "page" : undefined}>
                {TITLES[view]}
              </a>
            )}
          </For>
        </nav>
        <Show when={lacks()}>
          <a class="badge bad" href={link({ view: "trace" })} title={trace()?.part ?? undefined}>{lacks()}</a>
        </Show>
        <Show when={lesser()}>
          <a class="badge bad" href={link({ view: "costs" })} title={lesser()}>times of less work</a>
        </Show>
        <Goto />
        <button onClick={() => setNotes(true)} title="n">Notes</button>
        <button onClick={nextTheme} aria-label={dark() ? "Light colours" : "Dark colours"} title="t">{dark() ? "Light" : "Dark"}</button>
        <button onClick={() => setHelp(true)} aria-label="Keys" title="?">?</button>
      </header>
      <main>
        <Problem text={failed() ?? problem() ?? stranger() ?? drop.problem()} />
        <Show when={drop.state()}>
          <div class="drop" role="status">{drop.state() === "over" ? "Drop a trace to open it" : "Opening the trace…"}</div>
        </Show>
        <Show when={failed() === undefined}>
          <Show when={surveyed()} fallback={<Surveying />}>
            <Show when={trace()?.t.toString()} keyed>
              <Switch>
                <Match when={place().view === "frames"}><Frames /></Match>
                <Match when={place().view === "calls"}><Calls /></Match>
                <Match when={["resources", "heaps", "descriptors", "objects"].includes(place().view) && place().view} keyed><Objects /></Match>
                <Match when={place().view === "shaders"}><Shaders /></Match>
                <Match when={place().view === "findings"}><Findings /></Match>
                <Match when={place().view === "costs"}><Costs /></Match>
                <Match when={place().view === "compare"}><Compare /></Match>
                <Match when={place().view === "trace"}><TraceView /></Match>
              </Switch>
            </Show>
          </Show>
        </Show>
      </main>
      <ExportLine />
      <Show when={notes()}>
        <Notes onClose={() => setNotes(false)} />
      </Show>
      <Show when={help()}>
        <Help keys={keys.filter((key) => key.what !== "")} onClose={() => setHelp(false)} />
      </Show>
    </div>
  );
}

function focus(id: string): void {
  const field = document.getElementById(id);
  if (field instanceof HTMLInputElement) {
    field.focus();
    field.select();
  }
}

function focusSearch(): void {
  if (document.getElementById("search") === null) go({ view: "calls" });
  // The view comes first.
  queueMicrotask(() => focus("search"));
}

function Goto(): JSX.Element {
  const [typed, setTyped] = createSignal("");
  const submit = async (event: Event) => {
    event.preventDefault();
    const number = Number(typed().trim().replace(/^#/, ""));
    if (!Number.isSafeInteger(number) || number < 1) {
      say("A call has a number: type one, such as 120.");
      return;
    }
    try {
      const answer = await get<{ row: number | null }>(path(api("row"), { call: number }));
      if (answer.row === null) say(`There is no call ${number}.`);
      else go({ view: "calls", call: number });
    } catch (error) {
      say(text(error));
    }
  };
  return (
    <form class="goto" onSubmit={(event) => void submit(event)}>
      <input id="goto" aria-label="Go to call" placeholder="call" inputmode="numeric" autocomplete="off" value={typed()} onInput={(event) => setTyped(event.currentTarget.value)} />
    </form>
  );
}

/** What there is while the trace is read: how far that is, and what its file says of itself. */
function Surveying(): JSX.Element {
  const sums = createMemo(() => traces().reduce((sum, one) => ({ done: sum.done + one.survey.done, of: sum.of + one.survey.of }), { done: 0, of: 0 }));
  return (
    <div class="stack">
      <div class="progress wide" role="status">
        <progress aria-label="Reading the trace" max={sums().of || 1} {...(sums().of ? { value: sums().done } : {})} />
        <span>Reading the trace{sums().of ? `: ${grouped(sums().done)} of ${grouped(sums().of)} calls` : ""}</span>
      </div>
      <TraceView />
    </div>
  );
}
