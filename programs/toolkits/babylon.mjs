// Babylon.js on Dawn: frames from render bundles, cascades of shadows, transparency by depth peeling, particles by compute, depth of field.
// Arguments: how many frames, the picture to write.
import { canvas, end, HEIGHT, step, until, watch, WIDTH } from "./browser.mjs";
import * as B from "@babylonjs/core";

const [frames, file] = [+process.argv[2], process.argv[3]];
const engine = new B.WebGPUEngine(canvas, { antialias: true, enableAllFeatures: false, setMaximumLimits: false });
await engine.initAsync();
// Draws are recorded in bundles once, and played.
engine.compatibilityMode = false;
watch(engine._device);
const scene = new B.Scene(engine);
scene.useConstantAnimationDeltaTime = true;
scene.clearColor = new B.Color4(0.1, 0.12, 0.2, 1);
const camera = new B.ArcRotateCamera("camera", 0.9, 1.05, 14, new B.Vector3(0, 1, 0), scene);
camera.minZ = 0.5;
camera.maxZ = 60;

const sun = new B.DirectionalLight("sun", new B.Vector3(-1, -2, -1.5), scene);
sun.position = new B.Vector3(8, 16, 12);
sun.intensity = 2;
new B.HemisphericLight("sky", B.Vector3.Up(), scene).intensity = 0.35;
const lamp = new B.PointLight("lamp", new B.Vector3(-3, 3, 2), scene);
lamp.diffuse = new B.Color3(1, 0.5, 0.2);
lamp.intensity = 60;
const cascades = new B.CascadedShadowGenerator(512, sun);
cascades.numCascades = 3;
cascades.filteringQuality = B.ShadowGenerator.QUALITY_MEDIUM;
cascades.shadowMaxZ = 40;

// What reflects how much, by angle and roughness: Babylon.js has it as a picture, which only a browser decodes.
const shares = new Float32Array(32 * 32 * 4);
for (let i = 0; i < 32 * 32; i++) {
  const [angle, rough] = [((i % 32) + 0.5) / 32, (Math.floor(i / 32) + 0.5) / 32];
  const a = Math.min((1 - rough) ** 2, 2 ** (-9.28 * angle)) * (1 - rough) + 0.0425 - 0.0275 * rough;
  shares.set([1.04 * a - 0.04 * rough, 1.04 - 1.04 * a - 0.55 * rough, 0.1, 1], i * 4);
}
scene.environmentBRDFTexture = B.RawTexture.CreateRGBATexture(shares, 32, 32, scene, false, false, B.Texture.BILINEAR_SAMPLINGMODE, B.Constants.TEXTURETYPE_FLOAT);

const texels = new Uint8Array(64 * 64 * 4);
for (let i = 0; i < 64 * 64; i++) texels.set(((i >> 3) ^ (i >> 9)) & 1 ? [210, 205, 190, 255] : [90, 110, 130, 255], i * 4);
const checks = B.RawTexture.CreateRGBATexture(texels, 64, 64, scene, true, false, B.Texture.TRILINEAR_SAMPLINGMODE);
checks.uScale = checks.vScale = 6;
checks.anisotropicFilteringLevel = 8;
const ground = B.MeshBuilder.CreateGround("ground", { width: 24, height: 24 }, scene);
ground.material = new B.PBRMaterial("floor", scene);
Object.assign(ground.material, { albedoTexture: checks, metallic: 0, roughness: 0.8 });
ground.receiveShadows = true;

const knot = B.MeshBuilder.CreateTorusKnot("knot", { radius: 1.1, tube: 0.36, radialSegments: 96, tubularSegments: 16 }, scene);
knot.position.y = 2.4;
knot.material = new B.PBRMaterial("metal", scene);
Object.assign(knot.material, { albedoColor: new B.Color3(0.9, 0.7, 0.3), metallic: 0.7, roughness: 0.35 });
Object.assign(knot.material.clearCoat, { isEnabled: true, intensity: 0.8 });
cascades.addShadowCaster(knot);

