// The bytes of a buffer: as hexadecimal rows, or as a table of a struct that is typed in or taken from what reads the buffer.

import { createEffect, createMemo, createSignal, For, on, Show, type JSX } from "solid-js";
import { text, useAnswer } from "../answer.ts";
import { bytes as readBytes, get, path, type Json, type ObjectAnswer } from "../api.ts";
import { bindings, useState } from "../bound.ts";
import { useExport } from "../export.tsx";
import { useJob } from "../job.ts";
import { Cell, List } from "../list.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { api, go, place, trace } from "../place.ts";
import * as struct from "../struct.ts";
import { bytes as bytesText, float, hex } from "../text.ts";

/** Bytes asked for at once. */
const PART = 65_536;
const MOST_BYTES = 64 * 1024 * 1024;

/** Where bytes come from: a file of a job, or what the program stored. */
type Read = (offset: number, length: number) => Promise<{ bytes: Uint8Array; known: Uint8Array | null }>;

export function BufferView(props: { object: number; size: number; at: number }): JSX.Element {
  const replayed = () => place().more["from"] === "replay";
  const offset = () => Math.min(props.size, Number(place().more["offset"] ?? 0) || 0);
  const length = () => Math.max(0, Math.min(MOST_BYTES, props.size - offset()));
  const job = useJob(() =>
    replayed() && length() > 0 ? { t: trace()?.t ?? 0, body: { kind: "buffer", call: props.at, resource: props.object, offset: offset(), bytes: length() } } : null,
  );
  const read = createMemo((): Read | null => {
    if (!replayed()) {
      return async (from, count) => {
        const answer = await get<{ hex: string; known: [number, number][] }>(path(api("memory/bytes"), { object: props.object, call: props.at, offset: offset() + from, length: count }));
        const known = new Uint8Array(count);
        // `known` counts from the beginning of the buffer.
        for (const [begin, many] of answer.known) known.fill(1, Math.max(0, begin - offset() - from), Math.max(0, begin - offset() - from + many));
        return { bytes: Uint8Array.from(answer.hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)), known };
      };
    }
    const state = job().state;
    const result = state?.state === "done" ? (state.result as { file: string } | null) : null;
    if (!result) return null;
    return async (from, count) => {
      const answer = await readBytes(result.file, undefined, [from, count]);
      return { bytes: new Uint8Array(answer), known: null };
    };
  });
  return (
    <div class="stack">
      <div class="toolbar">
        <div class="modes" role="group" aria-label="Where the bytes come from">
          <button aria-pressed={!replayed()} onClick={() => go({ more: { from: undefined } }, true)}>Stored by the program</button>
          <button aria-pressed={replayed()} onClick={() => go({ more: { from: "replay" } }, true)}>On the GPU, by a replay</button>
        </div>
        <label>
          from byte <input class="number" type="number" min="0" value={offset()} onChange={(event) => go({ more: { offset: event.currentTarget.value === "0" ? undefined : event.currentTarget.value } }, true)} />
        </label>
        <span class="faint">{bytesText(props.size)}, after call {props.at}</span>
      </div>
      <Show when={replayed()}>
        <Progress job={job()} what="Replaying for the bytes" />
      </Show>
      <Show when={read()} keyed>
        {(source) => <Bytes read={source} length={length()} begin={offset()} object={props.object} at={props.at} />}
      </Show>
    </div>
  );
}

