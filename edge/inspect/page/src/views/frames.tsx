// All frames: how long each took, what it did, what it showed.

import { createEffect, createMemo, Show, type JSX } from "solid-js";
import { path, type Frame } from "../api.ts";
import { FrameBoundary } from "../boundary.tsx";
import { useExport } from "../export.tsx";
import { Cell, List } from "../list.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { pages } from "../pages.ts";
import { api, go, link, place, trace } from "../place.ts";
import { Split } from "../split.tsx";
import { brief, grouped, time } from "../text.ts";
import { useThumbnails } from "../thumbnails.ts";
import { TimelineView } from "./timeline.tsx";

/** Of a trace in which nothing ended a frame, the rows are submissions: each ends with an `ExecuteCommandLists`. */
const columns = (divided: boolean, measured: boolean) => [
  { title: "Picture", width: "104px" },
  { title: divided ? "Submission" : "Frame", width: divided ? "88px" : "64px", right: true },
  { title: "CPU time", width: "minmax(120px, 1fr)" },
  ...(measured ? [{ title: "GPU time", width: "84px", right: true }] : []),
  { title: "Calls", width: "80px", right: true },
  { title: "Draws", width: "72px", right: true },
  { title: "Dispatches", width: "92px", right: true },
  { title: "Submissions", width: "104px", right: true },
  { title: "Hash", width: "84px" },
];

export function Frames(): JSX.Element {
  return <Split name="timeline and frames" down start={0.36} first={<TimelineView />} second={<FrameList />} />;
}

