// What is typed into the search field: the filters of `reprise dump`, as words.
//
// `method:Draw* object:12 frame:3-7 RENDER_TARGET`. A word without a key is text to look for; quotes keep spaces.

export const KINDS = [
  "draw", "dispatch", "rays", "mesh", "indirect", "bundle", "copy", "resolve", "clear", "discard", "barrier", "marker", "query", "build",
  "set", "list", "submit", "signal", "wait", "present", "queue", "create", "map", "view", "release", "get", "other",
] as const;

export interface Filter {
  methods?: string[];
  objects?: number[];
  threads?: number[];
  frames?: [number, number | null];
  calls?: [number, number | null];
  kinds?: string[];
  text?: string;
}

const KEYS: Readonly<Record<string, keyof Filter>> = {
  method: "methods", methods: "methods", object: "objects", objects: "objects", thread: "threads", threads: "threads",
  frame: "frames", frames: "frames", call: "calls", calls: "calls", kind: "kinds", kinds: "kinds",
};

/** The filter of an expression; a text where it has none, which says why. */
export function parse(expression: string): Filter | string {
  const filter: Filter = {};
  const texts: string[] = [];
  for (const match of expression.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gi)) {
    const [whole, name, quoted, plain] = match;
    const value = quoted ?? plain ?? "";
    const key = name === undefined ? undefined : KEYS[name.toLowerCase()];
    if (key === undefined) {
      // Text may contain colons: `ID3D12Device::CreateFence` is looked for as it stands.
      texts.push(quoted !== undefined && name === undefined ? quoted : whole);
      continue;
    }
    switch (key) {
      case "methods":
        filter.methods = [...(filter.methods ?? []), ...value.split(",")];
        break;
      case "kinds": {
        const kinds = value.split(",");
        const unknown = kinds.find((kind) => !KINDS.some((known) => known === kind));
        if (unknown !== undefined) return `There is no kind of calls called ${unknown}. Kinds are ${KINDS.join(", ")}.`;
        filter.kinds = [...(filter.kinds ?? []), ...kinds];
        break;
      }
      case "objects":
      case "threads": {
        const numbers = value.split(",").map((part) => part.replace(/^#/, ""));
        const wrong = numbers.find((part) => !/^\d{1,15}$/.test(part));
        if (wrong !== undefined) return `${name}: takes numbers, such as ${name}:12 or ${name}:3,4 (got ${wrong}).`;
        filter[key] = [...(filter[key] ?? []), ...numbers.map(Number)];
        break;
      }
      case "frames":
      case "calls": {
        const range = /^(\d{1,15})(?:(-)(\d{1,15})?)?$/.exec(value);
        if (range === null) return `${name}: takes a range, such as ${name}:3, ${name}:3-7 or ${name}:3- (got ${value}).`;
        const first = Number(range[1]);
        const last = range[2] === undefined ? first : range[3] === undefined ? null : Number(range[3]);
        if (last !== null && last < first) return `${name}: ${value} ends before it begins.`;
        filter[key] = [first, last];
        break;
      }
    }
  }
  if (texts.length > 0) filter.text = texts.join(" ");
  return filter;
}

/** The options of `reprise dump` that show the same, and a filter by text behind it where there is one. */
export function options(filter: Filter): { options: string[]; grep: string | null; kinds: boolean } {
  const range = ([first, last]: [number, number | null]) => (last === null ? `${first}-` : first === last ? `${first}` : `${first}-${last}`);
  const options: string[] = [];
  if (filter.frames) options.push("--frames", range(filter.frames));
  if (filter.calls) options.push("--calls", range(filter.calls));
  if (filter.threads) options.push("--threads", filter.threads.join(","));
  for (const method of filter.methods ?? []) options.push("--methods", method);
  if (filter.objects) options.push("--objects", filter.objects.join(","));
  return { options, grep: filter.text ?? null, kinds: filter.kinds !== undefined };
}
