// From a wrong pixel to the right one, as docs/manual/wrong-pixel.md tells it: a click, the pixel's history, the draw that wrote it, its shader line by
// line, an edit, and the pixel after it. What the page shows is held against what `reprise` prints; the time is measured.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { lastDraw, open, settled, violations, visit } from "./page.ts";
import { browser, folder, golden, program, run, serve, type Server } from "./server.ts";

/** The green gear at this place should be red. */
const [X, Y] = [200, 200];
/** Three floats: red. */
const RED = Buffer.from(new Float32Array([1, 0, 0]).buffer);
const SECOND = 1000;

let chromium: Browser;
let server: Server;
let trace: string;
before(async () => {
  chromium = await browser();
  trace = join(folder, "story.reprise");
  copyFileSync(golden("gears"), trace);
  server = await serve(trace);
});
after(async () => {
  server.end();
  await chromium.close();
});

/** Clicks a texel of the picture, a texel a pixel. */
async function click(page: Page, x: number, y: number): Promise<void> {
  await page.getByRole("application", { name: /^Picture/ }).focus();
  await page.keyboard.press("1");
  const box = (await page.locator(".surface canvas").boundingBox())!;
  const size = 300;
  await page.mouse.click(Math.round(box.x + Math.round((box.width - size) / 2) + x) + 0.5, Math.round(box.y + Math.round((box.height - size) / 2) + y) + 0.5);
}

/** The numbers of the pixel before or after the edits. */
async function numbers(page: Page, index: 0 | 1): Promise<number[]> {
  const said = await page.getByRole("group", { name: "The pixel before and after" }).locator(".pixel .mono").nth(index).innerText();
  return said.replace(/[()]/g, "").split(", ").map((one) => Math.fround(Number(one)));
}

async function apply(page: Page, script: string): Promise<void> {
  await page.getByRole("textbox", { name: "Edits, one a line" }).fill(script);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText(/\d+ (calls?|stores?) (changed|dropped)/).waitFor({ timeout: 120 * SECOND });
  await page.getByRole("group", { name: "The pixel before and after" }).locator(".pixel").nth(1).waitFor();
}

/** The pixel by the command, after a call. */
function pixelOf(call: number, ...more: string[]): number[] {
  const said = JSON.parse(run("reprise", ["show", "--json", "--call", String(call), "--target", "0", "--pixel", `${X},${Y}`, ...more, trace])) as { pixels: { values: number[] }[] };
  return said.pixels[0]!.values.map(Math.fround);
}

const isGreen = ([red = 1, green = 0]: readonly number[]) => red === 0 && green > 0.5;
const isRed = ([red = 0, green = 1]: readonly number[]) => red > 0.5 && green === 0;

test("a wrong pixel becomes right, from the click to the edit, in less than a minute", async (context) => {
  const began = Date.now();
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  // The wrong pixel, in the picture of the frame.
  await visit(page, `calls?call=${await lastDraw(page, 0, 3)}&tab=targets`);
  await click(page, X, Y);
  const history = page.getByRole("region", { name: "Calls that may write the pixel" });
  await history.waitFor({ timeout: 120 * SECOND });
  await page.waitForFunction(([x, y]) => location.hash.includes(`pixel=${x}%2C${y}`), [X, Y]);
  // Its history names the draw that wrote it, and the fragment.
  const row = history.locator("tbody tr", { hasText: "DrawIndexedInstanced" }).filter({ has: page.locator("b", { hasText: /^written$/ }) });
  assert.equal(await row.count(), 1);
  const call = Number(await row.locator("td").first().innerText());
  const fragment = history.locator("tr.fragment", { hasText: "fragment 0" });
  await fragment.getByRole("link", { name: "Debug" }).click();
  // Its shader, step by step: the colour is the one that goes in.
  const verdict = page.getByRole("group", { name: "Comparison with the GPU" });
  await verdict.waitFor({ timeout: 120 * SECOND });
  assert.match(await verdict.innerText(), /^(equal|open): /);
  const current = page.locator(".source .row.current");
  await current.waitFor();
  const values = page.getByRole("region", { name: "Values" });
  const input = await values.locator("tr", { hasText: "COLOR" }).innerText();
  assert.match(input, /\(0\.0, 0\.7\d+, 0\.1\d+, 1\.0\)/);
  // Line by line to the one that writes green.
  for (let step = 0; step < 40 && !/SV_TARGET\[1\]/.test(await values.innerText()); step += 1) await page.keyboard.press("F10");
  await page.keyboard.press("Shift+F10");
  await page.keyboard.press("F11");
  assert.match(await current.innerText(), /dx\.op\.intrinsic\(i32 5, i32 0, i32 0, i32 1, %4\)/);
  assert.match(await current.innerText(), /SV_TARGET\[1\] = 0\.7\d+/);
  // The gear's colour is in the instances' buffer: another one there.
  await page.getByRole("tab", { name: "Edit" }).click();
  await page.getByLabel("Attach file").setInputFiles({ name: "red.bin", mimeType: "application/octet-stream", buffer: RED });
  await apply(page, 'buffer 20+28 = "red.bin"');
  const [wrong, right] = [await numbers(page, 0), await numbers(page, 1)];
  const took = (Date.now() - began) / SECOND;
  assert.ok(isGreen(wrong) && isRed(right), `${wrong} became ${right}`);
  context.diagnostic(`from the page to the right pixel: ${took.toFixed(1)} s`);
  assert.ok(took < 60, `it took ${took} s`);
  // As the command says.
  const red = join(folder, "red.bin");
  writeFileSync(red, RED);
  assert.deepEqual(wrong, pixelOf(call));
  assert.deepEqual(right, pixelOf(call, "-e", `buffer 20+28 = "${red}"`));
  assert.deepEqual(await violations(page), []);
  // The control: with an edit of something else, and with none, the pixel stays wrong.
  await apply(page, `call ${call - 2}: drop`);
  assert.deepEqual([await numbers(page, 0), await numbers(page, 1)], [wrong, wrong]);
  await close();
});

