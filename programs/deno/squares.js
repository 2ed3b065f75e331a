// Squares of numbers, computed through Deno's WebGPU (DENO_WEBGPU_BACKEND=dx12); prints `deno HASH`.
const COUNT = 1024;
const SHADER = `@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { numbers[id.x] = numbers[id.x] * numbers[id.x] + id.x; }`;
const device = await (await navigator.gpu.requestAdapter()).requestDevice();
const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
const numbers = device.createBuffer({ size: 4 * COUNT, usage: STORAGE | COPY_SRC | COPY_DST });
const results = device.createBuffer({ size: 4 * COUNT, usage: MAP_READ | COPY_DST });
device.queue.writeBuffer(numbers, 0, Uint32Array.from({ length: COUNT }, (_, index) => index));
const compute = { module: device.createShaderModule({ code: SHADER }), entryPoint: "main" };
const pipeline = device.createComputePipeline({ layout: "auto", compute });
const entries = [{ binding: 0, resource: { buffer: numbers } }];
const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.dispatchWorkgroups(COUNT / 64);
pass.end();
encoder.copyBufferToBuffer(numbers, 0, results, 0, 4 * COUNT);
device.queue.submit([encoder.finish()]);
await results.mapAsync(GPUMapMode.READ);
const squares = new Uint32Array(results.getMappedRange().slice(0));
squares.forEach((square, index) => {
  if (square !== index * index + index) throw new Error(`element ${index} is ${square}`);
});
const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", squares));
console.log("deno", [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, 32));
