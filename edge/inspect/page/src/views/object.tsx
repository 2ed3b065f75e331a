// One object: its life, what it is, and what only its class has.

import { createMemo, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Call, type Json, type ObjectAnswer, type ObjectRow } from "../api.ts";
import { useExport } from "../export.tsx";
import { useItems } from "../items.ts";
import { useJob } from "../job.ts";
import { Cell, List } from "../list.tsx";
import { CallLink, shortClass } from "../names.tsx";
import { Answered, Empty, Problem } from "../notice.tsx";
import { pages } from "../pages.ts";
import { api, go, place, trace } from "../place.ts";
import { Tabs, type Tab } from "../tabs.tsx";
import { bytes, grouped, hex, time } from "../text.ts";
import { Value } from "../value.tsx";
import { BufferView } from "./buffer.tsx";
import { CallCells } from "./calls.tsx";
import { Descriptors } from "./descriptors.tsx";
import { FoundList } from "./found.tsx";
import { HeapMap } from "./heap.tsx";
import { PictureView } from "./picture.tsx";
import { RootSignature } from "./signature.tsx";
import { Spent } from "./spent.tsx";
import { AllUses, Standing, WriteSteps } from "./usage.tsx";

export function ObjectView(): JSX.Element {
  const answer = useAnswer<ObjectAnswer>(() => path(api("object"), { object: place().object, call: place().call }));
  return (
    <Answered answer={answer()}>
      {(data) => <Inspector data={data()} />}
    </Answered>
  );
}

/** The member of a report that describes a resource: `pDesc` of the call that made it, or what the timeline knows of it. */
function resourceOf(report: ObjectAnswer["report"]): { dimension: string; width: number } | null {
  const creation = report?.["creation"] as { [key: string]: Json } | undefined;
  for (const candidate of [report?.["resource"], creation?.["pDesc"], creation?.["pResourceDesc"]]) {
    if (candidate === null || candidate === undefined || typeof candidate !== "object" || Array.isArray(candidate)) continue;
    const desc = ("desc" in candidate && typeof candidate["desc"] === "object" ? candidate["desc"] : candidate) as { [key: string]: Json };
    const dimension = desc["Dimension"] ?? desc["dimension"];
    if (typeof dimension === "string") return { dimension, width: Number(desc["Width"] ?? desc["width"] ?? 0) };
  }
  return null;
}

function Inspector(props: { data: ObjectAnswer }): JSX.Element {
  const life = () => props.data.life;
  const name = () => life().class;
  /** The call as of which contents are shown. */
  const at = () => place().call ?? (life().released === null ? trace()?.calls : (life().released ?? 1) - 1) ?? 1;
  // The list knows what a resource is even where its report has no creation: buffers of swap chains.
  const row = useAnswer<{ items: ObjectRow[] }>(() => (name().startsWith("ID3D12Resource") ? path(api("objects"), { class: "ID3D12Resource*", sort: "id", first: 0, count: 1000 }) : null));
  const known = createMemo(() => row().data?.items.find((one) => one.id === life().id));
  const isBuffer = () => known()?.kind === "buffer" || resourceOf(props.data.report)?.dimension.includes("BUFFER") === true;
  const size = () => known()?.bytes ?? resourceOf(props.data.report)?.width ?? 0;
  const tabs = createMemo(() => {
    const list: Tab[] = [];
    const about: Tab = { id: "about", title: "About", body: () => <About data={props.data} /> };
    if (name().startsWith("ID3D12Resource")) {
      if (isBuffer()) list.push({ id: "contents", title: "Contents", body: () => <BufferView object={life().id} size={size()} at={at()} /> });
      else list.push({ id: "picture", title: "Picture", body: () => <PictureView question={{ resource: life().id }} call={at()} command={["show", "TRACE", "--call", String(at()), "--resource", String(life().id)]} /> });
      list.push({ id: "standing", title: "States", body: () => <Standing object={life().id} call={at()} /> });
      list.push({ id: "all", title: "Uses", body: () => <AllUses object={life().id} /> });
      list.push({ id: "writes", title: "Memory writes", body: () => <Writes object={life().id} /> });
    }
    if (name().startsWith("ID3D12DescriptorHeap")) list.push({ id: "slots", title: "Slots", body: () => <Descriptors heap={life().id} at={at()} /> });
    if (name().startsWith("ID3D12Heap")) list.push({ id: "map", title: "Map", body: () => <HeapMap heap={life().id} at={at()} /> });
    if (name().startsWith("ID3D12RootSignature")) list.push({ id: "signature", title: "Root signature", body: () => <div class="scroll"><RootSignature object={life() as never} call={place().call} /></div> });
    return [...list, about, { id: "uses", title: "Calls that name it", body: () => <Uses object={life().id} /> }];
  });
  return (
    <article class="inspector" aria-label={`Object ${life().id}`}>
      <header>
        <h2>
          <bdi>{life().name || shortClass(life().class)}</bdi> <span class="faint">#{life().id}</span>
        </h2>
        <p class="faint">
          {life().class}, created by call <CallLink call={life().created} />
          <Show when={life().created_by}> ({life().created_by?.replace(/^ID3D12/, "")})</Show>,{" "}
          <Show when={life().released} fallback="never released">
            released by call <CallLink call={life().released} />
          </Show>
          <Show when={place().call}>
            ; shown as of call <CallLink call={place().call} />{" "}
            <button class="small" onClick={() => go({ call: undefined }, true)} title="Shows it as of its end">end</button>
          </Show>
          <Show when={name().startsWith("ID3D12Resource")}> <WriteSteps object={life().id} call={at()} /></Show>
        </p>
      </header>
      <Show when={/^ID3D12(PipelineState|StateObject)/.test(name())}><Spent pipeline={life().id} /></Show>
      <Problem text={props.data.refused ?? undefined} />
      <Tabs label="The object" tabs={tabs()} />
    </article>
  );
}

