// What JavaScript engines ask of a browser, over Dawn in Node.js: a canvas, a clock that steps, chance that repeats.
import { create, globals } from "webgpu";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";

export const WIDTH = 320, HEIGHT = 240;
Object.assign(globalThis, globals);
// Dawn's set of features can be iterated, and has no forEach.
GPUSupportedFeatures.prototype.forEach ??= function (call) {
  for (const feature of this) call(feature, feature, this);
};
const backend = process.platform === "win32" ? "d3d12" : "vulkan";
const gpu = create([`backend=${process.env.DAWN_BACKEND ?? backend}`]);
let now = 0, state = 1, shown, device;
const frames = [];

function define(name, value) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
class Nothing {}
const noise = { addEventListener() {}, removeEventListener() {}, dispatchEvent() {} };
define("window", globalThis);
define("self", globalThis);
define("navigator", { gpu, userAgent: "node", platform: "node", language: "en", maxTouchPoints: 0 });
define("location", { href: "http://localhost/", protocol: "http:", search: "", host: "localhost", origin: "http://localhost" });
for (const name of ["VideoFrame", "HTMLElement", "HTMLVideoElement", "HTMLCanvasElement", "ImageBitmap", "HTMLImageElement", "ImageData", "OffscreenCanvas", "Image", "MutationObserver", "ResizeObserver"])
  if (!globalThis[name]) define(name, Nothing);
Object.assign(globalThis, noise, { devicePixelRatio: 1, innerWidth: WIDTH, innerHeight: HEIGHT, matchMedia: () => ({ matches: false, ...noise }) });
define("requestAnimationFrame", (call) => frames.push(call));
define("cancelAnimationFrame", () => {});
performance.now = () => now;
Date.now = () => now;
Math.random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

const rectangle = { left: 0, top: 0, x: 0, y: 0, right: WIDTH, bottom: HEIGHT, width: WIDTH, height: HEIGHT };
const context = {
  configure(given) {
    device = given.device;
    shown?.destroy();
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC | (given.usage ?? 0);
    shown = device.createTexture({ size: [WIDTH, HEIGHT], format: given.format, usage, viewFormats: given.viewFormats ?? [] });
  },
  unconfigure() {},
  getCurrentTexture: () => shown,
};
export const canvas = Object.assign(new HTMLCanvasElement(), noise, {
  width: WIDTH, height: HEIGHT, clientWidth: WIDTH, clientHeight: HEIGHT, style: {}, id: "canvas",
  getContext: (kind) => (kind === "webgpu" ? context : null),
  getBoundingClientRect: () => rectangle, setAttribute() {}, getAttribute: () => null, focus() {},
});
context.canvas = canvas;
define("document", {
  ...noise, body: { appendChild() {}, contains: () => true, style: {}, ...noise }, documentElement: { style: {} }, baseURI: location.href, hidden: false,
  createElement: () => ({ style: {}, getContext: () => null, setAttribute() {}, ...noise }), getElementById: () => null, querySelector: () => null, createElementNS: () => ({ style: {} }),
});

// Lets promises and timers of the engine go on, and calls what waits for the next picture.
export async function step(milliseconds) {
  now += milliseconds;
  for (const call of frames.splice(0)) call(now);
  await new Promise((resolve) => setImmediate(resolve));
}

export async function until(ready, message) {
  for (let i = 0; i < 20000; i++) {
    if (await ready()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(message);
}

export function watch(given) {
  given.addEventListener?.("uncapturederror", (event) => console.log("dawn:", event.error.message.slice(0, 600)));
}

function png(width, height, pixels) {
  const chunk = (kind, bytes) => {
    const body = Buffer.concat([Buffer.from(kind), bytes]), out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(bytes.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 6], 8);
  const lines = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; y++) lines.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  const start = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([start, chunk("IHDR", head), chunk("IDAT", deflateSync(lines)), chunk("IEND", Buffer.alloc(0))]);
}

// Reads the canvas back, writes it as a picture, and prints its hash.
export async function end(name, file) {
  const row = WIDTH * 4;
  const buffer = device.createBuffer({ size: row * HEIGHT, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: shown }, { buffer, bytesPerRow: row }, [WIDTH, HEIGHT]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const pixels = new Uint8Array(buffer.getMappedRange().slice(0));
  buffer.unmap();
  if (shown.format.startsWith("bgra")) for (let i = 0; i < pixels.length; i += 4) [pixels[i], pixels[i + 2]] = [pixels[i + 2], pixels[i]];
  for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255;
  writeFileSync(file, png(WIDTH, HEIGHT, pixels));
  console.log(name, createHash("sha256").update(pixels).digest("hex").slice(0, 16));
  process.exit(0);
}