// A cube that its morph target makes round.
const round = B.MeshBuilder.CreateSphere("round", { segments: 12, diameter: 1.6, updatable: true }, scene);
const flat = round.clone("flat");
const places = round.getVerticesData(B.VertexBuffer.PositionKind).map((v) => Math.max(-0.55, Math.min(0.55, v * 1.6)));
flat.setVerticesData(B.VertexBuffer.PositionKind, places);
const morphs = new B.MorphTargetManager(scene);
const morph = B.MorphTarget.FromMesh(flat, "cube", 0.5);
morphs.addTarget(morph);
round.morphTargetManager = morphs;
flat.dispose();
round.position.set(-3.4, 0.9, -1.5);
round.material = new B.StandardMaterial("red", scene);
round.material.diffuseColor = new B.Color3(0.8, 0.15, 0.15);
cascades.addShadowCaster(round);

const box = B.MeshBuilder.CreateBox("box", { size: 0.32 }, scene);
box.material = new B.PBRMaterial("boxes", scene);
Object.assign(box.material, { metallic: 0.1, roughness: 0.5 });
const matrices = new Float32Array(16 * 400), colours = new Float32Array(4 * 400);
for (let i = 0; i < 400; i++) {
  B.Matrix.RotationY(i).setTranslationFromFloats((i % 20) * 1.05 - 10, 0.17 + 0.15 * Math.sin(i), Math.floor(i / 20) * 1.05 - 10).copyToArray(matrices, i * 16);
  const colour = B.Color3.FromHSV((i * 7) % 360, 0.7, 0.9);
  colours.set([colour.r, colour.g, colour.b, 1], i * 4);
}
box.thinInstanceSetBuffer("matrix", matrices, 16);
box.thinInstanceSetBuffer("color", colours, 4);
box.receiveShadows = true;
cascades.addShadowCaster(box);

// Three glasses that meet: their order is found by depth, not by the distance of the meshes.
scene.useOrderIndependentTransparency = true;
[[0.9, 0.2, 0.3], [0.2, 0.8, 0.4], [0.25, 0.4, 0.95]].forEach(([r, g, b], i) => {
  const glass = B.MeshBuilder.CreateTorus(`glass${i}`, { diameter: 2.2, thickness: 0.8, tessellation: 32 }, scene);
  glass.position.set(2.9 + 0.5 * i, 1.4 + 0.3 * i, -0.6 + 0.7 * i);
  glass.rotation.set(i * 0.7, 0, i);
  glass.material = new B.StandardMaterial(`glass${i}`, scene);
  Object.assign(glass.material, { diffuseColor: new B.Color3(r, g, b), alpha: 0.45, backFaceCulling: false });
});

const drops = new B.GPUParticleSystem("drops", { capacity: 3000, randomTextureSize: 1024 }, scene);
drops.particleTexture = B.RawTexture.CreateRGBATexture(new Uint8Array(8 * 8 * 4).fill(255), 8, 8, scene, false, false);
Object.assign(drops, { emitter: new B.Vector3(0, 4, 0), emitRate: 40000, minLifeTime: 2, maxLifeTime: 4, minSize: 0.03, maxSize: 0.08, updateSpeed: 0.02, gravity: new B.Vector3(0, -3, 0) });
drops.color1 = new B.Color4(0.5, 0.8, 1, 1);
drops.color2 = new B.Color4(1, 1, 0.5, 1);
drops.start();

const post = new B.DefaultRenderingPipeline("post", true, scene, [camera]);
Object.assign(post, { samples: 4, bloomEnabled: true, bloomThreshold: 0.7, bloomWeight: 0.5, fxaaEnabled: true, depthOfFieldEnabled: true });
Object.assign(post.depthOfField, { focusDistance: 14000, fStop: 2, focalLength: 150 });
Object.assign(post.imageProcessing, { toneMappingEnabled: true, vignetteEnabled: true });

await until(() => (scene.isReady() && drops.isReady?.() !== false), "Babylon.js never got ready");
async function draw() {
  engine.beginFrame();
  scene.render();
  engine.endFrame();
  await step(16);
}
for (let frame = 0; frame < frames; frame++) {
  knot.rotation.set(frame * 0.1, frame * 0.2, 0);
  morph.influence = frame / frames;
  await draw();
}
await end("babylon", file);
