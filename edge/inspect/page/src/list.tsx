// Rows of a list of any length, of which those in the window are elements.

import { createEffect, createMemo, createSignal, createUniqueId, For, Index, on, onCleanup, onMount, Show, type Accessor, type JSX } from "solid-js";
import { exact, lastTop, reveal, scaleOf, scrollOf, topOf } from "./scale.ts";

export interface Column {
  readonly title: string;
  /** Width as in `grid-template-columns`. */
  readonly width: string;
  readonly right?: boolean;
}

export interface ListProps {
  /** What the list is, for those who do not see it. */
  readonly label: string;
  readonly count: number;
  readonly columns: readonly Column[];
  readonly rowHeight?: number;
  readonly selected: number | null;
  readonly onSelect: (row: number) => void;
  readonly onOpen?: (row: number) => void;
  /** Keys that the list does not know. True: it is done. */
  readonly onKey?: (event: KeyboardEvent, row: number | null) => boolean;
  readonly onWindow?: (first: number, count: number) => void;
  /** Cells of a row, each with `class="cell"` and `role="gridcell"`: see `Cell`. */
  readonly children: (row: Accessor<number>) => JSX.Element;
  readonly rowClass?: (row: number) => string;
  readonly tree?: (row: number) => { level: number; open: boolean | undefined } | undefined;
  readonly header?: boolean;
  readonly empty?: JSX.Element;
}

const HEADER = 22;

export function Cell(props: { children?: JSX.Element; right?: boolean; mono?: boolean; title?: string | undefined }): JSX.Element {
  return (
    <div class="cell" classList={{ right: props.right ?? false, mono: props.mono ?? false }} role="gridcell" title={props.title}>
      {props.children}
    </div>
  );
}

export function List(props: ListProps): JSX.Element {
  const id = createUniqueId();
  let scroller!: HTMLDivElement;
  const rowHeight = () => props.rowHeight ?? 20;
  const header = () => (props.header === false ? 0 : HEADER);
  const [height, setHeight] = createSignal(0);
  const [top, setTop] = createSignal(0);
  const scale = createMemo(() => scaleOf(props.count, rowHeight(), height()));
  const place = createMemo(() => Math.min(top(), lastTop(scale())));
  const first = createMemo(() => Math.floor(place() / rowHeight()));
  const shown = createMemo(() => Math.max(0, Math.min(Math.ceil(height() / rowHeight()) + 1, props.count - first())));
  const slots = createMemo(() => Array.from({ length: shown() }, (_, slot) => first() + slot));

  let lastScroll = 0;
  const move = (to: number) => {
    setTop(Math.min(lastTop(scale()), Math.max(0, to)));
    lastScroll = scrollOf(scale(), top());
    scroller.scrollTop = lastScroll;
  };
  const scrolled = () => {
    const now = scroller.scrollTop;
    const step = now - lastScroll;
    lastScroll = now;
    // Our own move, come back.
    if (Math.abs(now - scrollOf(scale(), top())) < 1.5) return;
    // A finger moves by pixels of the list, a dragged scroll bar by parts of the whole.
    if (!exact(scale()) && Math.abs(step) < height() * 2 && now > 0) setTop(Math.min(lastTop(scale()), Math.max(0, top() + step)));
    else setTop(topOf(scale(), now));
  };
  const wheel = (event: WheelEvent) => {
    if (exact(scale()) || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? rowHeight() : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? height() : 1;
    move(top() + event.deltaY * unit);
  };

  onMount(() => {
    const measure = () => setHeight(Math.max(0, scroller.clientHeight - header()));
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    measure();
    scroller.addEventListener("wheel", wheel, { passive: false });
    onCleanup(() => observer.disconnect());
  });
  createEffect(() => props.onWindow?.(first(), shown()));
  createEffect(
    on([() => props.selected, height, () => props.count], ([selected, space]) => {
      if (selected === null || selected < 0 || selected >= props.count || space === 0) return;
      const to = reveal(scale(), place(), selected, rowHeight());
      if (to === place()) return;
      // From afar the row comes to the middle: what stands around it is wanted, too.
      const far = Math.abs(to - place()) > space;
      queueMicrotask(() => move(far ? selected * rowHeight() - space / 2 : to));
    }),
  );

  const select = (row: number) => {
    if (props.count > 0) props.onSelect(Math.min(props.count - 1, Math.max(0, row)));
  };
  const key = (event: KeyboardEvent) => {
    if (event.target !== scroller || event.altKey) return;
    const row = props.selected;
    if (props.onKey?.(event, row)) {
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(height() / rowHeight()) - 1);
    const from = row ?? first() - 1;
    switch (event.key) {
      case "ArrowDown": select(from + 1); break;
      case "ArrowUp": select((row ?? first() + 1) - 1); break;
      case "PageDown": select(from + page); break;
      case "PageUp": select((row ?? first()) - page); break;
      case "Home": select(0); break;
      case "End": select(props.count - 1); break;
      case "Enter":
        if (row === null) return;
        props.onOpen?.(row);
        break;
      default: return;
    }
    event.preventDefault();
  };

  const active = () => (props.selected !== null && slots().includes(props.selected) ? `${id}-${props.selected}` : undefined);
  return (
    <div
      class="list"
      ref={scroller}
      tabindex={0}
      role={props.tree ? "treegrid" : "grid"}
      aria-label={props.label}
      aria-rowcount={props.count + (header() > 0 ? 1 : 0)}
      aria-activedescendant={active()}
      onScroll={scrolled}
      onKeyDown={key}
      style={{ "--columns": props.columns.map((column) => column.width).join(" "), "--row": `${rowHeight()}px` }}
    >
      <Show when={header() > 0}>
        <div role="rowgroup" class="head">
          <div class="row" role="row" aria-rowindex={1}>
            <For each={props.columns}>
              {(column) => (
                <div class="cell" classList={{ right: column.right ?? false }} role="columnheader">
                  {column.title}
                </div>
              )}
            </For>
          </div>
        </div>
      </Show>
      <div class="space" role="none" style={{ height: `${scale().spacer}px` }}>
        <div class="window" role="rowgroup" style={{ top: `${header()}px`, height: `${Math.min(height(), scale().spacer)}px` }}>
          <div class="shift" role="none" style={{ transform: `translateY(${first() * rowHeight() - place()}px)` }}>
            <Index each={slots()}>
              {(row) => (
                <div
                  class={`row ${row() === props.selected ? "selected" : row() % 2 === 1 ? "odd" : ""} ${props.rowClass?.(row()) ?? ""}`}
                  role="row"
                  id={`${id}-${row()}`}
                  aria-rowindex={row() + (header() > 0 ? 2 : 1)}
                  aria-selected={row() === props.selected}
                  aria-level={props.tree?.(row())?.level}
                  aria-expanded={props.tree?.(row())?.open}
                  onMouseDown={(event) => {
                    if (event.button === 0) props.onSelect(row());
                  }}
                  onDblClick={() => props.onOpen?.(row())}
                >
                  {props.children(row)}
                </div>
              )}
            </Index>
          </div>
        </div>
      </div>
      <Show when={props.count === 0 && props.empty}>
        <div role="none" class="empty">{props.empty}</div>
      </Show>
    </div>
  );
}
