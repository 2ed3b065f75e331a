// PlayCanvas on Dawn: Gaussian splats sorted by the GPU, clustered lights with shadows in an atlas, temporal antialiasing, occlusion, bloom.
// Arguments: how many frames, the picture to write.
import { canvas, end, HEIGHT, step, until, watch, WIDTH } from "./browser.mjs";
import * as pc from "playcanvas";

const [frames, file] = [+process.argv[2], process.argv[3]];
const device = await pc.createGraphicsDevice(canvas, { deviceTypes: ["webgpu"], antialias: false });
watch(device.wgpu);
// On a processor subgroups have eight lanes, with which PlayCanvas's sort asks for 33,936 bytes that a group shares: more than Direct3D has.
device.supportsSubgroups = false;
const app = new pc.AppBase(canvas), options = new pc.AppOptions();
options.graphicsDevice = device;
options.componentSystems = [pc.RenderComponentSystem, pc.CameraComponentSystem, pc.LightComponentSystem, pc.GSplatComponentSystem];
options.resourceHandlers = [pc.TextureHandler];
app.init(options);
app.setCanvasResolution(pc.RESOLUTION_FIXED, WIDTH, HEIGHT);
app.autoRender = false;
const { scene, root } = app;
scene.ambientLight = new pc.Color(0.08, 0.09, 0.12);
scene.clusteredLightingEnabled = true;
Object.assign(scene.lighting, { shadowsEnabled: true, cookiesEnabled: false, shadowAtlasResolution: 1024, cells: new pc.Vec3(12, 6, 12), maxLightsPerCell: 24, shadowType: pc.SHADOW_PCF3_32F });

function material(red, green, blue, metalness, gloss, more = {}) {
  const made = Object.assign(new pc.StandardMaterial(), { diffuse: new pc.Color(red, green, blue), useMetalness: true, metalness, gloss, ...more });
  made.update();
  return made;
}
function body(type, x, y, z, size, of) {
  const made = new pc.Entity();
  made.addComponent("render", { type, material: of });
  made.setLocalPosition(x, y, z);
  made.setLocalScale(size, size, size);
  root.addChild(made);
  return made;
}
const ground = body("plane", 0, 0, 0, 24, material(0.6, 0.6, 0.65, 0, 0.5));
ground.render.castShadows = false;
const colours = [material(0.9, 0.3, 0.2, 0.1, 0.6), material(0.2, 0.7, 0.3, 0, 0.4), material(0.8, 0.75, 0.4, 0.9, 0.7), material(0.9, 0.9, 0.9, 0, 0.8)];
for (let i = 0; i < 49; i++) {
  const kind = ["box", "sphere", "cylinder", "cone", "capsule", "torus"][i % 6];
  body(kind, ((i % 7) - 3) * 2.2, 0.55, (Math.floor(i / 7) - 3) * 2.2, 1, colours[i % 4]).setLocalEulerAngles(0, i * 20, 0);
}
const glass = body("sphere", 1, 2.4, 3, 2, material(0.4, 0.7, 1, 0, 0.9, { opacity: 0.35, blendType: pc.BLEND_NORMAL }));
const bright = body("torus", -2.4, 2.6, 1.5, 2, material(0, 0, 0, 0, 0.3, { emissive: new pc.Color(1, 0.6, 0.2), emissiveIntensity: 6 }));

// So many that a pixel loops over those of its cell alone.
const lamps = [];
for (let i = 0; i < 40; i++) {
  const lamp = new pc.Entity(), spot = i % 5 === 0;
  const colour = new pc.Color().fromString(["#ff5533", "#33ff77", "#4488ff", "#ffcc44", "#cc44ff"][i % 5]);
  lamp.addComponent("light", { type: spot ? "spot" : "omni", color: colour, intensity: spot ? 6 : 2, range: spot ? 10 : 4, innerConeAngle: 18, outerConeAngle: 34, castShadows: i < 12, shadowResolution: 256, shadowBias: 0.2, normalOffsetBias: 0.1 });
  root.addChild(lamp);
  lamps.push(lamp);
}
const sun = new pc.Entity();
sun.addComponent("light", { type: "directional", color: new pc.Color(0.5, 0.5, 0.6), castShadows: true, shadowResolution: 512, shadowDistance: 40, numCascades: 2, shadowType: pc.SHADOW_VSM_16F });
sun.setLocalEulerAngles(50, 30, 0);
root.addChild(sun);

