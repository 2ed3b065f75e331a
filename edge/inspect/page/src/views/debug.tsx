// A shader step by step: source, values, and the comparison with what the GPU gave.

import { createEffect, createMemo, createSignal, For, on, onCleanup, Show, type JSX } from "solid-js";
import { text, useAnswer } from "../answer.ts";
import { bytes as readBytes, path, type DebugAnswer, type ShaderAnswer } from "../api.ts";
import { useExport } from "../export.tsx";
import { useJob } from "../job.ts";
import { listen, type Key } from "../keys.ts";
import { Cell, List } from "../list.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { api, go, link, place, trace } from "../place.ts";
import { Split } from "../split.tsx";
import { keyOf, optionsOf, readStepped, seenAt, spotOf, stepLine, stepTo, verdict, writeStepped, type Seen, type Spot, type Step, type Stepped, type Value } from "../steps.ts";
import { grouped } from "../text.ts";
import { Rays } from "./rays.tsx";

/** What keys do in the debugger, for the help. */
export const DEBUG_KEYS: readonly [string, string][] = [
  ["F10, Shift + F10", "next line, line before"],
  ["F11, Shift + F11", "next step, step before"],
  ["F8, Shift + F8", "next NaN, NaN before"],
  ["F9", "next step of the chosen line"],
  ["Enter in the source", "the same"],
];

/** A link that steps through the shader of a call. */
export function DebugLink(props: { of: Stepped; what?: string }): JSX.Element {
  return (
    <a class="button" href={link({ view: "calls", call: props.of.call, tab: "debug", more: { debug: writeStepped(props.of), step: undefined } })} title="Steps through the shader">
      {props.what ?? "Debug"}
    </a>
  );
}

/** What may be named, by the kind of the call. */
const NAMED: Readonly<Record<string, string>> = {
  draw: "pixel of the draw's targets, or a vertex",
  dispatch: "thread as SV_DispatchThreadID counts it",
  rays: "thread as DispatchRaysIndex counts it",
  indirect: "command of the call, counted from 0, and a pixel or a vertex where it draws, a thread where it dispatches",
};
const KINDS: Readonly<Record<string, readonly string[]>> = { draw: ["pixel", "vertex"], dispatch: ["thread"], rays: ["thread"], indirect: ["pixel", "vertex", "thread"] };

export function DebugView(props: { kind: string }): JSX.Element {
  const wanted = createMemo(() => {
    const it = readStepped(place().more["debug"]);
    return it !== null && it.call === place().call ? it : null;
  }, undefined, { equals: (a, b) => JSON.stringify(a) === JSON.stringify(b) });
  return (
    <div class="stack">
      <Choice kind={props.kind} chosen={wanted()} />
      <Show when={wanted()} keyed fallback={<Empty>Name a {NAMED[props.kind] ?? NAMED["indirect"]}: its shader is run on the processor, with what the call had, and compared with what the GPU gave.</Empty>}>
        {(it) => <Record of={it} />}
      </Show>
    </div>
  );
}

