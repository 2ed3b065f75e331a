// Edits of the trace, and what they make of a picture and of a pixel.

import { createMemo, createSignal, For, Index, onMount, Show, type JSX } from "solid-js";
import { text, useAnswer } from "../answer.ts";
import { attach, plainName, type Attachment } from "../attached.ts";
import { get, path, type Detail, type EditAnswer, type ShaderAnswer } from "../api.ts";
import { useState } from "../bound.ts";
import { useExport } from "../export.tsx";
import { useJob } from "../job.ts";
import { CallLink } from "../names.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { api, go, link, place, trace } from "../place.ts";
import { settable } from "../paths.ts";
import * as pixels from "../pixels.ts";
import { brief, bytes, float, grouped } from "../text.ts";
import { PicturePair } from "./pair.tsx";
import { useTexels } from "./picture.tsx";
import { pixelAt, swatch } from "./pixel.tsx";
import { targetQuestion, targetsOf } from "./targets.tsx";

interface Draft {
  readonly script: string;
  readonly files: readonly Attachment[];
}

/** What is being written lasts as long as the page: it is of the trace, not of a call. */
const [drafts, setDrafts] = createSignal<ReadonlyMap<number, Draft>>(new Map());
const EMPTY: Draft = { script: "", files: [] };
const draft = () => drafts().get(trace()?.t ?? 0) ?? EMPTY;
const write = (change: Partial<Draft>) => setDrafts((all) => new Map(all).set(trace()?.t ?? 0, { ...draft(), ...change }));
const addLine = (line: string) => write({ script: draft().script.includes(line) ? draft().script : `${draft().script.replace(/\n*$/, draft().script.trim() === "" ? "" : "\n")}${line}\n` });
const addFile = (file: Attachment) => write({ files: [...draft().files.filter((one) => one.name !== file.name), file] });

/** A link to the editor with a shader of a pipeline in it. */
export function EditShaderLink(props: { pipeline: number; stage: string; hash: string; call: number }): JSX.Element {
  return <a class="button" href={link({ view: "calls", call: props.call, tab: "edit", more: { shader: `${props.pipeline}.${props.stage}.${props.hash}` } })}>Edit this shader</a>;
}

/** The line that replaces a shader, and its text where the trace has it. */
async function takeShader(named: string, say: (text: string) => void): Promise<void> {
  const match = /^(\d+)\.([A-Z]{2})\.([0-9a-f]{32})$/.exec(named);
  if (match === null) return;
  const [, pipeline, stage, hash] = match as unknown as [string, string, string, string];
  const shader = await get<ShaderAnswer>(path(api("shader"), { hash }));
  const source = shader.sources[0];
  if (source === undefined) {
    say(`The trace has no HLSL of this shader. Attach a compiled one (DXIL or DXBC) as ${stage.toLowerCase()}-${pipeline}.dxil, or write one in HLSL.`);
    addLine(`shader of ${pipeline} ${stage} = "${stage.toLowerCase()}-${pipeline}.dxil"`);
    return;
  }
  const name = `${stage.toLowerCase()}-${pipeline}.hlsl`;
  if (!draft().files.some((one) => one.name === name)) addFile({ name, text: source.text });
  for (const other of shader.sources.slice(1)) addFile({ name: plainName(other.file), text: other.text });
  addLine(`shader of ${pipeline} ${stage} = "${name}" entry main`);
  say(`The trace has the text of this shader. Its entry may have another name than main. HLSL needs the program dxc beside the server.`);
}

interface Asked {
  readonly edits: string;
  readonly files: Record<string, string>;
  readonly call: number;
  readonly of: { target: number | "depth" } | { resource: number };
}

const BY_ID = "id";

