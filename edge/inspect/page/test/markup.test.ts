// Nothing of the page makes markup, code or styles of text: names of objects and markers are hostile.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const SOURCE = new URL("../../src/", import.meta.url);
const FORBIDDEN = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\s*["'](?:style|on)|srcdoc|javascript:|createContextualFragment|DOMParser|https?:\/\//;

test("no source makes markup of text, or names another host", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) => /\.(tsx?|css)$/.test(name));
  assert.ok(files.length > 40);
  for (const name of files) {
    readFileSync(new URL(name, SOURCE), "utf8").split("\n").forEach((line, index) => assert.ok(!FORBIDDEN.test(line), `${name}:${index + 1}: ${line.trim()}`));
  }
});

test("the built page has no inline script, style or handler", () => {
  const page = readFileSync(new URL("../../dist/index.html", import.meta.url), "utf8");
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|https?:\/\//);
  assert.doesNotMatch(readFileSync(new URL("../../dist/assets/page.js", import.meta.url), "utf8"), /<\w+[^<>`]*\sstyle=/);
});