/** Which pixel, vertex or thread. */
function Choice(props: { kind: string; chosen: Stepped | null }): JSX.Element {
  const kinds = () => KINDS[props.kind] ?? [];
  const first = props.chosen?.of;
  const [what, setWhat] = createSignal(first === undefined ? kinds()[0] : "vertex" in first ? "vertex" : "pixel" in first ? "pixel" : "thread");
  const numbers = first === undefined ? [0, 0, 0] : "pixel" in first ? [...first.pixel, 0] : "thread" in first ? [...first.thread] : [first.vertex, 0, 0];
  const seen = /^(\d+),(\d+)$/.exec(place().more["pixel"] ?? "");
  const [typed, setTyped] = createSignal(first === undefined && seen ? [Number(seen[1]), Number(seen[2]), 0] : numbers);
  const [instance, setInstance] = createSignal(props.chosen?.narrow.instance ?? 0);
  const [command, setCommand] = createSignal(props.chosen?.narrow.command ?? 0);
  const set = (index: number, value: string) => setTyped((list) => list.map((one, at) => (at === index ? Math.max(0, Math.floor(Number(value)) || 0) : one)));
  const start = (event: Event) => {
    event.preventDefault();
    const call = place().call;
    if (call === undefined) return;
    const [x, y, z] = typed() as [number, number, number];
    const of = what() === "pixel" ? { pixel: [x, y] as const } : what() === "vertex" ? { vertex: x } : { thread: [x, y, z] as const };
    go({ more: { debug: writeStepped({ call, of, narrow: { ...(what() === "vertex" ? { instance: instance() } : {}), ...(props.kind === "indirect" ? { command: command() } : {}) } }), step: undefined } });
  };
  const field = (index: number, name: string) => (
    <input class="number" type="number" min="0" aria-label={name} value={typed()[index]} onChange={(event) => set(index, event.currentTarget.value)} />
  );
  return (
    <form class="toolbar" onSubmit={start} aria-label="What is stepped through">
      <Show when={props.kind === "indirect"}>
        <label>command <input class="number" type="number" min="0" value={command()} onChange={(event) => setCommand(Math.max(0, Math.floor(Number(event.currentTarget.value)) || 0))} /></label>
      </Show>
      <Show when={kinds().length > 1} fallback={<span>{kinds()[0]}</span>}>
        <select aria-label={kinds().includes("thread") ? "Vertex, pixel or thread" : "Vertex or pixel"} onChange={(event) => setWhat(event.currentTarget.value)}>
          <For each={kinds()}>{(kind) => <option value={kind} selected={what() === kind}>{kind}</option>}</For>
        </select>
      </Show>
      {field(0, what() === "pixel" ? "Column" : what() === "vertex" ? "Vertex" : "Thread x")}
      <Show when={what() !== "vertex"}>{field(1, what() === "pixel" ? "Row" : "Thread y")}</Show>
      <Show when={what() === "thread"}>{field(2, "Thread z")}</Show>
      <Show when={what() === "vertex"}>
        <label>instance <input class="number" type="number" min="0" value={instance()} onChange={(event) => setInstance(Math.max(0, Math.floor(Number(event.currentTarget.value)) || 0))} /></label>
      </Show>
      <button type="submit">Debug</button>
      <Show when={props.chosen?.narrow.primitive !== undefined}><span class="faint">primitive {props.chosen?.narrow.primitive}</span></Show>
    </form>
  );
}

/** The record of a run, and its steps as they come. */
function Record(props: { of: Stepped }): JSX.Element {
  const job = useJob(() => ({ t: trace()?.t ?? 0, body: { kind: "debug", call: props.of.call, ...props.of.of, ...props.of.narrow } }));
  const told = createMemo(() => (job().state?.state === "done" ? (job().state?.result as unknown as DebugAnswer) : undefined));
  const [steps, setSteps] = createSignal<readonly Step[]>([]);
  const [problem, setProblem] = createSignal<string>();
  createEffect(() => {
    const one = told();
    setSteps([]);
    setProblem(undefined);
    if (one === undefined) return;
    const abort = new AbortController();
    onCleanup(() => abort.abort());
    load(one.steps.files, abort.signal, setSteps).catch((error: unknown) => {
      if (!abort.signal.aborted) setProblem(text(error));
    });
  });
  useExport(() => ({
    command: ["debug", "TRACE", String(props.of.call), ...optionsOf(props.of)],
    table: async () => ({ head: ["step", "word", "instruction", "value", "line", "writes"], rows: steps().slice(0, 10_000).map((one) => [one.step, one.word, one.instruction, one.value, (one.line ?? one.dxil)?.line ?? one.shader, one.write ? `${JSON.stringify(one.write)}` : ""]) }),
    json: async () => ({ ...(told()?.record ?? {}), steps: steps().slice(0, 10_000) }),
  }));
  return (
    <div class="stack">
      <Progress job={job()} what="Running the shader" />
      <Problem text={problem()} />
      <Show when={told()}>
        {(one) => (
          <>
            <Compared told={one()} />
            <Show when={(one().record.rays ?? []).length > 0}><Rays call={one().record.call} rays={one().record.rays ?? []} thread={one().record.thread} /></Show>
            <Show when={steps().length < one().steps.kept && problem() === undefined}><p class="count" role="status">Reading steps: {grouped(steps().length)} of {grouped(one().steps.kept)}</p></Show>
            <Show when={one().steps.kept < one().steps.total || one().record.steps_cut}>
              <p class="indent warn">The first {grouped(one().steps.kept)} of {one().record.steps_cut ? "more than " : ""}{grouped(one().steps.total)} steps are shown: the command below has more.</p>
            </Show>
            <Show when={steps().length > 0}><Stepper told={one()} steps={steps()} /></Show>
          </>
        )}
      </Show>
    </div>
  );
}

