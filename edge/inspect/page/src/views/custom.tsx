// A picture as a pixel shader of the user's shows it.

import { createMemo, createSignal, Show, type JSX } from "solid-js";
import { text } from "../answer.ts";
import { attach, type Attachment } from "../attached.ts";
import type { Picture } from "../api.ts";
import { useExport } from "../export.tsx";
import { useJob } from "../job.ts";
import { Empty, Problem, Progress } from "../notice.tsx";
import { trace } from "../place.ts";
import type * as pixels from "../pixels.ts";
import { useTexels } from "./picture.tsx";
import { TexelView } from "./texels.tsx";

const FIRST = `cbuffer View : register(b0) { uint2 size; uint mip; uint slice; float2 range; uint sample_index; uint call; };
Texture2D<float4> texels : register(t0); // <uint4> or <int4> where the format has whole numbers

float4 main(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    return 1 - texels.Load(int3(position.xy, 0));
}
`;

/** The shader lasts as long as the page: it is of no picture. */
const [source, setSource] = createSignal(FIRST);
const [compiled, setCompiled] = createSignal<File>();

/** `question`: that of the picture, with its parts. */
export function CustomView(props: { question: object; call: number; command: readonly string[] }): JSX.Element {
  const [asked, setAsked] = createSignal<{ files: Record<string, string>; shader: string } | null>(null);
  const [problem, setProblem] = createSignal<string>();
  const job = useJob(() => (asked() === null ? null : { t: trace()?.t ?? 0, body: { ...props.question, kind: "view", call: props.call, ...asked() } }));
  const told = createMemo(() => (asked() !== null && job().state?.state === "done" ? (job().state?.result as unknown as Picture) : undefined));
  const [texels, wrong] = useTexels(told);
  const show = async (event?: Event) => {
    event?.preventDefault();
    setProblem(undefined);
    const file = compiled();
    const one: Attachment = file ? { name: "view.dxil", file } : { name: "view.hlsl", text: source() };
    try {
      setAsked({ files: await attach([one]), shader: one.name });
    } catch (error) {
      setProblem(text(error));
    }
  };
  useExport(() => ({ command: [...props.command, "--shader", compiled() ? "view.dxil" : "view.hlsl", "-o", "view.png"], json: async () => told() }));
  return (
    <div class="stack">
      <form class="editor" onSubmit={(event) => void show(event)} aria-label="A pixel shader of your own">
        <Show when={compiled()} fallback={
          <textarea
            class="mono" rows="8" spellcheck={false} aria-label="Pixel shader in HLSL" value={source()} onInput={(event) => setSource(event.currentTarget.value)}
            onKeyDown={(event) => { if (event.key === "Enter" && event.ctrlKey) void show(event); }}
          />
        }>
          {(file) => <p class="indent"><span class="mono"><bdi>{file().name}</bdi></span> <button type="button" class="small" onClick={() => setCompiled(undefined)}>Remove</button></p>}
        </Show>
        <div class="toolbar">
          <button type="submit" title="Ctrl + Enter">Show</button>
          <label class="button">Compiled shader <input class="unseen" type="file" aria-label="Compiled shader (DXIL or DXBC)" onChange={(event) => { setCompiled(event.currentTarget.files?.[0]); event.currentTarget.value = ""; }} /></label>
          <span class="faint">It runs once for each texel. HLSL needs the program dxc beside the server; DXIL and DXBC do not.</span>
        </div>
      </form>
      <Problem text={problem() ?? wrong()} />
      <Show when={asked()} fallback={<Empty>Show draws the texture through this shader.</Empty>}><Progress job={job()} what="Drawing through the shader" /></Show>
      <Show when={texels()} keyed>
        {(all: pixels.Texels) => <TexelView texels={all} format="FLOAT" range={[0, 1]} />}
      </Show>
    </div>
  );
}
