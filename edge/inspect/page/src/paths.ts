// Arguments of a call as an edit names them: paths, and values in the words of the language.

import type { Json } from "./api.ts";

export interface Settable {
  readonly path: string;
  readonly value: string;
}

/** Numbers, words and objects of arguments, each by its path: at most `most` of them. Handles, addresses and bytes are left out: an edit writes them otherwise. */
export function settable(args: { readonly [name: string]: Json }, most = 400): Settable[] {
  const found: Settable[] = [];
  const walk = (path: string, value: Json): void => {
    if (found.length >= most || value === null) return;
    if (typeof value === "number" || typeof value === "boolean") found.push({ path, value: String(value) });
    // Names of enumerators; texts that are none are quoted in an edit, and numbers beyond 2^53 are text.
    else if (typeof value === "string") found.push({ path, value: /^[A-Z][A-Z0-9_]*( \| [A-Z][A-Z0-9_]*)*$|^0x[0-9a-f]+$|^-?inf$|^NaN/.test(value) ? value : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` });
    else if (Array.isArray(value)) value.forEach((one, index) => walk(`${path}[${index}]`, one));
    else if (typeof value["id"] === "number" && typeof value["class"] === "string") found.push({ path, value: `${value["class"]}(${value["id"]})` });
    else if (!("handle" in value || "address" in value || "blob" in value)) for (const [name, one] of Object.entries(value)) walk(`${path}.${name}`, one);
  };
  for (const [name, value] of Object.entries(args)) walk(name, value);
  return found;
}
