// What is pure: scaled scrolling, links, structs, texels, trees, filters. Expectations are written by hand or are models that are simpler than the code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, texelAt, zoomed } from "../src/canvas.ts";
import { plainName } from "../src/attached.ts";
import { settable } from "../src/paths.ts";
import { lines } from "../src/camera.ts";
import { parse as parseFilter } from "../src/filter.ts";
import { between, cells, columns, hottest, ramp } from "../src/heat.ts";
import { read, write, type Place } from "../src/link.ts";
import { at, branch, find, fold, rows, unfold, type Branch } from "../src/outline.ts";
import { difference, paint, range, texels } from "../src/pixels.ts";
import { exact, lastTop, reveal, scaleOf, scrollOf, TALLEST, topOf } from "../src/scale.ts";
import { keyOf, readStepped, seenAt, stepLine, stepTo, verdict, writeStepped, type Step } from "../src/steps.ts";
import { half, ofFormat, parse, values, type Struct } from "../src/struct.ts";
import { bytes, float, word } from "../src/text.ts";
import { tsv } from "../src/tsv.ts";

test("a list of ten million rows reaches its first and its last row, in order", () => {
  const scale = scaleOf(10_000_000, 20, 600);
  assert.equal(scale.spacer, TALLEST);
  assert.ok(!exact(scale));
  assert.equal(topOf(scale, 0), 0);
  assert.equal(topOf(scale, TALLEST - 600), 200_000_000 - 600);
  let before = -1;
  for (let place = 0; place <= TALLEST - 600; place += 9973) {
    const top = topOf(scale, place);
    assert.ok(top > before);
    assert.ok(Math.abs(scrollOf(scale, top) - place) < 1e-6);
    before = top;
  }
  // Each row can be made visible as a whole.
  for (const row of [0, 1, 4_999_999, 9_999_998, 9_999_999]) {
    const top = reveal(scale, 100_000, row, 20);
    assert.ok(row * 20 >= top && row * 20 + 20 <= top + 600 && top <= lastTop(scale));
  }
});

test("a short list is scrolled as it is", () => {
  const scale = scaleOf(100, 20, 600);
  assert.ok(exact(scale));
  for (const place of [0, 1, 777, 1400]) assert.equal(topOf(scale, place), place);
  assert.equal(topOf(scaleOf(3, 20, 600), 50), 0);
});

test("links come back as they were", () => {
  const places: Place[] = [
    { view: "frames", more: {} },
    { view: "calls", trace: "5b0c8a91d2f0", call: 91, frame: 3, object: 22, tab: "pipeline", more: { q: "method:Draw* \"a b\"&c=#?%" } },
    { view: "compare", t: 1, more: { __proto__x: "1" } },
    { view: "costs", frame: 2, more: { sort: "call", of: "frame" } },
  ];
  for (const place of places) assert.deepEqual(read(write(place)), place);
  assert.equal(typeof read("#v2/calls"), "string");
  assert.equal(typeof read("#v1/nothing"), "string");
  assert.equal(typeof read("#v1/calls?call=-1"), "string");
  assert.equal(typeof read("#<img src=x onerror=alert(1)>"), "string");
  const hostile = read("#v1/calls?__proto__=x");
  assert.ok(typeof hostile !== "string" && Object.hasOwn(hostile.more, "__proto__"));
});

function struct(source: string): Struct {
  const made = parse(source);
  assert.ok(typeof made !== "string", String(made));
  return made;
}

