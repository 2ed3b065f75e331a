// Every view in light and dark: it shows what it is about, and axe finds nothing wrong.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { open, violations, visit } from "./page.ts";
import { browser, golden, late, serve, type Server } from "./server.ts";

let chromium: Browser;
before(async () => {
  chromium = await browser();
});
after(() => chromium.close());

/** Looks at places. Each has a text that it must show. */
async function look(server: Server, places: readonly (readonly [place: string, text: RegExp])[]): Promise<void> {
  for (const scheme of ["light", "dark"] as const) {
    const { page, close } = await open(chromium, server.url, "", scheme);
    const wrong: string[] = [];
    for (const [place, text] of places) {
      await visit(page, place);
      const said = (await page.locator("main").innerText()).replaceAll(/\s+/g, " ");
      if (!text.test(said)) wrong.push(`${place} does not show ${text}: ${said.slice(-800)}`);
      wrong.push(...(await violations(page)).map((one) => `${place} in ${scheme}: ${one}`));
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    wrong.push(...(await violations(page)).map((one) => `the keys in ${scheme}: ${one}`));
    assert.deepEqual(wrong, []);
    await close();
  }
  server.end();
}

test("of one trace", async () => {
  // In the golden trace of gears, 93 is a draw, 22 a buffer of indices, 3 a back buffer, 12 a root signature.
  await look(await serve(golden("gears")), [
    ["frames", /Submissions/], ["frames?frame=2", /Frame 2 .*300 × 300/],
    ["calls", /Frame 1/], ["calls?call=93&mode=list", /DrawIndexedInstanced IndexCountPerInstance=120/], ["calls?q=kind:draw", /18 calls found/],
    ["calls?call=93", /IndexCountPerInstance/], ["calls?call=93&tab=pipeline", /POSITION0 R32G32B32_FLOAT/], ["calls?call=93&tab=bindings", /b0/], ["calls?call=93&tab=changes", /pipeline/i],
    ["calls?call=93&tab=targets", /Colour 0.*300 × 300/], ["calls?call=93&tab=mesh", /120 vertices/], ["calls?call=93&tab=mesh&stage=vertex", /120 vertices, TRIANGLELIST, out of the vertex shader[^]*ndc\.x/], ["calls?call=93&tab=state", /bound/], ["calls?call=155&tab=debug&debug=155.pixel.200.200.primitive.126", /equal: 5 numbers .*SV_TARGET|equal: 5 numbers .*Inputs/], ["calls?call=155&tab=edit", /Apply plays the trace/], ["calls?call=155&tab=targets&custom=1", /Show draws the texture/],
    ["resources", /4800 bytes/], ["resources?object=22&call=93", /22/], ["resources?object=22&call=93&tab=contents", /Offset|offset/], ["resources?object=22&tab=writes", /4[,  ]?800|4\.7/],
    ["resources?object=3&call=93&tab=picture", /300 × 300/], ["resources?object=22&tab=uses", /IASetIndexBuffer/], ["objects?object=12&tab=signature", /CBV\(b0/],
    ["descriptors?object=6&call=93&tab=slots", /rtv/i], ["shaders?hash=977375ac9a9ab1b5a9cdaf7fcc1af25c", /vertex 5\.0.*POSITION.*SV_POSITION.*OpEntryPoint Vertex/i],
    ["findings", /finding/i], ["trace", /vkd3d-gears/],
  ]);
});

test("of a trace with a call of every method", async () => {
  await look(await serve(golden("methods-win64")), [["frames", /Timeline/], ["calls", /Frame 1/], ["trace", /methods/]]);
});

test("of heaps", async () => {
  const server = await serve(golden("heaps"));
  const heaps = (await (await fetch(`${server.url}api/0/objects?class=ID3D12Heap*`)).json()) as { items: { id: number }[] };
  await look(server, [["heaps", /heap/i], [`heaps?object=${heaps.items[0]?.id}&tab=map`, /active|placed|reserved|resource/i]]);
});

test("of two traces", async () => {
  await look(await serve(golden("gears"), "--compare", late()), [
    ["compare", /Frame 1 is the first that differs.*added/], ["compare?tab=pictures&frame=1", /texels differ/], ["compare?tab=pictures&frame=1&pictures=sides", /texels differ/],
    ["compare?tab=targets&call=101&pictures=difference", /Call 101 of A/],
  ]);
});
