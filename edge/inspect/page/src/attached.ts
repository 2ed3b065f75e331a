// Files that go with a question: shaders, and contents for edits. The server keeps them for as long as it runs.

import { postFile } from "./api.ts";

export interface Attachment {
  readonly name: string;
  /** Text that is written on the page; else the bytes of a file. */
  readonly text?: string;
  readonly file?: Blob;
}

/** A name that edits may have for a file: what else a name has becomes `_`. */
export function plainName(name: string): string {
  const plain = name.replace(/^.*[\\/]/, "").replace(/[^A-Za-z0-9._-]/g, "_").replace(/^[.-]+/, "").slice(-100);
  return plain === "" ? "file" : plain;
}

/** Sends files, and gives what questions name them by. */
export async function attach(all: readonly Attachment[]): Promise<Record<string, string>> {
  const sent: Record<string, string> = {};
  for (const one of all) {
    const { attached } = await postFile<{ attached: string }>("api/attached", one.file ?? new Blob([one.text ?? ""]));
    sent[one.name] = attached;
  }
  return sent;
}