test("structs lie as HLSL's structured buffers do", () => {
  const made = struct("struct Vertex { float3 position; // place\n uint color; half2 uv[2]; pad 4; float2x3 m; uint8_t4 bones; unorm84 tint; };");
  assert.deepEqual(
    made.fields.map((field) => [field.name, field.scalar, field.components, field.offset]),
    [
      ["position", "f32", 3, 0], ["color", "u32", 1, 12], ["uv[0]", "f16", 2, 16], ["uv[1]", "f16", 2, 20], ["m.0", "f32", 3, 28], ["m.1", "f32", 3, 40],
      ["bones", "u8", 4, 52], ["tint", "unorm8", 4, 56],
    ],
  );
  assert.equal(made.stride, 60);
  for (const wrong of ["", "float", "nothing x;", "float3 a b;", "constructor x;", "float a[9999];", "pad 5000; uint x;"]) assert.equal(typeof parse(wrong), "string", wrong);
  const view = new DataView(new ArrayBuffer(16));
  view.setFloat32(0, 1.5, true);
  view.setUint8(4, 255);
  view.setBigInt64(8, -2n, true);
  const row = struct("float a; unorm84 b; int64_t c;");
  assert.deepEqual(row.fields.map((field) => values(field, view, 0)), [[1.5], [1, 0, 0, 0], [-2n]]);
  assert.deepEqual(values(row.fields[2]!, view, 8), [null]);
  assert.equal(ofFormat("DXGI_FORMAT_R32G32B32_FLOAT", "p"), "float3 p;");
  assert.equal(ofFormat("DXGI_FORMAT_R16_UINT", "i"), "uint16_t i;");
  assert.equal(ofFormat("DXGI_FORMAT_BC3_UNORM", "i"), null);
});

test("halves are IEEE 754's", () => {
  for (const [bits, value] of [[0x3c00, 1], [0xc000, -2], [0x7bff, 65504], [0x0001, 2 ** -24], [0x0400, 2 ** -14], [0x7c00, Infinity], [0x3555, 0.333251953125]] as const) assert.equal(half(bits), value);
  assert.ok(Number.isNaN(half(0x7e00)));
});

test("texels become bytes by range and channels", () => {
  const one = texels(new Float32Array([0, 0.5, 1, 0.5, NaN, 2, -1, 1, 99, 99, 99, 99]).buffer, "f32", 4, 2, 1, 48);
  assert.ok(typeof one !== "string");
  const look = { low: 0, high: 1, shown: [true, true, true, false] } as const;
  assert.deepEqual([...paint(one, look)], [0, 128, 255, 255, 255, 0, 255, 255]);
  assert.deepEqual([...paint(one, { ...look, shown: [false, true, false, false] })], [128, 128, 128, 255, 255, 255, 255, 255]);
  assert.deepEqual(range(one, [true, true, true, false]), [-1, 2]);
  assert.equal(typeof texels(new ArrayBuffer(8), "f32", 4, 2, 1, 32), "string");
  const padded = texels(new Uint32Array([1, 2, 9, 3, 4, 9]).buffer, "u32", 1, 2, 2, 12);
  assert.ok(typeof padded !== "string");
  assert.deepEqual([...padded.values], [1, 2, 3, 4]);
  const same = difference(one, one);
  assert.ok(typeof same !== "string" && same.different === 0);
});

test("a tree's rows are those of a model that lists them all", () => {
  const root = branch("root", 5);
  interface Model { readonly parent: Branch; readonly index: number; readonly depth: number }
  const model = (node: Branch, depth: number): Model[] =>
    Array.from({ length: node.children }, (_, index) => index).flatMap((index) => {
      const open = node.open.find((child) => child.index === index);
      return [{ parent: node, index, depth }, ...(open ? model(open.branch, depth + 1) : [])];
    });
  // A small generator: the same steps in each run.
  let state = 7;
  const random = (below: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state % below;
  };
  for (let step = 0; step < 300; step += 1) {
    const all = model(root, 0);
    assert.equal(rows(root), all.length);
    all.forEach((want, row) => {
      const got = at(root, row);
      assert.ok(got && got.parent === want.parent && got.index === want.index && got.depth === want.depth);
    });
    assert.equal(at(root, all.length), null);
    const row = at(root, random(all.length));
    assert.ok(row);
    if (row.branch) fold(row.parent, row.index);
    else if (all.length < 200) unfold(row.parent, row.index, branch(`n${step}`, random(5)));
  }
  const tree = branch("root", 3);
  const inner = branch("a", 4);
  unfold(tree, 1, inner);
  unfold(inner, 2, branch("b", 2));
  assert.equal(find(tree, [1, 2, 1]), 6);
  assert.equal(find(tree, [2]), 8);
});