test("the debugger steps both ways, to lines and by the list, and says what it compared", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  await visit(page, "calls?call=155&tab=debug");
  // By the form.
  await page.getByLabel("Vertex or pixel").selectOption("pixel");
  await page.getByLabel("Column").fill(String(X));
  await page.getByLabel("Row").fill(String(Y));
  await page.getByRole("button", { name: "Debug", exact: true }).click();
  await page.locator(".source .row.current").waitFor({ timeout: 120 * SECOND });
  const said = JSON.parse(run("reprise", ["debug", "--json", trace, "155", "--pixel", `${X},${Y}`])) as { steps: { step: number; instruction: string; dxil?: { line: number } }[]; check: { outputs: { verdict: string }[] } };
  const at = async () => Number(/step (\d+) of/.exec(await page.getByRole("toolbar", { name: "Steps" }).innerText())?.[1]);
  const line = (step: number) => said.steps[step - 1]?.dxil?.line;
  assert.equal(await at(), 1);
  const open_ = said.check.outputs.some((one) => one.verdict === "open");
  assert.ok((await page.getByRole("group", { name: "Comparison with the GPU" }).innerText()).startsWith(open_ ? "open: " : "equal: "));
  await page.keyboard.press("F11");
  await page.keyboard.press("F11");
  assert.equal(await at(), 3);
  await page.keyboard.press("Shift+F11");
  assert.equal(await at(), 2);
  await page.keyboard.press("F10");
  assert.equal(await at(), said.steps.find((one) => one.step > 2 && one.dxil && one.dxil.line !== line(2))?.step);
  // To a line that is chosen in the source: its first step behind this one.
  const target = said.steps.at(-2)!.dxil!.line;
  await page.locator(".source .row").nth(target - 1).click();
  await page.keyboard.press("F9");
  assert.equal(await at(), said.steps.find((one) => one.dxil?.line === target)?.step);
  await page.keyboard.press("F8");
  assert.match(await page.getByRole("toolbar", { name: "Steps" }).innerText(), /No later step gives a NaN/);
  await page.getByRole("button", { name: "Last", exact: true }).click();
  assert.equal(await at(), said.steps.length);
  // The place is in the link.
  await page.reload();
  await page.locator(".source .row").first().waitFor({ timeout: 120 * SECOND });
  assert.equal(await at(), said.steps.length);
  // What cannot be is said in the command's words.
  await page.getByLabel("Column").fill("1");
  await page.getByLabel("Row").fill("1");
  await page.getByRole("button", { name: "Debug", exact: true }).click();
  await page.getByRole("alert").waitFor({ timeout: 120 * SECOND });
  assert.match(await page.getByRole("alert").innerText(), /the draw has no fragment at this pixel/);
  await page.keyboard.press("?");
  assert.match(await page.getByRole("dialog").innerText(), /Debugger[\s\S]*F10/);
  await page.keyboard.press("Escape");
  // A vertex of the table.
  await visit(page, "calls?call=155&tab=mesh");
  await page.locator('[role="grid"][aria-label="Vertices"] .row').nth(4).click();
  await page.getByRole("link", { name: "Debug" }).click();
  await page.getByRole("group", { name: "Comparison with the GPU" }).waitFor({ timeout: 120 * SECOND });
  assert.match(await page.getByRole("group", { name: "Comparison with the GPU" }).innerText(), /^(equal|open): [\s\S]*vertex shader [\s\S]*vertex 3, instance 0/);
  assert.match(await page.locator(".export code").innerText(), /^reprise debug .*story\.reprise 155 --vertex 3 --instance 0$/);
  assert.deepEqual(await violations(page), []);
  await close();
});

