// PixiJS on Dawn: sprites in batches, filters, masks by stencil and by alpha, blend modes that read what lies below, meshes, particles.
// Arguments: how many frames, the picture to write.
import { canvas, end, HEIGHT, step, watch, WIDTH } from "./browser.mjs";
import * as P from "pixi.js";
import "pixi.js/advanced-blend-modes";
import "pixi.js/graphics";
import "pixi.js/mesh";
import "pixi.js/filters";
import "pixi.js/sprite-tiling";
import "pixi.js/sprite-nine-slice";
import "pixi.js/particle-container";

const [frames, file] = [+process.argv[2], process.argv[3]];
P.DOMAdapter.set({
  createCanvas: (width, height) => Object.assign(Object.create(canvas), { width, height, getContext: () => null }),
  createImage: () => new Image(), getCanvasRenderingContext2D: () => ({ prototype: {} }), getWebGLRenderingContext: () => class {},
  getNavigator: () => navigator, getBaseUrl: () => location.href, getFontFaceSet: () => null, fetch, parseXML: () => null,
});
const renderer = new P.WebGPURenderer();
await renderer.init({ canvas, width: WIDTH, height: HEIGHT, antialias: true, skipExtensionImports: true, backgroundColor: 0x203040, useBackBuffer: true });
watch(renderer.gpu.device);
const stage = new P.Container();

function texture(width, height, texel) {
  const resource = new Uint8Array(width * height * 4);
  for (let i = 0; i < width * height; i++) resource.set(texel(i % width, Math.floor(i / width)), i * 4);
  return new P.Texture({ source: new P.BufferImageSource({ resource, width, height, alphaMode: "no-premultiply-alpha", autoGenerateMipmaps: true, mipLevelCount: 1 }) });
}
const tiles = texture(32, 32, (x, y) => ((x ^ y) & 8 ? [70, 90, 120, 255] : [50, 70, 100, 255]));
const disc = texture(32, 32, (x, y) => {
  const inside = Math.max(0, Math.min(1, 16 - Math.hypot(x - 15.5, y - 15.5)));
  return [255 * inside, 255 * inside, 255 * inside, 255 * inside];
});
const waves = texture(64, 64, (x, y) => [128 + 90 * Math.sin(y / 5), 128 + 90 * Math.cos(x / 7), 0, 255]);
waves.source.style.addressMode = "repeat";

const ground = new P.TilingSprite({ texture: tiles, width: WIDTH, height: HEIGHT, tileRotation: 0.3, tileScale: { x: 1.5, y: 1.5 } });
stage.addChild(ground);

// More textures than one batch has room for.
const crowd = new P.Container(), kinds = [];
for (let i = 0; i < 40; i++) kinds.push(texture(8, 8, (x, y) => [(i * 37) % 256, (i * 91) % 256, (x + y) * 16, 255]));
for (let i = 0; i < 400; i++) {
  const sprite = new P.Sprite({ texture: kinds[i % 40], x: (i % 25) * 13 + 3, y: Math.floor(i / 25) * 7 + 4, rotation: i, anchor: 0.5, alpha: 0.4 + 0.6 * Math.random(), tint: 0xffffff * Math.random() });
  sprite.blendMode = ["normal", "add", "multiply", "screen"][i % 4];
  crowd.addChild(sprite);
}
stage.addChild(crowd);

const star = new P.Graphics().star(0, 0, 9, 46, 20).fill({ color: 0xffcc33 }).stroke({ width: 4, color: 0x803010, join: "round" });
star.circle(0, 0, 12).cut();
star.position.set(60, 170);
const curves = new P.Graphics();
for (let i = 0; i < 6; i++) curves.moveTo(10, 120 + i * 9).bezierCurveTo(100, 60 + i * 20, 180, 200 - i * 12, 310, 110 + i * 8).stroke({ width: 1 + i, color: 0x40ff80 + i * 0x100010, alpha: 0.8, cap: "round" });
stage.addChild(curves, star);

