// three.js on Deno's WebGPU: shadows, physical materials, instances, particles by compute, bloom and ambient occlusion.
// Arguments: how many frames, the file of raw pixels to write.
import * as THREE from "three/webgpu";
import { Fn, instanceIndex, storage, uniform, float, vec3, vec4, pass, mrt, output, normalView, instancedArray, hash, sin, time, color, deltaTime, select, If, uv, mix } from "three/tsl";
import { bloom } from "three/addons/tsl/display/BloomNode.js";
import { ao } from "three/addons/tsl/display/GTAONode.js";

const WIDTH = 320, HEIGHT = 240, FRAMES = +Deno.args[0];
// What three.js asks of a browser.
let now = 0;
globalThis.performance.now = () => now;
globalThis.self ??= globalThis;
for (const name of ["VideoFrame", "HTMLVideoElement", "HTMLCanvasElement", "ImageBitmap", "HTMLImageElement", "OffscreenCanvas"]) globalThis[name] ??= class {};
globalThis.requestAnimationFrame = (f) => 0;
globalThis.cancelAnimationFrame = () => {};
const adapter = await navigator.gpu.requestAdapter();
const features = [...adapter.features].filter((f) => !f.startsWith("experimental"));
console.log("adapter", adapter.info?.description ?? "", adapter.info?.vendor ?? "");
const device = await adapter.requestDevice({ requiredFeatures: features.filter((f) => ["float32-filterable", "timestamp-query", "depth-clip-control", "indirect-first-instance", "rg11b10ufloat-renderable"].includes(f)) });
device.addEventListener("uncapturederror", (e) => console.log("ERROR", e.error.message));
let shown = null;
const context = {
  configure() {}, unconfigure() {},
  getCurrentTexture() {
    shown ??= device.createTexture({ size: [WIDTH, HEIGHT], format: "bgra8unorm", usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
    return shown;
  },
};
const canvas = { width: WIDTH, height: HEIGHT, style: {}, addEventListener() {}, removeEventListener() {}, getContext: () => context, setAttribute() {}, clientWidth: WIDTH, clientHeight: HEIGHT };
const renderer = new THREE.WebGPURenderer({ canvas, device, context, antialias: false });
await renderer.init();
renderer.setSize(WIDTH, HEIGHT, false);
renderer.shadowMap.enabled = true;
renderer.shadowMap.type = THREE.PCFSoftShadowMap;
renderer.toneMapping = THREE.ACESFilmicToneMapping;

const scene = new THREE.Scene();
scene.background = new THREE.Color(0x223344);
scene.fog = new THREE.Fog(0x223344, 8, 30);
const camera = new THREE.PerspectiveCamera(50, WIDTH / HEIGHT, 0.1, 60);
camera.position.set(3, 4, 8);
camera.lookAt(0, 0.5, 0);
const sun = new THREE.DirectionalLight(0xffffff, 3);
sun.position.set(4, 8, 3);
sun.castShadow = true;
sun.shadow.mapSize.set(512, 512);
scene.add(sun, new THREE.HemisphereLight(0x8899ff, 0x443322, 0.8));
const lamp = new THREE.PointLight(0xff8844, 30);
lamp.position.set(-2, 2, 1);
lamp.castShadow = true;
lamp.shadow.mapSize.set(256, 256);
scene.add(lamp);
const floor = new THREE.Mesh(new THREE.PlaneGeometry(20, 20), new THREE.MeshStandardNodeMaterial({ color: 0x888888, roughness: 0.5 }));
floor.rotation.x = -Math.PI / 2;
floor.receiveShadow = true;
scene.add(floor);
const data = new Uint8Array(64 * 64 * 4);
for (let i = 0; i < 64 * 64; i++) {
  const on = ((i >> 3) ^ (i >> 9)) & 1;
  data.set(on ? [230, 60, 60, 255] : [240, 240, 220, 255], i * 4);
}
const checks = new THREE.DataTexture(data, 64, 64);
checks.generateMipmaps = true;
checks.minFilter = THREE.LinearMipmapLinearFilter;
checks.magFilter = THREE.LinearFilter;
checks.needsUpdate = true;
const knot = new THREE.Mesh(new THREE.TorusKnotGeometry(0.8, 0.28, 96, 16), new THREE.MeshPhysicalNodeMaterial({ color: 0xffffff, map: checks, metalness: 0.3, roughness: 0.25, clearcoat: 1 }));
knot.position.y = 1.5;
knot.castShadow = knot.receiveShadow = true;
scene.add(knot);
const glass = new THREE.Mesh(new THREE.SphereGeometry(0.7, 32, 16), new THREE.MeshPhysicalNodeMaterial({ color: 0xaaffcc, transmission: 0.9, thickness: 0.5, roughness: 0.1, ior: 1.4 }));
glass.position.set(1.8, 0.8, 1.5);
scene.add(glass);
const many = new THREE.InstancedMesh(new THREE.BoxGeometry(0.3, 0.3, 0.3), new THREE.MeshStandardNodeMaterial({ roughness: 0.4 }), 64);
const at = new THREE.Object3D();
for (let i = 0; i < 64; i++) {
  at.position.set((i % 8) * 0.9 - 3.2, 0.15, (i >> 3) * 0.9 - 3.2);
  at.rotation.y = i;
  at.updateMatrix();
  many.setMatrixAt(i, at.matrix);
  many.setColorAt(i, new THREE.Color().setHSL(i / 64, 0.8, 0.5));
}
many.castShadow = many.receiveShadow = true;
scene.add(many);
const COUNT = 2048;
const places = instancedArray(COUNT, "vec3"), speeds = instancedArray(COUNT, "vec3");
const start = Fn(() => {
  const p = places.element(instanceIndex), v = speeds.element(instanceIndex);
  p.assign(vec3(hash(instanceIndex).sub(0.5).mul(4), hash(instanceIndex.add(1)).mul(3).add(1), hash(instanceIndex.add(2)).sub(0.5).mul(4)));
  v.assign(vec3(0, 0, 0));
})().compute(COUNT);
const move = Fn(() => {
  const p = places.element(instanceIndex), v = speeds.element(instanceIndex);
  v.y.subAssign(0.01);
  p.addAssign(v);
  If(p.y.lessThan(0.05), () => {
    p.y.assign(0.05);
    v.y.assign(v.y.negate().mul(0.7));
  });
})().compute(COUNT);
const drops = new THREE.Sprite(new THREE.SpriteNodeMaterial({ blending: THREE.AdditiveBlending, depthWrite: false, transparent: true }));
drops.material.positionNode = places.toAttribute();
drops.material.colorNode = vec4(0.4, 0.7, 1.0, 0.6);
drops.material.scaleNode = float(0.05);
drops.count = COUNT;
drops.frustumCulled = false;
scene.add(drops);
const post = new THREE.PostProcessing(renderer);
const drawn = pass(scene, camera);
drawn.setMRT(mrt({ output, normal: normalView }));
const lit = drawn.getTextureNode("output"), normals = drawn.getTextureNode("normal"), depth = drawn.getTextureNode("depth");
const hidden = ao(depth, normals, camera);
post.outputNode = lit.mul(vec4(vec3(hidden.getTextureNode().r), 1)).add(bloom(lit, 0.5, 0.3, 0.9));
await renderer.computeAsync(start);
for (let frame = 0; frame < FRAMES; frame++) {
  now = frame * 50;
  renderer._nodes.nodeFrame.update?.();
  knot.rotation.set(frame * 0.2, frame * 0.3, 0);
  await renderer.computeAsync(move);
  await post.renderAsync();
}
const row = WIDTH * 4;
const buffer = device.createBuffer({ size: row * HEIGHT, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
const encoder = device.createCommandEncoder();
encoder.copyTextureToBuffer({ texture: shown }, { buffer, bytesPerRow: row }, [WIDTH, HEIGHT]);
device.queue.submit([encoder.finish()]);
await buffer.mapAsync(GPUMapMode.READ);
const bytes = new Uint8Array(buffer.getMappedRange()).slice();
Deno.writeFileSync(Deno.args[1], bytes);
const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
console.log("three", [...digest.slice(0, 8)].map((b) => b.toString(16).padStart(2, "0")).join(""));
Deno.exit(0);