async function load(files: readonly string[], signal: AbortSignal, see: (steps: readonly Step[]) => void): Promise<void> {
  let all: readonly Step[] = [];
  for (const file of files) {
    const part = JSON.parse(new TextDecoder().decode(await readBytes(file, signal))) as Step[];
    if (signal.aborted) return;
    all = [...all, ...part];
    see(all);
  }
}

/** What was run, and whether the GPU gave the same. */
function Compared(props: { told: DebugAnswer }): JSX.Element {
  const record = () => props.told.record;
  const it = createMemo(() => verdict(record().check));
  const what = () => {
    const one = record();
    if (one.pixel) return `pixel ${one.pixel.join(", ")}, primitive ${one.primitive}${one.instance == null ? "" : `, instance ${one.instance}`}, fragment ${one.fragment} of ${one.fragments}${one.discarded ? ", discarded" : ""}`;
    if (one.vertex !== undefined) return `vertex ${one.vertex}, instance ${one.instance}`;
    return `thread ${(one.thread ?? []).join(", ")}, lane ${one.lane} of group ${(one.group ?? []).join(", ")}`;
  };
  return (
    <div class={`verdict ${it().sort}`} role="group" aria-label="Comparison with the GPU">
      <p>
        <b>{it().text}</b>{" "}
        <span class="faint">
          {record().shader.stage} shader{" "}
          <Show when={record().shader.hash} fallback={<span class="mono">{record().shader.name}</span>}>
            {(hash) => <a class="mono" href={link({ view: "shaders", more: { hash: hash() } })}>{hash().slice(0, 8)}</a>}
          </Show>
          , {what()}
        </span>
      </p>
      <For each={it().more.slice(0, 24)}>{(line) => <p class="mono">{line}</p>}</For>
      <For each={record().notes ?? []}>{(note) => <p class="faint">{note}</p>}</For>
    </div>
  );
}

/** Keys that go by lines. */
const LINES = new Set(["F10", "Shift-F10", "F9"]);

