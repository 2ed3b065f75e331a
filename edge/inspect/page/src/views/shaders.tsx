// Shaders: which there are, and each as text.

import { createMemo, For, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type ShaderAnswer, type Signature } from "../api.ts";
import { copy, useExport } from "../export.tsx";
import { Cell, List } from "../list.tsx";
import { CallLink, ObjectLink } from "../names.tsx";
import { Answered, Empty, Problem } from "../notice.tsx";
import { pages } from "../pages.ts";
import { api, go, place } from "../place.ts";
import { Split } from "../split.tsx";
import { bytes, grouped } from "../text.ts";
import { Spent } from "./spent.tsx";

interface ShaderRow {
  hash: string;
  stage: string | null;
  bytes: number;
  pipelines: number;
  call: number | null;
}

const COLUMNS = [
  { title: "Stage", width: "90px" },
  { title: "Hash", width: "minmax(120px, 1fr)" },
  { title: "Size", width: "80px", right: true },
  { title: "Pipelines", width: "76px", right: true },
  { title: "First call", width: "80px", right: true },
];

export function Shaders(): JSX.Element {
  const list = pages<ShaderRow>((first, count) => path(api("shaders"), { first, count }));
  list.want(0, 1);
  const hash = () => place().more["hash"];
  const selected = createMemo(() => {
    for (let row = 0; row < Math.min(list.total(), 2000); row += 1) if (list.item(row)?.hash === hash()) return row;
    return null;
  });
  useExport(() => ({
    command: ["extract", "TRACE"],
    table: async () => {
      const rows = await list.read(0, 10_000);
      return { head: ["hash", "stage", "bytes", "pipelines", "call"], rows: rows.map((row) => [row.hash, row.stage, row.bytes, row.pipelines, row.call]) };
    },
    json: () => list.read(0, 10_000),
  }));
  return (
    <Split
      name="shaders and shader"
      start={0.4}
      first={
        <>
          <Problem text={list.error()} />
          <List
            label="Shaders"
            count={list.total()}
            columns={COLUMNS}
            selected={selected()}
            onSelect={(row) => {
              const one = list.item(row);
              if (one) go({ more: { hash: one.hash, blob: undefined } }, true);
            }}
            onWindow={(first, count) => list.want(first, count)}
            empty={<Empty>No pipeline of this trace has a shader.</Empty>}
          >
            {(row) => (
              <>
                <Cell>{list.item(row())?.stage}</Cell>
                <Cell mono>{list.item(row())?.hash}</Cell>
                <Cell right mono>{bytes(list.item(row())?.bytes ?? 0)}</Cell>
                <Cell right mono>{grouped(list.item(row())?.pipelines ?? 0)}</Cell>
                <Cell right><CallLink call={list.item(row())?.call} quiet /></Cell>
              </>
            )}
          </List>
        </>
      }
      second={
        <div class="scroll" role="group" aria-label="Shader">
          <Show when={hash() ?? place().more["blob"]} fallback={<Empty>Choose a shader.</Empty>}>
            <ShaderText hash={hash()} blob={place().more["blob"]} costs />
          </Show>
        </div>
      }
    />
  );
}

/** A shader as text, with what goes in and comes out; of a library one function, where an entry is named. */
export function ShaderText(props: { hash?: string | undefined; blob?: string | undefined; entry?: string | undefined; costs?: boolean }): JSX.Element {
  const answer = useAnswer<ShaderAnswer>(() => path(api("shader"), { hash: props.hash, blob: props.hash === undefined ? props.blob : undefined, entry: props.entry }));
  useExport(() => ({ command: ["extract", "--disassemble=ours,spirv", "TRACE"], json: async () => answer().data }));
  const signature = (title: string, list: Signature[]) => (
    <Show when={list.length > 0}>
      <h3>{title}</h3>
      <table class="plain">
        <thead>
          <tr><th>Semantic</th><th>Register</th><th>Components</th><th>Type</th></tr>
        </thead>
        <tbody>
          <For each={list}>
            {(one) => (
              <tr><td class="mono">{one.name}{one.index}</td><td class="mono">{one.register ?? "none"}</td><td class="mono">{one.mask}</td><td class="mono">{one.type}</td></tr>
            )}
          </For>
        </tbody>
      </table>
    </Show>
  );
  return (
    <Answered answer={answer()}>
      {(shader) => (
        <>
          <div class="indent">
            <h2>{shader().stage ?? "shader"} {shader().model ?? ""}</h2> <span class="faint">{shader().kind}, {bytes(shader().bytes)}</span>{" "}
            <span class="mono">{shader().hash}</span>
          </div>
          <Show when={shader().pipelines.length > 0}>
            <p class="indent links">
              In <For each={shader().pipelines}>{(one) => <ObjectLink object={one} />}</For>
            </p>
            <Show when={props.costs}>
              <For each={shader().pipelines.slice(0, 20)}>{(one) => <Spent pipeline={one.id} named={shader().pipelines.length > 1 ? one : undefined} />}</For>
            </Show>
          </Show>
          {signature("Inputs", shader().inputs ?? [])}
          {signature("Outputs", shader().outputs ?? [])}
          {signature("Of the patch or primitive", shader().patches ?? [])}
          <Show when={(shader().exports ?? []).length > 0}>
            <h3>Entry points</h3>
            <p class="indent mono">
              <For each={shader().exports}>{(one) => <span class="chip">{one.name} {one.stage ?? "of an unknown stage"}</span>}</For>
            </p>
          </Show>
          <h3>
            Disassembly <Show when={shader().entry}>{(entry) => <>of <bdi class="mono">{entry()}</bdi> </>}</Show>
            <Show when={shader().disassembly}>
              {(text) => <button onClick={() => void copy(text(), "the disassembly")}>Copy</button>}
            </Show>
          </h3>
          <Problem text={shader().disassembly_error ?? undefined} />
          <Show when={shader().disassembly}>
            {(text) => <Lines text={text()} />}
          </Show>
          <h3>
            SPIR-V{" "}
            <Show when={shader().spirv}>
              {(text) => <button onClick={() => void copy(text(), "the SPIR-V")}>Copy</button>}
            </Show>
          </h3>
          <Problem text={shader().spirv_error ?? undefined} />
          <Show when={shader().spirv}>
            {(text) => <Lines text={text()} />}
          </Show>
          <Show when={(shader().parts ?? []).length > 0}>
            <h3>Parts of the container</h3>
            <p class="indent mono">
              <For each={shader().parts}>{(part) => <span class="chip">{part.name} {bytes(part.bytes)}</span>}</For>
            </p>
          </Show>
        </>
      )}
    </Answered>
  );
}

function Lines(props: { text: string }): JSX.Element {
  return <pre class="code numbered" tabindex={0} role="region" aria-label="Code"><For each={props.text.replace(/\n$/, "").split("\n")}>{(line) => <span class="line">{line + "\n"}</span>}</For></pre>;
}