test("HLSL that a container has is stepped through line by line, with the values of its variables", async () => {
  const [plain, lines] = [join(folder, "plain.reprise"), join(folder, "lines.reprise")];
  run("reprise", ["capture", "-q", "-o", plain, "--", program("reprise-programs"), "--shaders", "dxil", "filters"]);
  const first = (trace: string, method: string) => JSON.parse(run("reprise", ["dump", "--json", "--methods", method, trace]).split("\n")[0]!) as { call: number; args: { ppPipelineState: { id: number } } };
  // A shader with debug information in the place of the program's.
  const shader = join(golden("x"), "../../../../../dxbc/tests/lines.dxil");
  const source = readFileSync(shader.replace(/dxil$/, "hlsl"), "utf8").split("\n");
  const pipeline = first(plain, "CreateComputePipelineState").args.ppPipelineState.id;
  run("reprise", ["edit", "-q", plain, "-e", `shader of ${pipeline} CS = "${shader}"`, "-o", lines]);
  const { call } = first(lines, "Dispatch");
  const other = await serve(lines);
  const { page, close } = await open(chromium, other.url);
  await settled(page);
  await visit(page, `calls?call=${call}&tab=debug`);
  await page.getByLabel("Thread x").fill("5");
  await page.getByRole("button", { name: "Debug", exact: true }).click();
  await page.locator(".source .row.current").waitFor({ timeout: 120 * SECOND });
  assert.match(await page.getByRole("group", { name: "Comparison with the GPU" }).innerText(), /^(equal|open): [\d,]+ /);
  const rows = await page.locator(".source .row").evaluateAll((all) => all.map((row) => row.children[2]?.textContent ?? ""));
  assert.deepEqual(rows, source.slice(0, rows.length));
  assert.ok(rows.length >= 14);
  // Line by line: 5 * 0.25 * (5 + 1.5), and 2 less than its root.
  const number = (text: string) => source.findIndex((line) => line.includes(text)) + 1;
  const way: number[] = [];
  for (let step = 0; step < 12; step += 1) {
    const line = Number(await page.locator(".source .row.current").locator(".cell").nth(1).innerText());
    if (way.at(-1) !== line) way.push(line);
    await page.keyboard.press("F10");
  }
  // The compiler makes the handle of the buffer first, for the line that writes to it.
  assert.deepEqual(way.slice(0, 5), [number("results[thread"), number("float2 uv"), number("float scaled"), number("if (thread"), number("sqrt(scaled)")]);
  await page.getByRole("button", { name: "Last", exact: true }).click();
  const values = page.getByRole("region", { name: "Values" });
  assert.match(await values.locator("tr", { hasText: /^scaled/ }).innerText(), /^scaled\s+0\.8504386/);
  const of = (text: string) => page.locator(".source .row").nth(number(text) - 1).locator(".cell").nth(3).innerText();
  assert.match(await of("float scaled"), /scaled = 8\.125/);
  assert.match(await of("sqrt(scaled)"), /scaled = 0\.8504386/);
  // The same steps as lines of the shader itself.
  await page.getByRole("button", { name: "Code", exact: true }).click();
  await page.locator(".source .row", { hasText: "fmul" }).first().waitFor();
  await page.getByRole("button", { name: "HLSL", exact: true }).click();
  // A changed copy goes into the editor with the line that replaces it.
  await page.getByRole("tab", { name: "Pipeline" }).click();
  await page.getByRole("tab", { name: "CS" }).click();
  await page.getByRole("link", { name: "Edit this shader" }).click();
  const text = page.getByRole("textbox", { name: `Text of cs-${pipeline}.hlsl` });
  await text.waitFor();
  assert.equal(await text.inputValue(), source.join("\n"));
  assert.equal((await page.getByRole("textbox", { name: "Edits, one a line" }).inputValue()).trim(), `shader of ${pipeline} CS = "cs-${pipeline}.hlsl" entry main`);
  assert.deepEqual(await violations(page), []);
  await close();
  other.end();
});

