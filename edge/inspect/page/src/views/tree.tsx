// The tree of all frames: submissions, lists, markers, and what acts.

import { createEffect, createMemo, createSignal, on, onCleanup, Show, type JSX } from "solid-js";
import { text } from "../answer.ts";
import { get, path, type Frame, type Listing, type Node } from "../api.ts";
import { useExport } from "../export.tsx";
import { Kind } from "../kind.tsx";
import { Cell, List } from "../list.tsx";
import { Empty, Problem } from "../notice.tsx";
import { at, branch, find, fold, rows, unfold, type Branch, type Row } from "../outline.ts";
import { pages, type Pages } from "../pages.ts";
import { api, go, place, trace } from "../place.ts";
import { grouped, time } from "../text.ts";

const ROOT = "trace";
const columns = (measured: boolean) => [
  { title: "Call", width: "84px", right: true },
  { title: "Frames, submissions, lists, markers, actions", width: "minmax(200px, 1fr)" },
  ...(measured ? [{ title: "GPU time", width: "84px", right: true }] : []),
  { title: "Draws", width: "64px", right: true },
  { title: "Below", width: "64px", right: true },
];
/** `*` opens at most so many nodes: a frame may have millions. */
const OPENED = 500;

export function Tree(): JSX.Element {
  const root: Branch = branch(ROOT, 0);
  const measured = () => trace()?.measured ?? false;
  const [version, setVersion] = createSignal(0);
  const [problem, setProblem] = createSignal<string>();
  const [chosen, setChosen] = createSignal<number | null>(null);
  const changed = () => setVersion((value) => value + 1);
  const prefix = api("tree");
  const frames = pages<Frame>((first, count) => path(api("frames"), { first, count }));
  frames.want(0, 1);
  createEffect(() => {
    root.children = frames.total();
    changed();
  });
  const lists = new Map<string, Pages<Node>>();
  let gone = false;
  onCleanup(() => {
    gone = true;
  });
  const list = (id: string, known: number): Pages<Node> => {
    let there = lists.get(id);
    if (there === undefined) {
      there = pages<Node>((first, count) => path(prefix, { node: id, first, count }), known);
      lists.set(id, there);
    }
    return there;
  };
  const nodeAt = (row: Row | null): Node | undefined => {
    if (row === null) return undefined;
    if (row.parent !== root) return lists.get(row.parent.id)?.item(row.index);
    const frame = frames.item(row.index);
    if (frame === undefined) return undefined;
    return {
      id: `frame:${frame.frame}`, kind: "frame", label: `Frame ${frame.frame}`, call: frame.first_call, children: frame.calls === 0 ? 0 : null,
      draws: frame.draws, first_call: frame.first_call, last_call: frame.last_call, gpu_ns: frame.gpu_ns,
    };
  };
  const count = createMemo(() => {
    version();
    return rows(root);
  });
  const rowAt = (row: number) => {
    version();
    return at(root, row);
  };

  /** Opens the child at `index`; its number of children is asked for. */
  const open = async (parent: Branch, index: number, id: string): Promise<Branch> => {
    const there = parent.open.find((child) => child.index === index);
    if (there) return there.branch;
    const answer = await get<Listing<Node>>(path(prefix, { node: id, first: 0, count: 1 }));
    const made = branch(id, answer.total);
    if (gone) return made;
    list(id, answer.total);
    unfold(parent, index, made);
    changed();
    return made;
  };
  const toggle = async (row: number, wanted?: boolean): Promise<void> => {
    const found = at(root, row);
    const node = nodeAt(found);
    if (found === null || node === undefined || node.children === 0) return;
    if (found.branch) {
      if (wanted === true) return;
      fold(found.parent, found.index);
      changed();
    } else if (wanted !== false) {
      await open(found.parent, found.index, node.id).catch((error: unknown) => setProblem(text(error)));
    }
  };
  /** Opens all that lies below a row, level by level. */
  const openAll = async (row: number): Promise<void> => {
    let left = OPENED;
    const start = at(root, row);
    if (start === null) return;
    await toggle(row, true);
    const first = at(root, row)?.branch;
    const queue: Branch[] = first ? [first] : [];
    for (let parent = queue.shift(); parent !== undefined && left > 0 && !gone; parent = queue.shift()) {
      const answer = await get<Listing<Node>>(path(prefix, { node: parent.id, first: 0, count: 1000 }));
      for (const [index, node] of answer.items.entries()) {
        if (node.children === 0 || left <= 0) continue;
        left -= 1;
        queue.push(await open(parent, index, node.id));
      }
    }
  };

  // The call of the link is shown: the nodes above it open.
  let reached: number | undefined;
  const show = async (call: number, frame: number | undefined): Promise<void> => {
    const answer = await get<{ path: string[]; index: number[] }>(path(`${prefix}/path`, { call }));
    const number = Number(/^frame:(\d+)$/.exec(answer.path[0] ?? "")?.[1] ?? frame ?? 1);
    // A frame that is chosen is shown itself; a call that only sets state has no node: its frame stands for it.
    let parent = root;
    const places = [number - 1, ...answer.index];
    for (const [depth, index] of places.slice(0, -1).entries()) {
      const id = answer.path[depth];
      if (id === undefined) break;
      parent = await open(parent, index, id);
    }
    if (!gone && place().call === call) setChosen(find(root, places));
  };
  createEffect(
    on([() => place().call, () => frames.total()], ([call, total]) => {
      if (call === undefined || total === 0 || call === reached) return;
      reached = call;
      show(call, place().frame).catch((error: unknown) => setProblem(text(error)));
    }),
  );
  const select = (row: number) => {
    setChosen(row);
    const found = at(root, row);
    const node = nodeAt(found);
    if (node === undefined) return;
    const call = node.call ?? undefined;
    reached = call;
    go({ ...(found?.parent === root ? { frame: found.index + 1 } : {}), call }, true);
  };
  const key = (event: KeyboardEvent, row: number | null): boolean => {
    if (row === null || event.ctrlKey || event.metaKey) return false;
    const found = at(root, row);
    switch (event.key) {
      case "ArrowRight":
        if (found?.branch) select(row + 1);
        else void toggle(row, true);
        return true;
      case "ArrowLeft":
        if (found?.branch) void toggle(row, false);
        else if (found && found.parent !== root) {
          // Up to the parent: the nearest row above that is less deep.
          let above = row - found.index - 1;
          for (const child of found.parent.open) if (child.index < found.index) above -= rows(child.branch);
          select(above);
        }
        return true;
      case "*":
        openAll(row).catch((error: unknown) => setProblem(text(error)));
        return true;
      default:
        return false;
    }
  };
  const want = (first: number, many: number) => {
    // Each run of rows of one parent asks that parent's list.
    const wanted = new Map<Branch, [number, number]>();
    for (let row = first; row < first + many; row += 1) {
      const found = at(root, row);
      if (found === null) break;
      const range = wanted.get(found.parent);
      if (range) range[1] = Math.max(range[1], found.index);
      else wanted.set(found.parent, [found.index, found.index]);
    }
    for (const [parent, [low, high]] of wanted) {
      if (parent === root) frames.want(low, high - low + 1);
      else lists.get(parent.id)?.want(low, high - low + 1);
    }
  };
  const [seen, setSeen] = createSignal<[number, number]>([0, 0]);
  createEffect(() => {
    version();
    want(...seen());
  });
  useExport(() => {
    const frame = place().frame ?? 1;
    return {
      command: ["dump", "--frames", String(frame), "TRACE"],
      table: async () => {
        const items = await visible();
        return {
          head: ["depth", "kind", "call", "label", "draws", "gpu_ns"],
          rows: items.map(({ depth, node }) => [depth, node.kind, node.call, node.label, node.draws, node.gpu_ns]),
          more: "as far as the tree is open and read",
        };
      },
      json: async () => (await visible()).map(({ depth, node }) => ({ depth, ...node })),
    };
  });
  const visible = async () => {
    const items: { depth: number; node: Node }[] = [];
    for (let row = 0; row < Math.min(rows(root), 10_000); row += 1) {
      const found = at(root, row);
      const node = nodeAt(found);
      if (found && node) items.push({ depth: found.depth, node });
    }
    return items;
  };
  return (
    <>
      <Problem text={problem() ?? frames.error()} />
      <List
        label="Tree of calls"
        count={count()}
        columns={columns(measured())}
        selected={chosen()}
        onSelect={select}
        onOpen={(row) => void toggle(row)}
        onKey={key}
        onWindow={(first, many) => setSeen([first, many])}
        tree={(row) => {
          const found = rowAt(row);
          if (found === null) return undefined;
          return { level: found.depth + 1, open: nodeAt(found)?.children === 0 ? undefined : found.branch !== null };
        }}
        empty={<Empty>{trace()?.rows ? "Reading…" : "This trace has no calls."}</Empty>}
      >
        {(row) => {
          const found = () => rowAt(row());
          const node = () => nodeAt(found());
          return (
            <>
              <Cell right mono>{node()?.call ?? ""}</Cell>
              <Cell title={node()?.label}>
                <span class="branch" style={{ "padding-left": `${(found()?.depth ?? 0) * 14}px` }}>
                  <Show when={node()?.children !== 0} fallback={<span class="twig" />}>
                    <button
                      class="twig"
                      tabindex={-1}
                      aria-label={found()?.branch ? "Close" : "Open"}
                      onMouseDown={(event) => event.stopPropagation()}
                      onClick={() => void toggle(row())}
                    >
                      {found()?.branch ? "▾" : "▸"}
                    </button>
                  </Show>
                  <Show when={node()}>
                    {(one) => (
                      <>
                        <Kind kind={one().kind} />
                        <Show when={one().colour}>{(tint) => <i class="tint" style={{ background: /^#[0-9a-f]{6}$/i.test(tint()) ? tint() : "" }} aria-hidden="true" />}</Show>
                        <bdi class={`label of-${one().kind}`}>{one().label}</bdi>
                        <Show when={one().queue}>{(queue) => <span class="faint">on <bdi>{queue().name || "queue"}</bdi> #{queue().id}</span>}</Show>
                      </>
                    )}
                  </Show>
                </span>
              </Cell>
              <Show when={measured()}>
                <Cell right mono>{typeof node()?.gpu_ns === "number" ? time(node()?.gpu_ns ?? 0) : ""}</Cell>
              </Show>
              <Cell right mono>{node()?.draws ? grouped(node()?.draws ?? 0) : ""}</Cell>
              <Cell right mono>{found()?.branch ? grouped(found()?.branch?.children ?? 0) : node()?.children ? grouped(node()?.children ?? 0) : ""}</Cell>
            </>
          );
        }}
      </List>
    </>
  );
}