test("searches are the filters of dump", () => {
  assert.deepEqual(parseFilter('method:Draw*,Clear* object:12 frame:3-7 call:9- kind:draw "two words" RENDER'), {
    methods: ["Draw*", "Clear*"], objects: [12], frames: [3, 7], calls: [9, null], kinds: ["draw"], text: "two words RENDER",
  });
  assert.deepEqual(parseFilter("ID3D12Device::CreateFence"), { text: "ID3D12Device::CreateFence" });
  for (const wrong of ["kind:nothing", "frame:7-3", "object:x", "call:-"]) assert.equal(typeof parseFilter(wrong), "string");
});

test("lines of strips and lists", () => {
  const made = lines("D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP", Uint32Array.of(0, 1, 2, 0xffffffff, 3, 4, 5), 100);
  assert.ok(typeof made !== "string");
  assert.deepEqual([...made.lines], [0, 1, 1, 2, 0, 2, 3, 4, 4, 5, 3, 5]);
  const few = lines("D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST", Uint32Array.of(0, 1, 2, 3, 4, 5), 4);
  assert.ok(typeof few !== "string" && few.more === 2);
  assert.equal(typeof lines("D3D_PRIMITIVE_TOPOLOGY_NEW", new Uint32Array(3), 4), "string");
});

test("a zoom keeps the texel under the pointer", () => {
  const window = fit(100, 50, 640, 480);
  const before = texelAt(window, 333, 222);
  assert.deepEqual(texelAt(zoomed(window, 3, 333, 222), 333, 222), before);
});

test("a strip's cells lie side by side, and its columns have the hottest", () => {
  const of = { gpu_ns: [100, 1, null, 10, 0], pixels: [1000, 1, 5, null, 1] };
  const byTime = cells(of, { width: "time", order: "call", colour: "time" });
  assert.deepEqual([...byTime.edges].map((edge) => Math.round(edge * 111)), [0, 100, 101, 101, 111, 111]);
  assert.deepEqual([...byTime.heat], [1, 0, -1, 0.5, 0]);
  assert.deepEqual([byTime.least, byTime.most], [1, 100]);
  const byCost = cells(of, { width: "equal", order: "cost", colour: "time" });
  assert.deepEqual([...byCost.order], [0, 3, 1, 2, 4]);
  assert.deepEqual([...byCost.edges].map((edge) => Math.round(edge * 5)), [0, 1, 2, 3, 4, 5]);
  // By time for each pixel: 0.1, 1, not known, not known, 0.
  const byPixel = cells(of, { width: "equal", order: "call", colour: "pixel" });
  assert.deepEqual([...byPixel.heat], [0, 1, -1, -1, 0]);
  assert.deepEqual([...columns(byTime, 3)], [1, 1, 1]);
  assert.deepEqual([...columns(cells({ gpu_ns: [], pixels: null }, { width: "time", order: "call", colour: "time" }), 2)], [-2, -2]);
  // A model: every cell looked at.
  let state = 11;
  const random = (below: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state % below;
  };
  const many = cells({ gpu_ns: Array.from({ length: 500 }, () => (random(5) === 0 ? 0 : random(1000))), pixels: null }, { width: "time", order: "cost", colour: "time" });
  for (let step = 0; step < 300; step += 1) {
    const from = random(1000) / 1000;
    const to = from + (1 + random(50)) / 1000;
    const there = [...many.order.keys()].filter((place) => many.edges[place + 1]! > from && many.edges[place]! < to && many.edges[place + 1]! > many.edges[place]!);
    const best = there.reduce<number | null>((found, place) => (found === null || many.heat[place]! > many.heat[found]! ? place : found), null);
    assert.equal(hottest(many, from, to), best);
    const [first, end] = between(many, from, to);
    assert.ok(there.every((place) => place >= first && place < end));
  }
  const stops: [string, string, string] = ["rgb(0, 0, 0)", "rgb(100, 200, 0)", "rgb(255, 0, 0)"];
  assert.deepEqual([0, 0.5, 1, 2, 0.25].map((heat) => ramp(stops, heat)), ["rgb(0, 0, 0)", "rgb(100, 200, 0)", "rgb(255, 0, 0)", "rgb(255, 0, 0)", "rgb(50, 100, 0)"]);
});

