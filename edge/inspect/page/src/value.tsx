// A value of an answer as a tree: arguments, descriptions, state. Objects, blobs and calls in it are links.

import { createSignal, For, Match, Show, Switch, type JSX } from "solid-js";
import type { Json } from "./api.ts";
import { CallLink, ObjectLink, objectOf } from "./names.tsx";
import { link } from "./place.ts";
import { bytes } from "./text.ts";

/** Members that hold numbers of calls. */
const CALLS = new Set(["call", "created", "released", "begun", "closed", "after_call", "last_use"]);
/** So many members are shown at once; the rest on demand. */
const AT_ONCE = 64;
/** A nested value with more than so many members starts closed. */
const WIDE = 12;

function compound(value: Json): value is Json[] | { [key: string]: Json } {
  return value !== null && typeof value === "object";
}

function entries(value: Json[] | { [key: string]: Json }): [string, Json][] {
  return Array.isArray(value) ? value.map((item, index): [string, Json] => [`[${index}]`, item]) : Object.entries(value);
}

/** Short values that fit on one line: numbers and names. */
function flat(value: Json): boolean {
  return Array.isArray(value) && value.length <= 16 && value.every((item) => !compound(item)) && JSON.stringify(value).length < 100;
}

export function Scalar(props: { name?: string; value: Json; call?: number | null | undefined }): JSX.Element {
  const object = () => objectOf(props.value);
  const members = () => (compound(props.value) && !Array.isArray(props.value) ? props.value : {});
  return (
    <Switch fallback={<span class={`value ${typeof props.value}`}>{JSON.stringify(props.value)}</span>}>
      <Match when={object()}>{(one) => <ObjectLink object={one()} call={props.call} />}</Match>
      <Match when={typeof props.value === "number" && props.name !== undefined && CALLS.has(props.name)}>
        <CallLink call={props.value as number} />
      </Match>
      <Match when={props.value === null}>
        <span class="value null">null</span>
      </Match>
      <Match when={typeof props.value === "string"}>
        <span class="value" classList={{ string: !/^[A-Z0-9_x| ]+$/i.test(props.value as string) }}>
          <bdi>{props.value as string}</bdi>
        </span>
      </Match>
      <Match when={Array.isArray(props.value)}>
        <span class="value">[{(props.value as Json[]).map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join(", ")}]</span>
      </Match>
      <Match when={typeof members()["hash"] === "string" && members()["bytes"] !== undefined}>
        <a class="object" href={link({ view: "shaders", more: { hash: String(members()["hash"]) } })}>
          {String(members()["kind"] ?? members()["stage"] ?? "blob")} <span class="id">{String(members()["hash"]).slice(0, 8)}</span>
        </a>{" "}
        <span class="faint">{bytes(Number(members()["bytes"]))}</span>
      </Match>
      <Match when={"blob" in members() && "bytes" in members()}>
        <a class="object" href={link({ view: "shaders", more: { blob: String(members()["blob"]) } })}>
          {String(members()["kind"] ?? "blob")} <span class="id">blob {String(members()["blob"])}</span>
        </a>{" "}
        <span class="faint">{bytes(Number(members()["bytes"]))}</span>
      </Match>
      <Match when={"heap" in members() && ("slot" in members() || "index" in members()) && objectOf(members()["heap"])}>
        {(heap) => (
          <>
            <ObjectLink object={heap()} call={props.call} /> <span class="value">slot {String(members()["slot"] ?? members()["index"])}</span>
          </>
        )}
      </Match>
      <Match when={"address" in members()}>
        <span class="value">{String(members()["address"])}</span>{" "}
        <Show when={objectOf(members()["resource"] ?? members()["object"])}>
          {(one) => (
            <>
              <ObjectLink object={one()} call={props.call} /> <span class="value">+{String(members()["offset"] ?? 0)}</span>
            </>
          )}
        </Show>
      </Match>
    </Switch>
  );
}

/** Whether a value is shown on one line. */
function single(value: Json): boolean {
  if (!compound(value)) return true;
  if (Array.isArray(value)) return flat(value);
  if (objectOf(value)) return true;
  if ("hash" in value && "bytes" in value && Object.keys(value).length <= 5) return true;
  if ("blob" in value && "bytes" in value) return true;
  if ("address" in value && Object.keys(value).length <= 4) return true;
  return "heap" in value && ("slot" in value || "index" in value) && Object.keys(value).length <= 3;
}

function Member(props: { name: string; value: Json; depth: number; call?: number | null | undefined }): JSX.Element {
  const nested = () => !single(props.value);
  const size = () => (compound(props.value) ? entries(props.value).length : 0);
  const [open, setOpen] = createSignal(props.depth < 1 || (props.depth < 3 && size() <= WIDE));
  return (
    <li>
      <Show
        when={nested()}
        fallback={
          <>
            <span class="key">{props.name}</span> <Scalar name={props.name} value={props.value} call={props.call} />
          </>
        }
      >
        <button class="fold" aria-expanded={open()} onClick={() => setOpen(!open())}>
          <span class="key">{props.name}</span>{" "}
          <span class="faint">{Array.isArray(props.value) ? `[${size()}]` : `{${size()}}`}</span>
        </button>
        <Show when={open()}>
          <Value value={props.value} depth={props.depth + 1} call={props.call} />
        </Show>
      </Show>
    </li>
  );
}

export function Value(props: { value: Json; depth?: number; call?: number | null | undefined }): JSX.Element {
  const [shown, setShown] = createSignal(AT_ONCE);
  const all = () => (compound(props.value) ? entries(props.value) : []);
  return (
    <Show when={!single(props.value) || (compound(props.value) && !Array.isArray(props.value) && !objectOf(props.value) && props.depth === undefined)} fallback={<Scalar value={props.value} call={props.call} />}>
      <ul class="members">
        <For each={all().slice(0, shown())}>{([name, value]) => <Member name={name} value={value} depth={props.depth ?? 0} call={props.call} />}</For>
        <Show when={all().length > shown()}>
          <li>
            <button class="more" onClick={() => setShown(shown() + 1024)}>
              {all().length - shown()} more
            </button>
          </li>
        </Show>
      </ul>
    </Show>
  );
}