function Stepper(props: { told: DebugAnswer; steps: readonly Step[] }): JSX.Element {
  const hash = () => props.told.record.shader.hash;
  const shader = useAnswer<ShaderAnswer>(() => (hash() === undefined ? null : path(api("shader"), { hash: hash() })));
  const hasSource = createMemo(() => (shader().data?.sources ?? []).length > 0 && props.told.record.lines_wanting == null);
  const source = () => hasSource() && place().more["lang"] !== "code";
  const last = () => props.steps.length;
  const at = () => Math.min(last(), Math.max(1, Number(place().more["step"] ?? 1) || 1));
  const current = () => props.steps[at() - 1] as Step;
  const spot = createMemo(() => {
    // A step without a line is of the line before it; at the beginning, of the one behind it.
    const own = (step: Step) => spotOf(step, source()) !== null;
    const near = own(current()) ? at() : (stepTo(props.steps, at(), -1, own) ?? stepTo(props.steps, at(), 1, own));
    return near === null ? null : spotOf(props.steps[near - 1], source());
  }, undefined, { equals: (a, b) => a?.file === b?.file && a?.line === b?.line });
  const [chosen, setChosen] = createSignal<Spot | null>(null);
  const [said, say] = createSignal("");
  createEffect(on([spot, source], () => setChosen(null)));
  const seen = createMemo(() => seenAt(props.steps, at(), source()));
  const move = (to: number | null, none: string) => {
    say(to === null ? none : "");
    if (to !== null) go({ more: { step: String(to) } }, true);
  };
  const isNan = (step: Step) => step.nan === true;
  const toLine = () => {
    const wanted = chosen();
    if (wanted === null) {
      say("Choose a line of the source first.");
      return;
    }
    const is = (step: Step) => {
      const own = spotOf(step, source());
      return own !== null && keyOf(own) === keyOf(wanted);
    };
    move(stepTo(props.steps, at(), 1, is) ?? stepTo(props.steps, 0, 1, is), `No step is of line ${wanted.line}.`);
  };
  const actions: readonly { key: string; title: string; label: string; run: () => void }[] = [
    { key: "", title: "The first step", label: "First", run: () => move(1, "") },
    { key: "Shift-F10", title: "The line before", label: "◂ Line", run: () => move(stepLine(props.steps, at(), -1, source()), "No other line comes before.") },
    { key: "Shift-F11", title: "The step before", label: "◂ Step", run: () => move(at() > 1 ? at() - 1 : null, "This is the first step.") },
    { key: "F11", title: "The next step", label: "Step ▸", run: () => move(at() < last() ? at() + 1 : null, "This is the last step.") },
    { key: "F10", title: "The next line", label: "Line ▸", run: () => move(stepLine(props.steps, at(), 1, source()), "No other line comes behind.") },
    { key: "F8", title: "The next step that gives a NaN", label: "NaN ▸", run: () => move(stepTo(props.steps, at(), 1, isNan), "No later step gives a NaN.") },
    { key: "Shift-F8", title: "The step before that gives a NaN", label: "", run: () => move(stepTo(props.steps, at(), -1, isNan), "No earlier step gives a NaN.") },
    { key: "F9", title: "The next step of the line that is chosen in the source", label: "To line", run: toLine },
    { key: "", title: "The last step", label: "Last", run: () => move(last(), "") },
  ];
  // Shaders of rays have no lines here.
  const offered = () => actions.filter((one) => hash() !== undefined || !LINES.has(one.key));
  const keys: readonly Key[] = offered().filter((one) => one.key !== "").map((one) => ({ key: one.key, what: one.title, run: one.run, fields: true }));
  onCleanup(listen(() => (document.querySelector("dialog[open]") ? [] : keys)));
  // Of rays there is nothing above it: their shaders have no lines here.
  const below = () => (
    <Split
      name="steps and values"
      start={0.6}
      first={<Steps steps={props.steps} at={at()} source={source()} onStep={(step) => move(step, "")} />}
      second={<Values told={props.told} seen={seen()} at={at()} />}
    />
  );
  return (
    <div class="stack">
      <div class="toolbar" role="toolbar" aria-label="Steps">
        <For each={offered().filter((one) => one.label !== "")}>
          {(one) => <button onClick={one.run} title={`${one.title}${one.key ? ` (${one.key.replace("-", " + ")})` : ""}`}>{one.label}</button>}
        </For>
        <span role="status">step {grouped(at())} of {grouped(last())}{spot() ? `, line ${spot()?.line}` : ""}{said() ? `: ${said()}` : ""}</span>
        <Show when={hasSource()}>
          <div class="modes" role="group" aria-label="Lines of">
            <button aria-pressed={source()} onClick={() => go({ more: { lang: undefined } }, true)}>HLSL</button>
            <button aria-pressed={!source()} onClick={() => go({ more: { lang: "code" } }, true)}>Code</button>
          </div>
        </Show>
      </div>
      <p class="readout mono">{current().instruction}{current().value !== undefined && (current().bits ?? []).length > 0 ? ` → ${current().value}` : ""}{current().open ? ` (open: ${current().open?.operation})` : ""}</p>
      <Show when={hash() !== undefined} fallback={below()}>
        <Split
          name="source and steps"
          down
          start={0.6}
          first={<Source shader={shader().data} error={shader().error} source={source()} spot={spot()} chosen={chosen()} seen={seen()} wanting={props.told.record.lines_wanting} onChoose={setChosen} onRun={toLine} />}
          second={below()}
        />
      </Show>
    </div>
  );
}

/** The text of the shader with the values of its lines. */
function Source(props: { shader: ShaderAnswer | undefined; error: string | undefined; source: boolean; spot: Spot | null; chosen: Spot | null; seen: Seen; wanting: string | null; onChoose: (spot: Spot) => void; onRun: () => void }): JSX.Element {
  const files = () => (props.source ? (props.shader?.sources ?? []) : [{ file: null, text: props.shader?.disassembly ?? "" }]);
  const file = () => files().find((one) => one.file === props.spot?.file) ?? files()[0];
  const lines = createMemo(() => (file()?.text ?? "").replace(/\r/g, "").replace(/\n$/, "").split("\n"));
  const row = () => (props.chosen ?? props.spot)?.line;
  const shown = (values: readonly Value[] | undefined) => (values ?? []).map((one) => (props.source || one.kind === "written" ? `${one.name} = ${one.text}` : one.text)).join("; ");
  return (
    <>
      <Problem text={props.error ?? (props.source ? undefined : (props.shader?.disassembly_error ?? undefined))} />
      <Show when={!props.source && props.wanting}>{(why) => <p class="count" title="These are lines of the shader as it is disassembled">No lines of HLSL: {why()}</p>}</Show>
      <Show when={props.source && file()?.file}>{(name) => <p class="count mono"><bdi>{name()}</bdi></p>}</Show>
      <Show when={(file()?.text ?? "") !== ""}>
        <div class="source">
          <List
            label="Source"
            header={false}
            count={lines().length}
            columns={[{ title: "", width: "16px" }, { title: "Line", width: "38px", right: true }, { title: "Text", width: "minmax(120px, 1fr)" }, { title: "Values", width: "minmax(60px, max-content)" }]}
            rowHeight={18}
            selected={row() === undefined ? null : (row() ?? 1) - 1}
            onSelect={(index) => props.onChoose({ file: file()?.file ?? null, line: index + 1 })}
            onOpen={() => props.onRun()}
            rowClass={(index) => (index + 1 === props.spot?.line ? "current" : "")}
          >
            {(index) => {
              const values = () => props.seen.lines.get(keyOf({ file: file()?.file ?? null, line: index() + 1 }));
              return (
                <>
                  <Cell><Show when={index() + 1 === props.spot?.line}><span aria-label="the current line">▶</span></Show></Cell>
                  <Cell right mono><span class="faint">{index() + 1}</span></Cell>
                  <Cell mono title={lines()[index()]}>{lines()[index()]}</Cell>
                  <Cell mono title={shown(values())}><span class="value-of" classList={{ bad: values()?.some((one) => one.nan) ?? false }}>{shown(values())}</span></Cell>
                </>
              );
            }}
          </List>
        </div>
      </Show>
    </>
  );
}

