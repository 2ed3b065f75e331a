// HLSL that is written on the page: it goes to the compiler, and what comes back is in the picture.
//
// Microsoft's compiler is not among what Debian and the registries have, so a stand-in has its place where the machine has none: a program of its name
// that takes one text only, and gives what the compiler made of that text (`cargo xtask shaders` checks that). Everything else of the way is real.

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { open, settled, violations, visit } from "./page.ts";
import { browser, folder, golden, run, serveWith, shader, type Server } from "./server.ts";

const CALL = 155;
/** Of the green gear. */
const [X, Y] = [200, 200];
const TEXT = readFileSync(shader("solid.hlsl"), "utf8");

let chromium: Browser;
let server: Server;
let trace: string;
/** What the stand-in was called with, a line each; null where there is a compiler. */
let called: string | null = null;

before(async () => {
  chromium = await browser();
  trace = join(folder, "compile.reprise");
  copyFileSync(golden("gears"), trace);
  const path = process.env["PATH"] ?? "";
  const real = process.env["REPRISE_DXCOMPILER"] !== undefined || path.split(":").some((place) => existsSync(join(place, "dxc")));
  if (real) {
    server = await serveWith({}, trace);
    return;
  }
  const tools = join(folder, "tools");
  mkdirSync(tools);
  called = join(tools, "called.txt");
  const made = (entry: string) => `${entry}) cat '${shader(`solid.${entry}.dxil`)}' > "$7" ;;`;
  // The name of the file is the page's, its folder the server's.
  const script = `#!/bin/sh
echo "$1 $2 $3 $4 $5 $6 $(basename "$8")" >> '${called}'
[ $# -eq 8 ] && [ "$1 $2 $3 $4 $6" = "-nologo -T ps_6_0 -E -Fo" ] || { echo "unexpected arguments: $*" >&2; exit 2; }
cmp -s "$8" '${shader("solid.hlsl")}' || { echo "$8:1:1: error: this compiler knows one text only" >&2; exit 1; }
case $5 in
  ${made("red")}
  ${made("blue")}
  *) echo "error: missing entry point definition" >&2; exit 1 ;;
esac
`;
  writeFileSync(join(tools, "dxc"), script);
  chmodSync(join(tools, "dxc"), 0o755);
  server = await serveWith({ PATH: `${tools}:${path}` }, trace);
});
after(async () => {
  server.end();
  await chromium.close();
});

/** Plays the trace with the edits, and waits until the pixel is there before and after them. */
async function apply(page: Page, script: string): Promise<number[][]> {
  await page.getByRole("textbox", { name: "Edits, one a line" }).fill(script);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("1 call changed").waitFor({ timeout: 120_000 });
  const pixel = page.getByRole("group", { name: "The pixel before and after" }).locator(".pixel .mono");
  await pixel.nth(1).waitFor();
  return (await pixel.allInnerTexts()).map((text) => text.replace(/[()]/g, "").split(", ").map(Number));
}

test("HLSL of the editor is compiled and applied, and the picture shows what it says", async () => {
  const state = JSON.parse(run("reprise", ["state", "--json", trace, String(CALL)])) as { bound: { pipeline: { object: { id: number } } } };
  const pipeline = state.bound.pipeline.object.id;
  const { page, close } = await open(chromium, server.url);
  await settled(page);
  await visit(page, `calls?call=${CALL}&tab=edit&pixel=${X}%2C${Y}`);
  await page.getByRole("button", { name: "New HLSL" }).click();
  const text = page.getByRole("textbox", { name: "Text of shader.hlsl" });
  await text.fill(TEXT);
  const edit = (entry: string) => `shader of ${pipeline} PS = "shader.hlsl" entry ${entry}`;
  const [before, red] = await apply(page, edit("red"));
  assert.deepEqual(red, [1, 0, 0, 1]);
  assert.notDeepEqual(before, red);
  assert.deepEqual(await violations(page), []);
  // Another function of the same text gives another picture: it is not the first answer again.
  assert.deepEqual((await apply(page, edit("blue")))[1], [0, 0, 1, 1]);
  if (called !== null) {
    const calls = readFileSync(called, "utf8").trim().split("\n");
    assert.deepEqual([...new Set(calls)], ["red", "blue"].map((entry) => `-nologo -T ps_6_0 -E ${entry} -Fo shader.hlsl`));
  }
  // The control: a text that the compiler refuses changes nothing, and the page has the compiler's words.
  await text.fill(`${TEXT}\nbroken`);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("alert").filter({ hasText: /dxc says .*error: / }).waitFor({ timeout: 120_000 });
  assert.equal(await page.getByRole("group", { name: "The pixel before and after" }).count(), 0);
  await close();
});