export function EditView(): JSX.Element {
  const state = useState();
  const targets = createMemo(() => targetsOf(state().data?.bound));
  const [target, setTarget] = createSignal<string>();
  const shown = () => target() ?? (targets().some((one) => one.id === place().more["target"]) ? place().more["target"] : undefined) ?? targets()[0]?.id ?? "0";
  const [texture, setTexture] = createSignal(0);
  const [seenAt, setSeenAt] = createSignal<number>();
  const at = () => seenAt() ?? place().call ?? 1;
  const detail = useAnswer<Detail>(() => (place().call === undefined ? null : path(api("call"), { call: place().call })));
  const paths = createMemo(() => settable(detail().data?.line.args ?? {}));
  const [said, say] = createSignal("");
  const [problem, setProblem] = createSignal<string>();
  const [asked, setAsked] = createSignal<Asked | null>(null);
  const [saving, setSaving] = createSignal<{ edits: string; files: Record<string, string>; name: string; time: number } | null>(null);
  const [name, setName] = createSignal(`${(trace()?.file ?? "trace").replace(/\.reprise$/, "").replace(/[^A-Za-z0-9._-]/g, "_")}.edited.reprise`);
  onMount(() => {
    const named = place().more["shader"];
    if (named !== undefined) takeShader(named, say).catch((error: unknown) => setProblem(text(error)));
  });
  const send = async (then: (files: Record<string, string>) => void) => {
    setProblem(undefined);
    try {
      // All of them: a shader may include a file of any name.
      then(await attach(draft().files));
    } catch (error) {
      setProblem(text(error));
    }
  };
  const apply = () => {
    const of = shown() === BY_ID ? { resource: texture() } : targetQuestion(shown());
    void send((files) => setAsked({ edits: draft().script, files, call: at(), of }));
  };
  const save = () => void send((files) => setSaving({ edits: draft().script, files, name: name(), time: Date.now() }));
  const upload = (list: FileList | null) => {
    for (const file of list ?? []) addFile({ name: plainName(file.name), file });
  };
  useExport(() => ({ command: ["show", "TRACE", "--edit", "edits.txt", "--call", String(at()), ...(shown() === BY_ID ? ["--resource", String(texture())] : shown() === "depth" ? ["--depth"] : ["--target", shown()]), "-o", "edited.png"] }));
  return (
    <div class="stack">
      <div class="editor">
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            apply();
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !event.ctrlKey) return;
            event.preventDefault();
            apply();
          }}
        >
          <textarea
            class="mono" rows="4" spellcheck={false} aria-label="Edits, one a line"
            placeholder={`call ${place().call ?? 1}: drop\ncall ${place().call ?? 1}: PATH = VALUE\nshader of 57 PS = "red.hlsl" entry main\nbuffer 12+0x100 = "bytes.bin"`}
            value={draft().script}
            onInput={(event) => write({ script: event.currentTarget.value })}
          />
          <Index each={draft().files}>{(file) => <FileRow file={file()} />}</Index>
          <div class="toolbar">
            <label class="button">Attach file <input class="unseen" type="file" multiple aria-label="Attach file" onChange={(event) => { upload(event.currentTarget.files); event.currentTarget.value = ""; }} /></label>
            <button type="button" onClick={() => addFile({ name: fresh("shader", ".hlsl"), text: "float4 main(float4 position : SV_Position) : SV_Target\n{\n    return float4(1, 0, 0, 1);\n}\n" })}>New HLSL</button>
            <button type="button" onClick={() => addLine(`call ${place().call ?? 1}: drop`)}>Drop the call</button>
            <Show when={paths().length > 0}>
              <select
                aria-label="Set an argument" class="chooser"
                onChange={(event) => {
                  const one = paths()[event.currentTarget.selectedIndex - 1];
                  event.currentTarget.selectedIndex = 0;
                  if (one) addLine(`call ${place().call ?? 1}: ${one.path} = ${one.value}`);
                }}
              >
                <option>Set an argument…</option>
                <For each={paths()}>{(one) => <option>{one.path} = {one.value}</option>}</For>
              </select>
            </Show>
            <span class="grow" />
            <label>
              seen in{" "}
              <select aria-label="Seen in" onChange={(event) => setTarget(event.currentTarget.value)}>
                <For each={[...(targets().length > 0 ? targets() : [{ id: "0", title: "what the call writes" }]), { id: BY_ID, title: "a texture, by its id" }]}>{(one) => <option value={one.id} selected={one.id === shown()}>{one.title}</option>}</For>
              </select>
            </label>
            <Show when={shown() === BY_ID}><input class="number" type="number" min="1" aria-label="Id of the texture" value={texture()} onChange={(event) => setTexture(Math.floor(Number(event.currentTarget.value)) || 0)} /></Show>
            <label>after call <input class="number" type="number" min="1" aria-label="Seen after call" value={at()} onChange={(event) => setSeenAt(Math.max(1, Math.floor(Number(event.currentTarget.value)) || 1))} /></label>
            <button type="submit" title="Ctrl + Enter">Apply</button>
          </div>
          <div class="toolbar">
            <label>name <input class="name" aria-label="Name of the new trace" value={name()} onInput={(event) => setName(event.currentTarget.value)} /></label>
            <button type="button" onClick={save} disabled={trace()?.dropped ?? false} title={trace()?.dropped ? "This trace was dropped onto the page: open the file by its name to save edits" : "Writes the edited trace beside this one"}>Save as trace</button>
            <Show when={saving()} keyed>{(it) => <Saved of={it} />}</Show>
          </div>
        </form>
        <Show when={said()}>{(words) => <p class="indent faint" role="status">{words()}</p>}</Show>
        <Problem text={problem()} />
      </div>
      <Show when={asked()} keyed fallback={<Empty>Apply plays the trace with the edits, and shows the picture before and after them. The trace stays as it is. The manual's page “Edit a trace” has all that a line can say.</Empty>}>
        {(it) => <Applied of={it} />}
      </Show>
    </div>
  );
}

