// A camera that turns about a mesh: plain projection, no matrices beyond what a wireframe needs.

export interface Camera {
  /** Turn about the vertical axis, in radians. */
  readonly yaw: number;
  /** Turn about the horizontal axis. */
  readonly pitch: number;
  /** 1: the mesh fills the picture. */
  readonly zoom: number;
  /** Shift of the picture in pixels. */
  readonly x: number;
  readonly y: number;
}

export interface Box {
  readonly low: readonly [number, number, number];
  readonly high: readonly [number, number, number];
}

/** The box of all finite points; three numbers a point. */
export function box(points: Float32Array): Box {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 2 < points.length; at += 3) {
    for (let axis = 0 as 0 | 1 | 2; axis < 3; axis = (axis + 1) as 0 | 1 | 2) {
      const value = points[at + axis] as number;
      if (!Number.isFinite(value)) continue;
      if (value < low[axis]) low[axis] = value;
      if (value > high[axis]) high[axis] = value;
    }
  }
  for (let axis = 0 as 0 | 1 | 2; axis < 3; axis = (axis + 1) as 0 | 1 | 2) if (low[axis] > high[axis]) low[axis] = high[axis] = 0;
  return { low, high };
}

/** Places in a picture, two numbers a point; NaN for points that have none. */
export function project(points: Float32Array, bounds: Box, camera: Camera, width: number, height: number): Float32Array {
  const out = new Float32Array((points.length / 3) * 2);
  const centre = [0, 1, 2].map((axis) => ((bounds.low[axis] as number) + (bounds.high[axis] as number)) / 2) as [number, number, number];
  const radius = Math.hypot(...[0, 1, 2].map((axis) => (bounds.high[axis] as number) - (bounds.low[axis] as number))) / 2 || 1;
  const scale = (Math.min(width, height) / 2 / radius) * 0.95 * camera.zoom;
  const [cosYaw, sinYaw, cosPitch, sinPitch] = [Math.cos(camera.yaw), Math.sin(camera.yaw), Math.cos(camera.pitch), Math.sin(camera.pitch)];
  for (let from = 0, to = 0; to < out.length; from += 3, to += 2) {
    const x = (points[from] as number) - centre[0];
    const y = (points[from + 1] as number) - centre[1];
    const z = (points[from + 2] as number) - centre[2];
    const turned = x * cosYaw + z * sinYaw;
    const deep = z * cosYaw - x * sinYaw;
    const up = y * cosPitch - deep * sinPitch;
    out[to] = width / 2 + turned * scale + camera.x;
    out[to + 1] = height / 2 - up * scale + camera.y;
  }
  return out;
}

/** The lines of a topology, two indices a line; a text where it cannot be drawn. At most `most` lines. */
export function lines(topology: string, indices: Uint32Array, most: number): { lines: Uint32Array; more: number } | string {
  const name = topology.replace(/^D3D_PRIMITIVE_TOPOLOGY_/, "");
  const out: number[] = [];
  let more = 0;
  const line = (a: number, b: number) => {
    if (out.length < most * 2) out.push(a, b);
    else more += 1;
  };
  const at = (place: number) => indices[place] as number;
  const CUT = 0xffffffff;
  switch (name) {
    case "POINTLIST":
      break;
    case "LINELIST":
      for (let place = 0; place + 1 < indices.length; place += 2) line(at(place), at(place + 1));
      break;
    case "LINESTRIP":
      for (let place = 0; place + 1 < indices.length; place += 1) if (at(place) !== CUT && at(place + 1) !== CUT) line(at(place), at(place + 1));
      break;
    case "TRIANGLELIST":
      for (let place = 0; place + 2 < indices.length; place += 3) {
        line(at(place), at(place + 1));
        line(at(place + 1), at(place + 2));
        line(at(place + 2), at(place));
      }
      break;
    case "TRIANGLESTRIP": {
      for (let place = 0; place < indices.length; place += 1) {
        if (at(place) === CUT) continue;
        const one = place >= 1 ? at(place - 1) : CUT;
        const two = place >= 2 ? at(place - 2) : CUT;
        if (one !== CUT) line(one, at(place));
        if (one !== CUT && two !== CUT) line(two, at(place));
      }
      break;
    }
    default: {
      const patch = /^(\d+)_CONTROL_POINT_PATCHLIST$/.exec(name);
      if (patch === null) return `Lines of ${name} are not drawn.`;
      const size = Number(patch[1]);
      for (let place = 0; place + size <= indices.length; place += size) {
        for (let point = 0; point < size; point += 1) line(at(place + point), at(place + ((point + 1) % size)));
      }
    }
  }
  return { lines: Uint32Array.from(out), more };
}
