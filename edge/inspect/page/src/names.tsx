// Objects and calls by their names, as links.
//
// Names come from the program that was recorded: they are put into the page as text, never as markup.

import { Show, type JSX } from "solid-js";
import type { Json, ObjectName } from "./api.ts";
import type { View } from "./link.ts";
import { link } from "./place.ts";

/** The view that shows objects of a class best. */
export function viewOf(name: string): View {
  if (name.startsWith("ID3D12Resource")) return "resources";
  if (name.startsWith("ID3D12DescriptorHeap")) return "descriptors";
  if (name.startsWith("ID3D12Heap")) return "heaps";
  return "objects";
}

/** `ID3D12GraphicsCommandList4` as `GraphicsCommandList4`: the prefix says nothing that readers do not know. */
export function shortClass(name: string): string {
  return name.replace(/^ID3D12(?=[A-Z])/, "").replace(/^I(DXGI[A-Z])/, "$1");
}

export function ObjectLink(props: { object: ObjectName; call?: number | null | undefined; quiet?: boolean }): JSX.Element {
  return (
    <a
      class="object"
      classList={{ gone: props.object.gone ?? false }}
      href={link({ view: viewOf(props.object.class), object: props.object.id, ...(props.call ? { call: props.call } : {}) })}
      title={`${props.object.class} ${props.object.id}${props.object.gone ? ", released" : ""}`}
      tabindex={props.quiet ? -1 : undefined}
    >
      <bdi>{props.object.name || shortClass(props.object.class)}</bdi>
      <span class="id">#{props.object.id}</span>
    </a>
  );
}

export function CallLink(props: { call: number | null | undefined; quiet?: boolean }): JSX.Element {
  return (
    <Show when={props.call} fallback="–">
      <a class="call" href={link({ view: "calls", call: props.call ?? undefined })} tabindex={props.quiet ? -1 : undefined}>
        {props.call}
      </a>
    </Show>
  );
}

/** The object that a value of an answer names. */
export function objectOf(value: Json | undefined): ObjectName | null {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
  const { id, class: name } = value as { id?: Json; class?: Json };
  if (typeof id !== "number" || typeof name !== "string") return null;
  return value as unknown as ObjectName;
}