test("texts", () => {
  assert.equal(float(Math.fround(0.1)), "0.1");
  assert.equal(float(16777216), "16777216");
  assert.equal(bytes(1536), "1.50 KiB");
  assert.equal(word("a b'c"), `'a b'\\''c'`);
  assert.equal(tsv(["a"], [["x\ty\nz"]]), "a\nx y z\n");
});

/** Steps of these lines of HLSL; 0: of none. */
function stepsOf(...lines: number[]): Step[] {
  return lines.map((line, index) => ({ step: index + 1, word: index, instruction: `%${index} = Op`, value: String(index), bits: ["0x0"], line: line === 0 ? null : { file: "a.hlsl", line, column: 1, text: null } }));
}

test("stepping goes from line to line, forth and back", () => {
  const steps = stepsOf(0, 3, 3, 0, 4, 3, 3);
  assert.deepEqual([1, 2, 3, 5, 6, 7].map((from) => stepLine(steps, from, 1, true)), [2, 5, 5, 6, null, null]);
  // Back to the first step of the line before, over steps of no line.
  assert.deepEqual([7, 6, 5, 3, 2, 1].map((from) => stepLine(steps, from, -1, true)), [5, 5, 2, null, null, null]);
  // None of them has a line of the disassembly.
  assert.equal(stepLine(steps, 1, 1, false), null);
  assert.deepEqual([stepTo(steps, 2, 1, (step) => step.word === 5), stepTo(steps, 6, 1, (step) => step.word === 5), stepTo(steps, 7, -1, (step) => step.word === 0)], [6, null, 1]);
});

test("values are the latest ones before a step, by name and by line", () => {
  const [one, two, three, four] = stepsOf(3, 3, 4, 3) as [Step, Step, Step, Step];
  const steps: Step[] = [
    { ...one, variables: ["a"] }, { ...two, variables: ["a", "b"], nan: true }, { ...three, bits: [] },
    { ...four, write: { register: "u0", resource: 11, offset: 20, value: "7" } },
  ];
  const names = (at: number) => seenAt(steps, at, true).values.map((value) => `${value.name}=${value.text}@${value.step}`);
  assert.deepEqual([names(0), names(1), names(3), names(4)], [[], ["a=0@1"], ["a=1@2", "b=1@2"], ["a=1@2", "b=1@2", "u0 + 20=7@4"]]);
  const line = (at: number, number: number) => (seenAt(steps, at, true).lines.get(keyOf({ file: "a.hlsl", line: number })) ?? []).map((value) => value.name);
  assert.deepEqual([line(2, 3), line(4, 3), line(4, 4)], [["a", "b"], ["a", "b", "u0 + 20"], []]);
  assert.deepEqual(seenAt(steps, 2, true).values.map((value) => value.nan), [true, true]);
});