// Masks in one another by stencil, and one by a picture's alpha.
const outer = new P.Container(), inner = new P.Container();
outer.mask = new P.Graphics().roundRect(210, 20, 90, 80, 20).fill(0xffffff);
inner.mask = new P.Graphics().poly([210, 100, 255, 10, 300, 100]).fill(0xffffff);
inner.addChild(new P.Graphics().rect(200, 0, 120, 120).fill(0xc03060));
outer.addChild(outer.mask, new P.Graphics().rect(200, 0, 120, 120).fill(0x3060c0), inner, inner.mask);
const spot = new P.Sprite({ texture: disc, x: 120, y: 20, width: 70, height: 70 });
const masked = new P.Graphics();
for (let i = 0; i < 8; i++) masked.rect(120, 20 + i * 9, 80, 5).fill(i & 1 ? 0xff8800 : 0x00ffcc);
masked.mask = spot;
stage.addChild(outer, spot, masked);

// What is filtered is drawn to pictures of its own.
const blurred = new P.Graphics().rect(20, 20, 60, 40).fill(0xff3366).circle(80, 60, 22).fill(0x33ff66);
blurred.filters = [new P.BlurFilter({ strength: 5, quality: 3 }), new P.ColorMatrixFilter()];
blurred.filters[1].hue(70, false);
const shaken = new P.Sprite({ texture: tiles, x: 220, y: 130, width: 80, height: 80, tint: 0xffaa66 });
const sway = new P.Sprite({ texture: waves, x: 220, y: 130, renderable: false });
shaken.filters = [new P.DisplacementFilter({ sprite: sway, scale: 18 }), new P.NoiseFilter({ noise: 0.25, seed: 0.5 })];
stage.addChild(blurred, sway, shaken);

// Modes that need the colours below.
["overlay", "color-burn", "difference", "luminosity", "hard-light", "saturation"].forEach((mode, i) => {
  const sprite = new P.Sprite({ texture: disc, x: 8 + i * 50, y: 196, width: 44, height: 40, tint: [0xff0000, 0x00ff00, 0x4040ff, 0xffff00, 0x00ffff, 0xff00ff][i] });
  sprite.blendMode = mode;
  stage.addChild(sprite);
});

const flag = new P.MeshPlane({ texture: kinds[7], verticesX: 16, verticesY: 8 });
flag.position.set(120, 120);
flag.scale.set(9, 6);
const still = Float32Array.from(flag.geometry.positions);
const rope = new P.MeshRope({ texture: tiles, points: Array.from({ length: 20 }, (_, i) => new P.Point(i * 8, 12 * Math.sin(i))), textureScale: 0.5 });
rope.position.set(80, 110);
rope.scale.set(0.9, 0.7);
const frame = new P.NineSliceSprite({ texture: disc, leftWidth: 12, rightWidth: 12, topHeight: 12, bottomHeight: 12, width: 120, height: 34, x: 10, y: 80, alpha: 0.5 });
stage.addChild(flag, rope, frame);

const dust = new P.ParticleContainer({ dynamicProperties: { position: true, color: true } });
for (let i = 0; i < 1500; i++) dust.addParticle(new P.Particle({ texture: disc, x: Math.random() * WIDTH, y: Math.random() * HEIGHT, scaleX: 0.08, scaleY: 0.08, tint: 0xaaddff, alpha: 0.5 }));
stage.addChild(dust);

// The stage as a texture on itself, a frame late.
const last = P.RenderTexture.create({ width: 96, height: 72, antialias: true });
const screen = new P.Sprite({ texture: last, x: 130, y: 60, rotation: -0.1 });
stage.addChild(screen);
for (let i = 0; i < frames; i++) {
  star.rotation = i * 0.3;
  sway.x += 5;
  ground.tilePosition.x = i * 3;
  dust.particleChildren.forEach((one, k) => (one.y = (one.y + 1 + (k % 3)) % HEIGHT));
  flag.geometry.positions.set(still.map((v, k) => (k & 1 ? v + Math.sin(still[k - 1] + i) : v)));
  flag.geometry.getBuffer("aPosition").update();
  screen.visible = false;
  renderer.render({ container: stage, target: last, transform: new P.Matrix().scale(0.3, 0.3) });
  screen.visible = true;
  renderer.render(stage);
  await step(16);
}
await end("pixi", file);
