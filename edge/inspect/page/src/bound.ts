// What was bound at a call, as `reprise state --json` tells it: the parts that views read.

import { useAnswer, type Answer } from "./answer.ts";
import { path, type Json, type ObjectName } from "./api.ts";
import { api, place } from "./place.ts";
import type { Accessor } from "solid-js";

export interface Location {
  address?: string;
  resource?: ObjectName | null;
  offset?: number;
}

export interface Descriptor {
  slot?: number;
  register?: string;
  view?: string;
  resource?: ObjectName | null;
  desc?: { [key: string]: Json } | null;
  location?: Location;
  call?: number;
}

export interface Target {
  handle?: string;
  heap?: ObjectName;
  slot?: number;
  descriptor?: Descriptor | null;
}

export interface Argument {
  parameter: number;
  call?: number;
  visibility?: string;
  descriptor?: { register: string; view: string; location: Location | null };
  constants?: { register: string; words: (number | null)[] };
  table?: { start: Json; ranges: { register: string; count: number | null; first: number; slots: Descriptor[] }[] };
}

export interface Side {
  signature?: { value: ObjectName; call: number } | null;
  arguments?: Argument[];
}

export interface Bound {
  action?: string;
  pipeline?: {
    object: ObjectName;
    kind?: string;
    call?: number;
    root_signature?: ObjectName | null;
    shaders?: { stage: string; hash: string; bytes: number }[];
  } | null;
  graphics?: Side | null;
  compute?: Side | null;
  output?: {
    targets?: { value: Target[]; call: number } | null;
    depth?: Target | null;
    viewports?: { value: number[][]; call: number } | null;
    scissors?: { value: number[][]; call: number } | null;
    blend_factor?: Json;
    stencil_ref?: Json;
  } | null;
  input?: {
    topology?: { value: string; call: number } | null;
    index?: { location: Location; bytes: number; format: string; call: number } | null;
    vertices?: { slot: number; location: Location; bytes: number; stride: number; call: number }[];
  } | null;
  [key: string]: unknown;
}

export interface State {
  call: Json;
  list?: Json;
  bound?: Bound | null;
  queue?: Json;
  fences?: Json;
  [key: string]: unknown;
}

export function useState(): Accessor<Answer<State>> {
  return useAnswer<State>(() => (place().call === undefined ? null : path(api("state"), { call: place().call })));
}

/** Everything that a shader reaches, as rows: by root parameter, register and slot. */
export interface Binding {
  side: string;
  parameter: number;
  kind: string;
  register: string;
  visibility: string;
  resource: ObjectName | null;
  offset: number | null;
  heap: ObjectName | null;
  slot: number | null;
  what: string;
  call: number | null;
  /** The struct of the buffer's rows, where the view says one. */
  format: string | null;
  words: (number | null)[] | null;
}

export function bindings(bound: Bound): Binding[] {
  const list: Binding[] = [];
  for (const [side, root] of [["graphics", bound.graphics], ["compute", bound.compute]] as const) {
    for (const argument of root?.arguments ?? []) {
      const base = { side, parameter: argument.parameter, visibility: argument.visibility ?? "", call: argument.call ?? null, heap: null, slot: null, offset: null, resource: null, format: null, words: null };
      if (argument.constants) {
        list.push({ ...base, kind: "constants", register: argument.constants.register, what: `${argument.constants.words.length} words`, words: argument.constants.words });
      } else if (argument.descriptor) {
        const location = argument.descriptor.location;
        list.push({
          ...base, kind: `root ${argument.descriptor.view}`, register: argument.descriptor.register, resource: location?.resource ?? null, offset: location?.offset ?? null,
          what: location?.resource ? "" : (location?.address ?? "null"),
        });
      } else if (argument.table) {
        const start = argument.table.start as { heap?: ObjectName; slot?: number } | null;
        if (argument.table.ranges.every((range) => range.slots.length === 0)) {
          list.push({ ...base, kind: "table", register: argument.table.ranges.map((range) => range.register).join(", "), heap: start?.heap ?? null, slot: start?.slot ?? null, what: "no descriptor was written" });
        }
        for (const range of argument.table.ranges) {
          for (const slot of range.slots) {
            list.push({
              ...base, kind: slot.view ?? "descriptor", register: slot.register ?? range.register, resource: slot.resource ?? slot.location?.resource ?? null,
              offset: slot.location?.offset ?? null, heap: start?.heap ?? null, slot: slot.slot ?? null, what: viewText(slot.desc ?? null), call: slot.call ?? argument.call ?? null,
              format: typeof slot.desc?.["Format"] === "string" ? slot.desc["Format"] : null,
            });
          }
        }
      }
    }
  }
  return list;
}

/** A view's description in a few words. */
export function viewText(desc: { [key: string]: Json } | null): string {
  if (desc === null) return "";
  const words: string[] = [];
  const format = desc["Format"];
  if (typeof format === "string") words.push(format.replace("DXGI_FORMAT_", ""));
  const dimension = desc["ViewDimension"];
  if (typeof dimension === "string") words.push(dimension.replace(/^D3D12_\w+?_DIMENSION_/, "").toLowerCase());
  if (typeof desc["Filter"] === "string") words.push(desc["Filter"].replace("D3D12_FILTER_", ""));
  if (typeof desc["SizeInBytes"] === "number") words.push(`${desc["SizeInBytes"]} bytes`);
  for (const value of Object.values(desc)) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) continue;
    const members = value as { [key: string]: Json };
    if (typeof members["NumElements"] === "number") words.push(`${members["FirstElement"]}+${members["NumElements"]}${members["StructureByteStride"] ? ` of ${members["StructureByteStride"]} bytes` : ""}`);
    if (typeof members["MipLevels"] === "number") words.push(`mips ${members["MostDetailedMip"]}+${members["MipLevels"]}`);
    if (typeof members["MipSlice"] === "number") words.push(`mip ${members["MipSlice"]}`);
    if (typeof members["ArraySize"] === "number") words.push(`slices ${members["FirstArraySlice"]}+${members["ArraySize"]}`);
  }
  return words.join(" ");
}