function FrameList(): JSX.Element {
  const list = pages<Frame>((first, count) => path(api("frames"), { first, count }));
  list.want(0, 1);
  const shown = trace();
  const divided = shown?.divided ?? false;
  const measured = shown?.measured ?? false;
  const replays = shown?.replay.error === null || shown?.replay.error === undefined;
  const thumbnails = useThumbnails(shown?.t ?? 0, shown?.frames ?? 0, 256, replays);
  const selected = createMemo(() => {
    const frame = place().frame;
    return frame === undefined ? null : frame - 1;
  });
  const current = createMemo(() => (selected() === null ? undefined : list.item(selected() as number)));
  /** Its picture is a texture that it drew to: nothing is presented. */
  const drawn = () => divided || thumbnails.picture(place().frame ?? 0)?.resource !== undefined;
  const longest = createMemo(() => {
    let most = 1;
    for (let at = 0; at < Math.min(list.total(), 1000); at += 1) {
      const frame = list.item(at);
      // The first frame creates everything: beside it all others would be short.
      if (frame && (at > 0 || list.total() === 1)) most = Math.max(most, frame.end_ns - frame.begin_ns);
    }
    return most;
  });
  createEffect(() => {
    const frame = place().frame;
    if (frame !== undefined) thumbnails.want(frame, 1);
  });
  useExport(() => ({
    command: place().frame === undefined ? ["info", "TRACE"] : drawn() ? ["thumbnails", "--frames", String(place().frame), "TRACE"] : ["replay", "--screenshots", String(place().frame), "TRACE"],
    table: async () => {
      const rows = await list.read(0, 10_000);
      return {
        head: ["frame", "first_call", "last_call", "calls", "draws", "dispatches", "submissions", "begin_ns", "end_ns", "gpu_ns", "hash"],
        rows: rows.map((row) => [row.frame, row.first_call, row.last_call, row.calls, row.draws, row.dispatches, row.submissions, row.begin_ns, row.end_ns, row.gpu_ns, row.image?.hash]),
        ...(rows.length < list.total() ? { more: `the first of ${list.total()}` } : {}),
      };
    },
    json: () => list.read(0, 10_000),
  }));
  const enter = (row: number) => go({ view: "calls", frame: row + 1, call: list.item(row)?.first_call ?? undefined, more: { mode: "tree" } });
  return (
    <Split
      name="frames and preview"
      start={0.68}
      first={
        <>
          <Problem text={list.error()} />
          <FrameBoundary />
          <List
            label={divided ? "Submissions" : "Frames"}
            count={list.total()}
            columns={columns(divided, measured)}
            rowHeight={64}
            selected={selected()}
            onSelect={(row) => go({ frame: row + 1 }, true)}
            onOpen={enter}
            onWindow={(first, count) => {
              list.want(first, count);
              thumbnails.want(first + 1, count);
            }}
            empty={<Empty>This trace has no calls.</Empty>}
          >
            {(row) => {
              const frame = () => list.item(row());
              return (
                <>
                  <Cell>
                    <Show when={thumbnails.picture(row() + 1)} fallback={<span class="thumb blank" />}>
                      {(picture) => <img class="thumb" src={picture().file} alt={`${divided ? "Submission" : "Frame"} ${row() + 1}`} />}
                    </Show>
                  </Cell>
                  <Cell right>{grouped(row() + 1)}</Cell>
                  <Cell>
                    <Show when={frame()}>
                      {(one) => (
                        <span class="meter">
                          <span class="fill" style={{ width: `${Math.min(100, ((one().end_ns - one().begin_ns) / longest()) * 100)}%` }} />
                          <span class="figure">{time(one().end_ns - one().begin_ns)}</span>
                        </span>
                      )}
                    </Show>
                  </Cell>
                  <Show when={measured}>
                    <Cell right mono>{typeof frame()?.gpu_ns === "number" ? time(frame()?.gpu_ns ?? 0) : ""}</Cell>
                  </Show>
                  <Cell right>{grouped(frame()?.calls ?? 0)}</Cell>
                  <Cell right>{grouped(frame()?.draws ?? 0)}</Cell>
                  <Cell right>{grouped(frame()?.dispatches ?? 0)}</Cell>
                  <Cell right>{grouped(frame()?.submissions ?? 0)}</Cell>
                  <Cell mono title={frame()?.image?.hash}>{frame()?.image?.hash.slice(0, 8) ?? "–"}</Cell>
                </>
              );
            }}
          </List>
        </>
      }
      second={
        <section class="preview" aria-label="Preview of the frame">
          <Show when={trace()?.replay.error}>{(text) => <Problem text={`Pictures need a replay. ${text()}`} />}</Show>
          <Show when={thumbnails.job().state && thumbnails.job().state?.state !== "done"}>
            <Progress job={thumbnails.job()} what="Replaying for pictures" />
          </Show>
          <Problem text={thumbnails.job().error} />
          <Show when={current()} fallback={<Empty>Choose a {divided ? "submission" : "frame"}. Enter opens its calls.</Empty>}>
            {(frame) => (
              <>
                <h2>{divided ? "Submission" : "Frame"} {grouped(frame().frame)}</h2>
                <Show when={thumbnails.picture(frame().frame)}>{(picture) => <img class="large" src={picture().file} alt={`Frame ${frame().frame}`} />}</Show>
                <dl class="facts">
                  <dt>Begins, takes</dt>
                  <dd>{time(frame().begin_ns)}, {time(frame().end_ns - frame().begin_ns)}</dd>
                  <dt>Calls</dt>
                  <dd>
                    <Show when={frame().first_call} fallback="none">
                      <a href={link({ view: "calls", frame: frame().frame, call: frame().first_call ?? undefined, more: { mode: "tree" } })}>
                        {frame().first_call} to {frame().last_call}
                      </a>
                    </Show>
                  </dd>
                  <dt>Ended by</dt>
                  <dd>{frame().source ?? "the end of the trace"}</dd>
                  <dt>Picture</dt>
                  <dd>{drawn() ? (<Show when={thumbnails.picture(frame().frame)?.resource} fallback="it writes no texture, or none is read yet">{(id) => <a href={link({ view: "resources", object: id(), call: thumbnails.picture(frame().frame)?.call })}>resource {id()} after it</a>}</Show>) : frame().image ? `${frame().image?.width} × ${frame().image?.height}, ${brief(frame().image?.format ?? "")}` : "not recorded"}</dd>
                  <Show when={frame().image}>
                    <dt>Hash</dt>
                    <dd class="mono">{frame().image?.hash}</dd>
                  </Show>
                </dl>
              </>
            )}
          </Show>
        </section>
      }
    />
  );
}