function Bytes(props: { read: Read; length: number; begin: number; object: number; at: number }): JSX.Element {
  const parts = new Map<number, { bytes: Uint8Array; known: Uint8Array | null }>();
  const asked = new Set<number>();
  const [version, setVersion] = createSignal(0);
  const [problem, setProblem] = createSignal<string>();
  const want = (from: number, count: number) => {
    for (let part = Math.floor(from / PART); part * PART < Math.min(props.length, from + count); part += 1) {
      if (asked.has(part)) continue;
      asked.add(part);
      props.read(part * PART, Math.min(PART, props.length - part * PART)).then(
        (got) => {
          parts.set(part, got);
          setVersion((value) => value + 1);
        },
        (error: unknown) => setProblem(text(error)),
      );
    }
  };
  /** Bytes of a range; null where they are not there yet. */
  const slice = (from: number, count: number): { bytes: Uint8Array; known: Uint8Array } | null => {
    version();
    const end = Math.min(props.length, from + count);
    const out = new Uint8Array(Math.max(0, end - from));
    const known = new Uint8Array(out.length).fill(1);
    for (let at = from; at < end; ) {
      const part = parts.get(Math.floor(at / PART));
      if (part === undefined) return null;
      const begin = at % PART;
      const run = Math.min(end - at, PART - begin);
      out.set(part.bytes.subarray(begin, begin + run), at - from);
      if (part.known) known.set(part.known.subarray(begin, begin + run), at - from);
      at += run;
    }
    return { bytes: out, known };
  };
  const typed = () => place().more["struct"];
  const parsed = createMemo(() => {
    const source = typed();
    return source === undefined ? null : struct.parse(source);
  });
  useExport(() => {
    const layout = parsed();
    return {
      command: place().more["from"] === "replay" ? ["replay", "--dump-resource", `${props.object}@${props.at}`, "TRACE"] : ["dump", "--bytes", "--objects", String(props.object), "TRACE"],
      table: async () => {
        const most = 1 << 20;
        const got = await props.read(0, Math.min(props.length, most));
        const view = new DataView(got.bytes.buffer, got.bytes.byteOffset, got.bytes.byteLength);
        const more = props.length > most ? `the first ${bytesText(most)}` : undefined;
        if (layout !== null && typeof layout !== "string") {
          const rows = Array.from({ length: Math.floor(view.byteLength / layout.stride) }, (_, row) => [row, ...layout.fields.flatMap((field) => struct.values(field, view, row * layout.stride).map(show))]);
          return { head: ["row", ...layout.fields.flatMap(fieldHeads)], rows, ...(more ? { more } : {}) };
        }
        const rows = Array.from({ length: Math.ceil(view.byteLength / 16) }, (_, row) => [props.begin + row * 16, hexRow(got.bytes.subarray(row * 16, row * 16 + 16))]);
        return { head: ["offset", "bytes"], rows, ...(more ? { more } : {}) };
      },
    };
  });
  return (
    <>
      <StructField object={props.object} />
      <Problem text={problem()} />
      <Show when={parsed()} fallback={<HexRows slice={slice} want={want} length={props.length} begin={props.begin} />}>
        {(layout) => {
          const wrong = () => (typeof layout() === "string" ? (layout() as string) : undefined);
          return (
            <Show when={wrong() === undefined} fallback={<Problem text={wrong()} />}>
              <TypedRows layout={layout() as struct.Struct} slice={slice} want={want} length={props.length} />
            </Show>
          );
        }}
      </Show>
    </>
  );
}

/** Where rows as a struct are typed in, with those that are known from what reads the buffer at a call. */
function StructField(props: { object: number }): JSX.Element {
  const [draft, setDraft] = createSignal(place().more["struct"] ?? "");
  createEffect(on(() => place().more["struct"], (source) => setDraft(source ?? "")));
  const state = useState();
  const bound = () => state().data?.bound ?? undefined;
  const pipeline = useAnswer<ObjectAnswer>(() => (bound()?.pipeline ? path(api("object"), { object: bound()?.pipeline?.object.id }) : null));
  const choices = createMemo((): { title: string; source: string }[] => {
    const list = [{ title: "float4", source: "float4 value;" }, { title: "uint", source: "uint value;" }, { title: "hexadecimal words", source: "xint4 value;" }, { title: "matrices", source: "float4x4 matrix;" }];
    const all = bound();
    if (all === undefined) return list;
    const own: { title: string; source: string }[] = [];
    const creation = pipeline().data?.report?.["creation"] as { pDesc?: { InputLayout?: { pInputElementDescs?: Json } } } | undefined;
    const elements = creation?.pDesc?.InputLayout?.pInputElementDescs;
    for (const buffer of all.input?.vertices ?? []) {
      if (buffer.location.resource?.id !== props.object || !Array.isArray(elements)) continue;
      const source = layoutOf(elements as { [key: string]: Json }[], buffer.slot, buffer.stride);
      if (source) own.push({ title: `vertex buffer ${buffer.slot} of call ${place().call}`, source });
    }
    const index = all.input?.index;
    if (index && index.location.resource?.id === props.object) own.push({ title: `index buffer of call ${place().call}`, source: /R16/.test(index.format) ? "uint16_t index;" : "uint index;" });
    for (const one of bindings(all)) {
      if (one.resource?.id !== props.object) continue;
      const source = one.kind.includes("cbv") ? "float4 constant;" : one.format ? struct.ofFormat(one.format, "value") : null;
      if (source) own.push({ title: `${one.register} of root parameter ${one.parameter}, call ${place().call}`, source });
    }
    return [...own, ...list];
  });
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        go({ more: { struct: draft().trim() } });
      }}
    >
      <label class="grow">
        struct <input class="mono grow" aria-label="Struct of a row" placeholder="float3 position; uint colour; half2 uv[2]; pad 4;   (empty: hexadecimal)" spellcheck={false} autocomplete="off" value={draft()} onInput={(event) => setDraft(event.currentTarget.value)} />
      </label>
      <button type="submit">Show</button>
      <select
        aria-label="Known structs"
        onChange={(event) => {
          const one = choices()[Number(event.currentTarget.value)];
          event.currentTarget.value = "";
          if (one) go({ more: { struct: one.source } });
        }}
      >
        <option value="">known…</option>
        <For each={choices()}>{(one, index) => <option value={index()}>{one.title}</option>}</For>
      </select>
      <button type="button" onClick={() => go({ more: { struct: undefined } })}>Hex</button>
    </form>
  );
}

