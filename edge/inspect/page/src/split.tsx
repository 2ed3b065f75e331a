// Two panes and a bar between them that is moved by the pointer or by arrow keys.

import { createSignal, type JSX } from "solid-js";

/** Sizes last as long as the page: a view that comes back looks as it was left. */
const sizes = new Map<string, number>();

export function Split(props: { name: string; first: JSX.Element; second: JSX.Element; down?: boolean; start?: number }): JSX.Element {
  let box!: HTMLDivElement;
  const [share, setShare] = createSignal(sizes.get(props.name) ?? props.start ?? 0.5);
  const set = (value: number) => {
    setShare(Math.min(0.9, Math.max(0.1, value)));
    sizes.set(props.name, share());
  };
  const drag = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement;
    bar.setPointerCapture(event.pointerId);
    const move = (to: PointerEvent) => {
      const area = box.getBoundingClientRect();
      set(props.down ? (to.clientY - area.top) / area.height : (to.clientX - area.left) / area.width);
    };
    bar.addEventListener("pointermove", move);
    bar.addEventListener("lostpointercapture", () => bar.removeEventListener("pointermove", move), { once: true });
    event.preventDefault();
  };
  const key = (event: KeyboardEvent) => {
    const less = props.down ? "ArrowUp" : "ArrowLeft";
    const more = props.down ? "ArrowDown" : "ArrowRight";
    if (event.key !== less && event.key !== more) return;
    set(share() + (event.key === more ? 0.02 : -0.02));
    event.preventDefault();
  };
  return (
    <div
      class="split"
      classList={{ down: props.down ?? false }}
      ref={box}
      style={{ [props.down ? "grid-template-rows" : "grid-template-columns"]: `minmax(0, ${share()}fr) 5px minmax(0, ${1 - share()}fr)` }}
    >
      <div class="pane">{props.first}</div>
      <div
        class="bar"
        role="separator"
        tabindex={0}
        aria-label={`Size of ${props.name}`}
        aria-orientation={props.down ? "horizontal" : "vertical"}
        aria-valuenow={Math.round(share() * 100)}
        aria-valuemin={10}
        aria-valuemax={90}
        onPointerDown={drag}
        onKeyDown={key}
      />
      <div class="pane">{props.second}</div>
    </div>
  );
}