test("edits that cannot be are refused with the reason, and an edited trace is saved once", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  await visit(page, "calls?call=155&tab=edit&pixel=200%2C200");
  const script = page.getByRole("textbox", { name: "Edits, one a line" });
  for (const [wrong, why] of [["call 155: fly", /edits, line 1, column \d+/], ['buffer 20 = "other.bin"', /not attached/], ["call 155: IndexCount = 3", /IndexCount/]] as const) {
    await script.fill(wrong);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").filter({ hasText: why }).waitFor({ timeout: 120 * SECOND });
  }
  await script.fill("call 155: drop");
  await page.getByLabel("Name of the new trace").fill("../x.reprise");
  await page.getByRole("button", { name: "Save as trace" }).click();
  await page.getByRole("alert").filter({ hasText: /name is that of a new trace/ }).waitFor();
  await page.getByLabel("Name of the new trace").fill("saved.reprise");
  await page.getByRole("button", { name: "Save as trace" }).click();
  await page.getByText(/^written: /).waitFor({ timeout: 120 * SECOND });
  assert.ok(existsSync(join(folder, "saved.reprise")) && !existsSync(join(folder, "..", "x.reprise")));
  const info = JSON.parse(run("reprise", ["info", "--json", join(folder, "saved.reprise")])) as { edited: { edits: string[] } };
  assert.deepEqual(info.edited.edits, ["call 155: drop"]);
  // It is there now.
  await page.getByRole("button", { name: "Save as trace" }).click();
  await page.getByRole("alert").filter({ hasText: /is there already/ }).waitFor();
  assert.equal(readdirSync(folder).filter((name) => name.endsWith(".reprise") && name.startsWith("saved")).length, 1);
  assert.deepEqual(await violations(page), []);
  await close();
});

test("the debugger steps through a command of an indirect call", async () => {
  const other = await serve(golden("indirect-state"));
  const { page, close } = await open(chromium, other.url, "#v1/calls?call=51&tab=debug");
  await settled(page);
  await page.getByLabel("Vertex, pixel or thread").selectOption("vertex");
  const step = async (command: string) => {
    await page.getByLabel("command").fill(command);
    await page.getByRole("button", { name: "Debug", exact: true }).click();
    await page.waitForFunction((end) => location.hash.includes(`debug=51.vertex.0.instance.0.command.${end}`), command);
  };
  await step("1");
  await page.getByRole("group", { name: "Comparison with the GPU" }).waitFor({ timeout: 120 * SECOND });
  assert.match(await page.getByRole("group", { name: "Comparison with the GPU" }).innerText(), /^equal: /);
  await step("99");
  await page.getByRole("alert").filter({ hasText: "there is no command 99" }).waitFor({ timeout: 120 * SECOND });
  assert.deepEqual(await violations(page), []);
  await close();
  other.end();
});

test("the editor sends every file of the draft, for a shader may include any", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  await visit(page, "calls?call=155&tab=edit&pixel=200%2C200");
  await page.getByLabel("Attach file").setInputFiles(["lib.h", "more.hlsli"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("float f();") })));
  const asked = page.waitForRequest((request) => request.url().endsWith("/api/0/jobs") && (request.postDataJSON() as { kind: string }).kind === "edit");
  await page.getByRole("textbox", { name: "Edits, one a line" }).fill("call 155: drop");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("1 call dropped").waitFor({ timeout: 120 * SECOND });
  assert.deepEqual(Object.keys((((await asked).postDataJSON()) as { files: object }).files).sort(), ["lib.h", "more.hlsli"]);
  await close();
});

test("a texture is shown through a shader of one's own", async () => {
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  await visit(page, "calls?call=155&tab=targets");
  await page.getByRole("button", { name: "Shader", exact: true }).click();
  await page.getByRole("textbox", { name: "Pixel shader in HLSL" }).waitFor();
  // HLSL that reads other files is refused, also where there is a compiler.
  await page.getByRole("textbox", { name: "Pixel shader in HLSL" }).fill('#include "/etc/hostname"');
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: /no other file of this machine/ }).waitFor();
  await page.getByLabel("Compiled shader (DXIL or DXBC)").setInputFiles(join(golden("x"), "../../../../../programs/shaders/custom_views.floats.dxil"));
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".surface canvas").waitFor({ timeout: 120 * SECOND });
  await page.getByRole("application", { name: /^Picture/ }).focus();
  await page.keyboard.press("ArrowRight");
  // What this shader makes of black at the first texel, at call 155, of a range to 1: `custom_views.hlsl`.
  assert.match(await page.locator(".picture .readout").innerText(), /^x 0, y 0: R 1, G 0, B 0, A 4251$/);
  assert.match(await page.locator(".export code").innerText(), /--target 0 --shader view\.dxil/);
  assert.deepEqual(await violations(page), []);
  await close();
});