test("the comparison with the GPU says what it comes to", () => {
  const output = (verdict: string) => ({ name: "SV_Target0.x", expected: "1", found: "2", verdict, tolerance: null, open: verdict === "open" ? { word: 0, operation: "Sin: the last bits" } : null });
  const word = { resource: 9, subresource: null, offset: 4, expected: "00", found: "01", open: null as { operation: string } | null };
  const sorts = (check: unknown) => [verdict(check).sort, verdict(check).text];
  assert.deepEqual(sorts(null), ["nothing", "nothing compared"]);
  assert.deepEqual(sorts({ equal: true, outputs: [output("equal"), output("equal")], unseen: [] }), ["equal", "equal: 2 numbers"]);
  assert.deepEqual(sorts({ equal: true, outputs: [output("equal"), output("open")], unseen: [] }), ["open", "open: 1 number of 2, Sin: the last bits"]);
  assert.deepEqual(sorts({ equal: false, outputs: [output("differs"), output("open")], unseen: [] }), ["differs", "differs: 1 number of 2"]);
  assert.deepEqual(sorts({ equal: false, outputs: [], unseen: ["SV_Target0: other fragments are discarded"] }), ["nothing", "nothing compared: SV_Target0: other fragments are discarded"]);
  assert.equal(verdict({ equal: false, outputs: [output("equal")], unseen: ["SV_Target1: why"] }).sort, "open", "what was not compared is never told as equal");
  assert.deepEqual(sorts({ equal: true, whole: true, bytes_compared: 28_864, differences: [], unseen: [] }), ["equal", "equal: 28,864 bytes"]);
  assert.equal(verdict({ equal: true, whole: true, bytes_compared: 8, differences: [{ ...word, open: { operation: "Sqrt" } }], unseen: [] }).sort, "open");
  assert.equal(verdict({ equal: false, whole: true, bytes_compared: 8, differences: [word], unseen: [] }).sort, "differs");
  assert.equal(verdict({ equal: false, whole: true, bytes_compared: 8, differences: [{ ...word, open: { operation: "Sample" }, beyond: true }], unseen: [] }).sort, "differs");
  assert.equal(verdict({ equal: true, left_out: true, differences: [], unseen: [] }).sort, "nothing");
  assert.equal(verdict({ equal: false, whole: true, bytes_compared: 8, differences: [], unseen: [] }).sort, "differs", "the flag is not contradicted");
  // How far what is open may be apart, of outputs and of words in memory.
  const bounds = (more: object) => [verdict({ equal: true, outputs: [{ ...output("open"), ...more }], unseen: [] }), verdict({ equal: true, whole: true, bytes_compared: 8, differences: [{ ...word, open: { operation: "Sin" }, ...more }], unseen: [] })].map((one) => one.more[0]!.replace(/^.*open: Sin(: the last bits)?/, ""));
  assert.deepEqual(bounds({ unbounded: true }), [", not bounded", ", not bounded"]);
  assert.deepEqual(bounds({ unbounded: false }), ["", ""]);
  assert.deepEqual(bounds({ tolerance: 0.5, unbounded: false }), [", by 0.5 at most", ", by 0.5 at most"]);
});

test("links of the debugger come back as they were", () => {
  for (const it of [
    { call: 155, of: { pixel: [200, 100] as const }, narrow: { primitive: 126, instance: 0, submission: 140 } },
    { call: 9, of: { vertex: 7 }, narrow: {} },
    { call: 49, of: { thread: [5, 0, 1] as const }, narrow: { command: 2 } },
  ]) assert.deepEqual(readStepped(writeStepped(it)), it);
  for (const wrong of [undefined, "", "155", "155.pixel.1", "155.vertex.-1", "x.vertex.1", "155.vertex.1.flags.2", "155.thread.1.2"]) assert.equal(readStepped(wrong), null);
});

test("names of attached files lead nowhere else", () => {
  assert.deepEqual(["red.hlsl", "C:\\a b\\ü.dxil", "../x", "", "/etc/passwd", ".hidden", "-o"].map(plainName), ["red.hlsl", "_.dxil", "x", "file", "passwd", "hidden", "o"]);
});

test("arguments have the paths and values that edits write", () => {
  const args = {
    NumViewports: 1, pViewports: [{ Width: 16.5, TopLeftX: 0 }], pInitialState: { id: 13, class: "ID3D12PipelineState" }, Mode: "D3D12_FILL_MODE_WIREFRAME", Flags: "A | B",
    Name: 'a "b"', Other: "gear", Handle: { handle: "0x1", heap: 6, index: 2 }, Place: { address: "0x2", object: 3, offset: 0 }, Code: { blob: 1, kind: "shader", bytes: 4 }, None: null, Big: "0xffffffffffffffff", On: true,
  };
  assert.deepEqual(settable(args).map((one) => `${one.path} = ${one.value}`), [
    "NumViewports = 1", "pViewports[0].Width = 16.5", "pViewports[0].TopLeftX = 0", "pInitialState = ID3D12PipelineState(13)", "Mode = D3D12_FILL_MODE_WIREFRAME", "Flags = A | B",
    'Name = "a \\"b\\""', 'Other = "gear"', "Big = 0xffffffffffffffff", "On = true",
  ]);
  assert.equal(settable({ a: [1, 2, 3] }, 2).length, 2);
});
