// Texels as the eye sees them: raw values, a range and channels become bytes of a canvas.

export type Kind = "f32" | "u32" | "i32";

export interface Texels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly kind: Kind;
  /** Texels from the top, row by row, without padding. */
  readonly values: Float32Array | Uint32Array | Int32Array;
}

/** What of the texels is shown, and how. */
export interface Look {
  /** Shown as black. */
  readonly low: number;
  /** Shown as white. */
  readonly high: number;
  /** Red, green, blue, alpha. */
  readonly shown: readonly [boolean, boolean, boolean, boolean];
  /** Colours of one channel from the least to the greatest, by the logarithm; what is 0 is not there. */
  readonly ramp?: readonly (readonly [number, number, number])[] | undefined;
}

/** The texels of a file whose rows may be padded. A text says why they cannot be had. */
export function texels(bytes: ArrayBuffer, kind: Kind, channels: number, width: number, height: number, rowBytes: number): Texels | string {
  const words = width * channels;
  if (channels < 1 || channels > 4 || rowBytes < words * 4 || rowBytes % 4 !== 0) return `Rows of ${rowBytes} bytes hold no ${width} texels of ${channels} channels.`;
  if (bytes.byteLength < (height - 1) * rowBytes + words * 4) return `${bytes.byteLength} bytes are too few for ${height} rows of ${rowBytes} bytes.`;
  const type = kind === "f32" ? Float32Array : kind === "u32" ? Uint32Array : Int32Array;
  if (rowBytes === words * 4) return { width, height, channels, kind, values: new type(bytes, 0, words * height) };
  const values = new type(words * height);
  for (let row = 0; row < height; row += 1) values.set(new type(bytes, row * rowBytes, words) as never, row * words);
  return { width, height, channels, kind, values };
}

/** The values of a texel. */
export function texel(texels: Texels, x: number, y: number): number[] {
  const begin = (y * texels.width + x) * texels.channels;
  return Array.from(texels.values.subarray(begin, begin + texels.channels));
}

/** Least and greatest finite value over the channels that are shown. Where all are equal the range has no width: the next integer ends it. */
export function range(texels: Texels, shown: Look["shown"]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let at = 0; at < texels.values.length; at += 1) {
    if (!shown[at % texels.channels]) continue;
    const value = texels.values[at] as number;
    if (value < low && value !== -Infinity) low = value;
    if (value > high && value !== Infinity) high = value;
  }
  if (low > high) return [0, 1];
  return low === high ? [low, low + 1] : [low, high];
}

/** How many values lie in each of `bins` equal parts of a range. */
export function histogram(texels: Texels, shown: Look["shown"], low: number, high: number, bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (let at = 0; at < texels.values.length; at += 1) {
    if (!shown[at % texels.channels]) continue;
    const place = Math.floor((((texels.values[at] as number) - low) / (high - low)) * bins);
    const bin = Math.min(bins - 1, Math.max(0, place));
    if (!Number.isNaN(place)) counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/**
 * Bytes of a canvas, red, green, blue, alpha. One channel alone is shown as grey. Alpha is shown as transparency only beside others.
 * NaN is magenta: it must not look like black.
 */
export function paint(texels: Texels, look: Look): Uint8ClampedArray<ArrayBuffer> {
  const { channels, values } = texels;
  const out = new Uint8ClampedArray(texels.width * texels.height * 4);
  if (look.ramp !== undefined && channels === 1) {
    const [low, steps] = [Math.max(look.low, Number.MIN_VALUE), look.ramp.length - 1];
    const length = Math.log(look.high / low);
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] as number;
      if (!(value > 0)) continue;
      const share = length > 0 ? Math.min(1, Math.max(0, Math.log(value / low) / length)) : 1;
      out.set(look.ramp[Math.round(share * steps)] ?? [0, 0, 0], at * 4);
      out[at * 4 + 3] = 255;
    }
    return out;
  }
  const factor = 255 / (look.high - look.low || 1);
  const shown = look.shown.slice(0, channels);
  const alone = shown.filter(Boolean).length === 1 ? shown.indexOf(true) : -1;
  const opaque = channels < 4 || !look.shown[3] || alone >= 0;
  for (let from = 0, to = 0; to < out.length; from += channels, to += 4) {
    let invalid = false;
    for (let channel = 0; channel < channels; channel += 1) {
      const value = values[from + channel] as number;
      if (value !== value && look.shown[channel]) invalid = true;
      const byte = (value - look.low) * factor;
      if (alone < 0) {
        if (channel === 3) out[to + 3] = opaque ? 255 : value * 255;
        else if (look.shown[channel]) out[to + channel] = byte;
      } else if (channel === alone) {
        out[to] = byte;
        out[to + 1] = byte;
        out[to + 2] = byte;
      }
    }
    if (opaque) out[to + 3] = 255;
    if (invalid) {
      out[to] = 255;
      out[to + 1] = 0;
      out[to + 2] = 255;
      out[to + 3] = 255;
    }
  }
  return out;
}

/** Differences of two pictures of one size, and how many texels differ. */
export function difference(a: Texels, b: Texels): { texels: Texels; different: number; greatest: number } | string {
  if (a.width !== b.width || a.height !== b.height) return `The pictures differ in size: ${a.width} × ${a.height} and ${b.width} × ${b.height}.`;
  if (a.channels !== b.channels) return `The pictures differ in their channels: ${a.channels} and ${b.channels}.`;
  const values = new Float32Array(a.values.length);
  let different = 0;
  let greatest = 0;
  for (let at = 0; at < values.length; at += a.channels) {
    let differs = false;
    for (let channel = 0; channel < a.channels; channel += 1) {
      const one = a.values[at + channel] as number;
      const other = b.values[at + channel] as number;
      const distance = Object.is(one, other) ? 0 : Math.abs(one - other);
      values[at + channel] = distance;
      if (distance !== 0) differs = true;
      if (distance > greatest) greatest = distance;
    }
    if (differs) different += 1;
  }
  return { texels: { width: a.width, height: a.height, channels: a.channels, kind: "f32", values }, different, greatest };
}