/** The struct of a vertex buffer: the elements of its slot, with padding where there is some. */
export function layoutOf(elements: readonly { [key: string]: Json }[], slot: number, stride: number): string | null {
  const parts: string[] = [];
  let end = 0;
  const own = elements
    .filter((element) => element["InputSlot"] === slot)
    .map((element) => ({ element, offset: Number(element["AlignedByteOffset"]) }));
  for (const { element, offset } of own) {
    const name = `${String(element["SemanticName"] ?? "value").toLowerCase().replace(/\W/g, "_")}${String(element["SemanticIndex"] ?? "")}`;
    const source = struct.ofFormat(String(element["Format"]), name);
    if (source === null) return null;
    const layout = struct.parse(source);
    if (typeof layout === "string") return null;
    const begin = offset === 0xffffffff ? end : offset;
    if (begin < end) return null;
    if (begin > end) parts.push(`pad ${begin - end};`);
    parts.push(source);
    end = begin + layout.stride;
  }
  if (parts.length === 0) return null;
  if (stride > end) parts.push(`pad ${stride - end};`);
  return parts.join(" ");
}

function fieldHeads(field: struct.Field): string[] {
  return field.components === 1 ? [field.name] : Array.from({ length: field.components }, (_, part) => `${field.name}.${"xyzw"[part]}`);
}

function show(value: number | bigint | string | null): string {
  if (value === null) return "";
  return typeof value === "number" ? (Number.isInteger(value) ? String(value) : float(value)) : String(value);
}

function hexRow(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => hex(byte, 2)).join(" ");
}

interface Source {
  readonly slice: (from: number, count: number) => { bytes: Uint8Array; known: Uint8Array } | null;
  readonly want: (from: number, count: number) => void;
  readonly length: number;
}

function HexRows(props: Source & { begin: number }): JSX.Element {
  const [chosen, setChosen] = createSignal<number | null>(null);
  const columns = [{ title: "Offset", width: "88px", right: true }, { title: "Bytes", width: "400px" }, { title: "Text", width: "minmax(130px, 1fr)" }];
  return (
    <List
      label="Bytes"
      count={Math.ceil(props.length / 16)}
      columns={columns}
      selected={chosen()}
      onSelect={setChosen}
      onWindow={(first, count) => props.want(first * 16, count * 16)}
      empty={<Empty>There are no bytes.</Empty>}
    >
      {(row) => {
        const got = createMemo(() => props.slice(row() * 16, 16));
        return (
          <>
            <Cell right mono>{hex(props.begin + row() * 16)}</Cell>
            <Cell mono>
              <For each={Array.from(got()?.bytes ?? [])}>{(byte, index) => <span class="byte" classList={{ unknown: got()?.known[index()] === 0, zero: byte === 0 }}>{got()?.known[index()] === 0 ? "··" : hex(byte, 2)}</span>}</For>
            </Cell>
            <Cell mono>{Array.from(got()?.bytes ?? [], (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("")}</Cell>
          </>
        );
      }}
    </List>
  );
}

function TypedRows(props: Source & { layout: struct.Struct }): JSX.Element {
  const [chosen, setChosen] = createSignal<number | null>(null);
  const columns = () => [{ title: "Row", width: "72px", right: true }, ...props.layout.fields.flatMap((field) => fieldHeads(field).map((title) => ({ title, width: "minmax(84px, 1fr)", right: true })))];
  return (
    <List
      label="Rows"
      count={Math.floor(props.length / props.layout.stride)}
      columns={columns()}
      selected={chosen()}
      onSelect={setChosen}
      onWindow={(first, count) => props.want(first * props.layout.stride, count * props.layout.stride)}
      empty={<Empty>A row is {props.layout.stride} bytes long: the buffer has fewer.</Empty>}
    >
      {(row) => {
        const got = createMemo(() => props.slice(row() * props.layout.stride, props.layout.stride));
        const cells = createMemo(() => {
          const one = got();
          if (one === null) return [];
          const view = new DataView(one.bytes.buffer);
          return props.layout.fields.flatMap((field) => struct.values(field, view, 0).map((value) => (one.known[field.offset] === 0 ? "·" : show(value))));
        });
        return (
          <>
            <Cell right mono>{row()}</Cell>
            <For each={cells()}>{(cell) => <Cell right mono>{cell}</Cell>}</For>
          </>
        );
      }}
    </List>
  );
}