function About(props: { data: ObjectAnswer }): JSX.Element {
  useExport(() => ({
    command: ["state", "TRACE", String(place().call ?? props.data.at ?? trace()?.calls ?? 1), "--object", String(props.data.life.id)],
    json: async () => props.data.report,
  }));
  return (
    <div class="scroll">
      <Show when={props.data.report} fallback={<Empty>Nothing more is known of it at this call.</Empty>}>
        {(report) => <Value value={report()} call={place().call} />}
      </Show>
    </div>
  );
}

function Uses(props: { object: number }): JSX.Element {
  const job = useJob(() => ({ t: trace()?.t ?? 0, body: { kind: "uses", object: props.object } }));
  const list = useItems<Call>(job);
  useExport(() => ({ command: ["dump", "--objects", String(props.object), "TRACE"], json: async () => list()?.read(0, 10_000) }));
  return (
    <FoundList
      job={job()}
      list={list()}
      what="Looking for uses"
      label="Calls that use it"
      columns={[{ title: "Call", width: "72px", right: true }, { title: "Kind", width: "38px" }, { title: "Object", width: "110px" }, { title: "Method and arguments", width: "minmax(160px, 1fr)" }, { title: "Result", width: "56px" }, { title: "Time", width: "80px", right: true }, { title: "Frame", width: "48px", right: true }, { title: "Th.", width: "32px", right: true }]}
      none="No call uses it."
    >
      {(one) => <CallCells call={one()} />}
    </FoundList>
  );
}

interface Write {
  call: number;
  thread: number;
  frame: number;
  time_ns: number;
  subresource: number | null;
  offset: number;
  bytes: number;
}

/** What the program stored into mapped memory of a resource. */
function Writes(props: { object: number }): JSX.Element {
  const list = createMemo(() => {
    const [prefix, object] = [api("memory"), props.object];
    const made = pages<Write>((first, count) => path(prefix, { object, first, count }));
    made.want(0, 1);
    return made;
  });
  const selected = createMemo(() => {
    for (let row = 0; row < Math.min(list().total(), 400); row += 1) if (list().item(row)?.call === place().call) return row;
    return null;
  });
  useExport(() => ({
    command: ["dump", "--bytes", "--objects", String(props.object), "TRACE"],
    table: async () => {
      const rows = await list().read(0, 10_000);
      return { head: ["after_call", "frame", "thread", "time_ns", "subresource", "offset", "bytes"], rows: rows.map((one) => [one.call, one.frame, one.thread, one.time_ns, one.subresource, one.offset, one.bytes]) };
    },
    json: () => list().read(0, 10_000),
  }));
  return (
    <div class="stack">
      <Problem text={list().error()} />
      <p class="count">{grouped(list().total())} times the program stored into it. A choice shows the contents as of then.</p>
      <List
        label="Memory writes"
        count={list().total()}
        columns={[{ title: "After call", width: "80px", right: true }, { title: "Frame", width: "60px", right: true }, { title: "Thread", width: "60px", right: true }, { title: "Time", width: "96px", right: true }, { title: "Offset", width: "96px", right: true }, { title: "Bytes", width: "96px", right: true }, { title: "Subresource", width: "minmax(80px, 1fr)", right: true }]}
        selected={selected()}
        onSelect={(row) => {
          const one = list().item(row);
          if (one) go({ call: one.call }, true);
        }}
        onOpen={(row) => {
          const one = list().item(row);
          if (one) go({ call: one.call, tab: "contents" });
        }}
        onWindow={(first, count) => list().want(first, count)}
        empty={<Empty>The program stored nothing into it.</Empty>}
      >
        {(row) => {
          const one = () => list().item(row());
          return (
            <>
              <Cell right mono>{one()?.call}</Cell>
              <Cell right mono>{one()?.frame}</Cell>
              <Cell right mono>{one()?.thread}</Cell>
              <Cell right mono>{one() ? time(one()?.time_ns ?? 0) : ""}</Cell>
              <Cell right mono>{one() ? hex(one()?.offset ?? 0) : ""}</Cell>
              <Cell right mono>{one() ? bytes(one()?.bytes ?? 0) : ""}</Cell>
              <Cell right mono>{one()?.subresource}</Cell>
            </>
          );
        }}
      </List>
    </div>
  );
}
