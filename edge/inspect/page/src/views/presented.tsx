// What both sides presented: which frames differ, and the pictures of one.

import { createEffect, createSignal, For, onCleanup, Show, type JSX } from "solid-js";
import { useItems } from "../items.ts";
import { useJob, type Job } from "../job.ts";
import { Problem, Progress } from "../notice.tsx";
import * as pixels from "../pixels.ts";
import { go, place } from "../place.ts";
import { PicturePair } from "./pair.tsx";

/** Buttons of a strip at most. */
const MOST = 2000;

export interface FramePair {
  readonly frame: number;
  /** Null: it is not known. */
  readonly equal: boolean | null;
}

/** A button for each frame. `unknown`: what one is of which nothing is known. */
export function FrameStrip(props: { frames: readonly FramePair[]; unknown: string }): JSX.Element {
  return (
    <div class="strip" role="group" aria-label="Frames">
      <For each={props.frames.slice(0, MOST)}>
        {(frame) => (
          <button
            class={frame.equal === true ? "same" : frame.equal === false ? "different" : "unhashed"}
            aria-pressed={place().frame === frame.frame}
            aria-label={`Frame ${frame.frame}: ${frame.equal === true ? "equal" : frame.equal === false ? "different" : props.unknown}`}
            title={`Frame ${frame.frame}`}
            onClick={() => go({ frame: frame.frame, tab: "pictures" }, true)}
          >
            {frame.equal === false ? "≠" : ""}
          </button>
        )}
      </For>
    </div>
  );
}

/** The pictures of one frame: what each side presented. `differs`: it is known that the frames are not the same. */
export function FramePictures(props: { frame: number; differs?: boolean | undefined }): JSX.Element {
  const equal = () => (props.differs ? "Red, green and blue are equal: the frames differ in their opacity." : undefined);
  const one = (t: number) => useJob(() => ({ t, body: { kind: "thumbnails", frames: [props.frame, props.frame], size: 4096 } }));
  const [a, b] = [one(0), one(1)];
  const [left, right] = [useImage(a), useImage(b)];
  return (
    <div class="stack">
      <Progress job={a()} what={`Replaying A to frame ${props.frame}`} />
      <Progress job={b()} what={`Replaying B to frame ${props.frame}`} />
      <Problem text={left().error} />
      <Problem text={right().error} />
      <Show when={left().texels && right().texels && { a: left().texels as pixels.Texels, b: right().texels as pixels.Texels }} keyed>
        {(both) => <PicturePair a={both.a} b={both.b} what={`Frame ${props.frame}`} format="UNORM" equal={equal()} />}
      </Show>
    </div>
  );
}

interface Loaded {
  readonly texels: pixels.Texels | undefined;
  readonly error: string | undefined;
}

/** The texels of a thumbnail in its full size. */
function useImage(job: () => Job): () => Loaded {
  const [loaded, set] = createSignal<Loaded>({ texels: undefined, error: undefined });
  const list = useItems<{ frame: number; file: string; width: number; height: number }>(job);
  createEffect(() => {
    list()?.want(0, 1);
    const item = list()?.item(0);
    set({ texels: undefined, error: undefined });
    if (item === undefined) return;
    let ended = false;
    onCleanup(() => {
      ended = true;
    });
    const image = new Image();
    image.onload = () => {
      if (ended) return;
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const pen = canvas.getContext("2d", { willReadFrequently: true });
      pen?.drawImage(image, 0, 0);
      const data = pen?.getImageData(0, 0, canvas.width, canvas.height);
      if (!data) return;
      set({ texels: { width: data.width, height: data.height, channels: 4, kind: "f32", values: Float32Array.from(data.data, (byte) => byte / 255) }, error: undefined });
    };
    image.onerror = () => {
      if (!ended) set({ texels: undefined, error: "The picture cannot be read." });
    };
    image.src = item.file;
  });
  return loaded;
}