// A cloud of splats, no file: positions, sizes and colours are written into the textures of a container.
const SPLATS = 6000;
scene.gsplat.renderer = pc[process.env.SPLATS ?? "GSPLAT_RENDERER_RASTER_GPU_SORT"];
const cloud = new pc.GSplatContainer(device, SPLATS, pc.GSplatFormat.createDefaultFormat(device));
const textures = ["dataColor", "dataCenter", "dataScale", "dataRotation"].map((name) => cloud.getTexture(name));
const [tints, centres, scales, turns] = textures.map((texture) => texture.lock());
const half = (number) => pc.FloatPacking.float2Half(number);
const put = (into, at, values) => into.set(into instanceof Uint16Array ? values.map(half) : values, at);
for (let i = 0; i < SPLATS; i++) {
  const turn = i * 2.399963, height = 1 - (2 * i) / SPLATS, wide = Math.sqrt(1 - height * height), far = 1.5 + 0.25 * Math.sin(9 * height + 3 * turn);
  const place = [wide * far * Math.cos(turn), height * far, wide * far * Math.sin(turn)];
  put(tints, i * 4, [0.5 + 0.5 * Math.sin(turn), 0.5 + 0.5 * height, 0.8, 0.7]);
  put(centres, i * 4, [...place, 0]);
  put(scales, i * 4, [0.05, 0.02, 0.05, 0]);
  put(turns, i * 4, [Math.sin(turn / 2), 0, 0, Math.cos(turn / 2)]);
  cloud.centers.set(place, i * 3);
}
for (const texture of textures) texture.unlock();
cloud.aabb = new pc.BoundingBox(new pc.Vec3(), new pc.Vec3(2, 2, 2));
cloud.update?.(SPLATS);
const splats = new pc.Entity();
splats.addComponent("gsplat", { resource: cloud, unified: true });
splats.setLocalPosition(3, 2.6, -1);
root.addChild(splats);

const camera = new pc.Entity();
camera.addComponent("camera", { clearColor: new pc.Color(0.05, 0.06, 0.1), nearClip: 0.2, farClip: 60, fov: 50 });
camera.setLocalPosition(2, 7, 13);
camera.lookAt(0, 0.8, 0);
root.addChild(camera);
const post = new pc.CameraFrame(app, camera.camera);
Object.assign(post.rendering, { toneMapping: pc.TONEMAP_ACES, sceneColorMap: true, samples: 1, sharpness: 0.3 });
Object.assign(post.ssao, { type: pc.SSAOTYPE_LIGHTING, intensity: 0.5, radius: 20, samples: 8 });
post.bloom.intensity = 0.03;
post.taa.enabled = true;
Object.assign(post.grading, { enabled: true, contrast: 1.1, saturation: 1.2 });
Object.assign(post.vignette, { intensity: 0.4 });
post.update();
app.start();
await step(0);
for (let frame = 0; frame < frames; frame++) {
  lamps.forEach((lamp, i) => {
    const turn = i * 0.7 + frame * 0.05;
    lamp.setLocalPosition(Math.cos(turn) * (1 + (i % 8)), 1.2 + (i % 4) * 0.5 + (i % 5 === 0 ? 3 : 0), Math.sin(turn * 1.3) * (1 + (i % 7)));
  });
  bright.setLocalEulerAngles(60, frame * 10, 0);
  splats.setLocalEulerAngles(0, frame * 4, 0);
  app.renderNextFrame = true;
  await step(16);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await end("playcanvas", file);