/** A name that no file has yet. */
function fresh(stem: string, ending: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${stem}${number === 1 ? "" : number}${ending}`;
    if (!draft().files.some((one) => one.name === name)) return name;
  }
}

function FileRow(props: { file: Attachment }): JSX.Element {
  const remove = () => write({ files: draft().files.filter((one) => one.name !== props.file.name) });
  return (
    <div class="attachment">
      <p>
        <b class="mono"><bdi>{props.file.name}</bdi></b> <span class="faint">{bytes(props.file.file?.size ?? (props.file.text ?? "").length)}</span>{" "}
        <button type="button" class="small" onClick={remove} aria-label={`Remove ${props.file.name}`}>Remove</button>
      </p>
      <Show when={props.file.text !== undefined}>
        <textarea
          class="mono" rows="7" spellcheck={false} aria-label={`Text of ${props.file.name}`} value={props.file.text}
          onInput={(event) => write({ files: draft().files.map((one) => (one.name === props.file.name ? { name: one.name, text: event.currentTarget.value } : one)) })}
        />
      </Show>
    </div>
  );
}

function Saved(props: { of: { edits: string; files: Record<string, string>; name: string } }): JSX.Element {
  const job = useJob(() => ({ t: trace()?.t ?? 0, body: { kind: "save", edits: props.of.edits, files: props.of.files, name: props.of.name } }));
  const told = () => (job().state?.state === "done" ? (job().state?.result as unknown as { output: string; bytes: number }) : undefined);
  return (
    <>
      <Progress job={job()} what="Writing the trace" />
      <Show when={told()}>{(one) => <span role="status">written: <span class="mono">{one().output}</span>, {bytes(one().bytes)}</span>}</Show>
    </>
  );
}

/** What the edits change. */
function counts(it: EditAnswer): string {
  const parts = [["changed_calls", "call", "changed"], ["dropped_calls", "call", "dropped"], ["inserted_calls", "call", "inserted"], ["changed_stores", "store", "changed"]] as const;
  return parts.flatMap(([name, what, done]) => (it.counts[name] > 0 ? [`${grouped(it.counts[name])} ${what}${it.counts[name] === 1 ? "" : "s"} ${done}`] : [])).join(", ");
}

function Applied(props: { of: Asked }): JSX.Element {
  const job = useJob(() => ({ t: trace()?.t ?? 0, body: { kind: "edit", call: props.of.call, ...props.of.of, edits: props.of.edits, files: props.of.files } }));
  const told = createMemo(() => (job().state?.state === "done" ? (job().state?.result as unknown as EditAnswer) : undefined));
  const [before, wrongBefore] = useTexels(() => told()?.before);
  const [after, wrongAfter] = useTexels(() => told()?.after ?? undefined);
  const at = () => pixelAt(place().more["pixel"]);
  const of = (texels: pixels.Texels | undefined): number[] | undefined => {
    const where = at();
    return texels && where && where[0] < texels.width && where[1] < texels.height ? pixels.texel(texels, ...where) : undefined;
  };
  const value = (what: string, texels: pixels.Texels | undefined) => (
    <Show when={of(texels)}>
      {(list) => (
        <span class="pixel">
          {what} <Show when={swatch({ values: list(), bytes: "" }, told()?.before.format ?? null)}>{(tint) => <i class="swatch" style={{ background: tint() }} aria-hidden="true" />}</Show>
          <span class="mono">({list().map((one) => (texels?.kind === "f32" ? float(one) : String(one))).join(", ")})</span>
        </span>
      )}
    </Show>
  );
  return (
    <div class="stack">
      <Progress job={job()} what="Playing the edited trace" />
      <Problem text={wrongBefore() ?? wrongAfter()} />
      <Show when={told()}>
        {(one) => (
          <>
            <p class="count">
              {counts(one())}; {brief(one().before.format)} after call <CallLink call={props.of.call} />
              <Show when={one().call !== null && one().call !== props.of.call}> (call {one().call} of the edited trace)</Show>
            </p>
            <Problem text={one().why ?? undefined} />
            <Show when={at()} fallback={<p class="count">Choose a pixel in the picture of a target to see its value before and after.</p>}>
              {(where) => (
                <p class="count pixels" role="group" aria-label="The pixel before and after">
                  Pixel {where()[0]}, {where()[1]}: {value("before", before())} {value("after", after())}{" "}
                  <button class="small" onClick={() => go({ more: { pixel: undefined } }, true)}>Forget it</button>
                </p>
              )}
            </Show>
          </>
        )}
      </Show>
      <Show when={before() && after() ? ([before(), after()] as [pixels.Texels, pixels.Texels]) : undefined} keyed>
        {([a, b]) => <PicturePair a={a} b={b} what="A before the edits, B after them" format={told()?.before.format ?? ""} equal="The edits change nothing of this picture." />}
      </Show>
    </div>
  );
}