function Steps(props: { steps: readonly Step[]; at: number; source: boolean; onStep: (step: number) => void }): JSX.Element {
  // A dispatch of rays runs several shaders.
  const ofRays = () => props.steps[0]?.shader !== undefined;
  return (
    <List
      label="Steps of the shader"
      count={props.steps.length}
      columns={[{ title: "Step", width: "48px", right: true }, ofRays() ? { title: "Shader", width: "minmax(50px, 100px)" } : { title: "Line", width: "40px", right: true }, { title: "Instruction", width: "minmax(90px, 1.3fr)" }, { title: "Value", width: "minmax(80px, 1fr)" }]}
      selected={props.at - 1}
      onSelect={(row) => props.onStep(row + 1)}
      rowClass={(row) => (props.steps[row]?.nan ? "nan" : "")}
    >
      {(row) => {
        const one = () => props.steps[row()];
        const value = () => (one()?.write ? `writes ${one()?.write?.value ?? ""}` : (one()?.value ?? ""));
        return (
          <>
            <Cell right mono>{one()?.step}</Cell>
            <Show when={ofRays()} fallback={<Cell right mono>{spotOf(one(), props.source)?.line}</Cell>}>
              <Cell mono title={`${one()?.shader}, ${one()?.depth} deep`}>{"· ".repeat(Math.min(8, one()?.depth ?? 0))}{one()?.shader}</Cell>
            </Show>
            <Cell mono title={one()?.instruction ?? undefined}>{one()?.instruction}</Cell>
            <Cell mono title={value()}>{value()}</Cell>
          </>
        );
      }}
    </List>
  );
}

/** Variables at the step, what was written, and what went in. */
function Values(props: { told: DebugAnswer; seen: Seen; at: number }): JSX.Element {
  const of = (kind: Value["kind"]) => props.seen.values.filter((one) => one.kind === kind);
  const table = (title: string, list: readonly Value[], none: string) => (
    <>
      <h3>{title}</h3>
      <Show when={list.length > 0} fallback={<p class="indent faint">{none}</p>}>
        <table class="plain">
          <thead><tr><th>Name</th><th>Value</th><th class="right">Step</th></tr></thead>
          <tbody>
            <For each={list.slice(0, 500)}>
              {(one) => (
                <tr classList={{ chosen: one.step === props.at }}>
                  <td class="mono">{one.name}</td>
                  <td class="mono" classList={{ bad: one.nan }}>{one.text}{one.open ? " (open)" : ""}</td>
                  <td class="right mono">{one.step}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </>
  );
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Values">
      <Show when={of("variable").length > 0 || props.told.record.lines_wanting == null}>{table("Variables", of("variable"), "none has a value yet")}</Show>
      {table("Written", of("written"), "nothing is written yet")}
      <h3>Inputs</h3>
      <Show when={props.told.record.inputs.length > 0} fallback={<p class="indent faint">none</p>}>
        <table class="plain">
          <thead><tr><th>Name</th><th>Value</th></tr></thead>
          <tbody>
            <For each={props.told.record.inputs}>{(one) => <tr><td class="mono">{one.name.replace(/^%/, "")}</td><td class="mono">{one.value}</td></tr>}</For>
          </tbody>
        </table>
      </Show>
    </div>
  );
}
