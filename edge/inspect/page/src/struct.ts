// Structs that are typed in, as HLSL writes them: `float3 position; uint color; unorm4x8 tint; half2 uv[2]; pad 4;`.
//
// Invariant: fields lie one behind the other without padding, as in a structured buffer. Padding is written down: `pad N;`, in bytes.

export type Scalar = "f16" | "f32" | "f64" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "unorm8" | "snorm8" | "unorm16" | "snorm16" | "x8" | "x16" | "x32" | "b32";

export interface Field {
  readonly name: string;
  readonly scalar: Scalar;
  /** Components of a row: 1 to 4. */
  readonly components: number;
  /** In bytes from the beginning of the struct. */
  readonly offset: number;
}

export interface Struct {
  readonly fields: readonly Field[];
  readonly stride: number;
}

const SIZES: Readonly<Record<Scalar, number>> = {
  f16: 2, f32: 4, f64: 8, i8: 1, i16: 2, i32: 4, i64: 8, u8: 1, u16: 2, u32: 4, u64: 8, unorm8: 1, snorm8: 1, unorm16: 2, snorm16: 2, x8: 1, x16: 2, x32: 4, b32: 4,
};

const TYPES: Readonly<Record<string, Scalar>> = {
  float: "f32", half: "f16", float16_t: "f16", float32_t: "f32", double: "f64", float64_t: "f64", bool: "b32",
  int: "i32", uint: "u32", dword: "u32", int8_t: "i8", uint8_t: "u8", byte: "i8", ubyte: "u8", int16_t: "i16", uint16_t: "u16", short: "i16", ushort: "u16",
  int32_t: "i32", uint32_t: "u32", int64_t: "i64", uint64_t: "u64", long: "i64", ulong: "u64",
  unorm8: "unorm8", snorm8: "snorm8", unorm16: "unorm16", snorm16: "snorm16", xbyte: "x8", xshort: "x16", xint: "x32",
};

/** The most rows that a struct may be long, in bytes. */
const LONGEST = 4096;

/** The struct of a text; a text where it is none, which says what is wrong. */
export function parse(source: string): Struct | string {
  const fields: Field[] = [];
  let offset = 0;
  const text = source
    .replace(/\/\/[^\n]*/g, " ")
    .replace(/\/\*.*?\*\//gs, " ")
    .replace(/^\s*struct\s*\w*\s*\{(.*)\}\s*;?\s*$/s, "$1");
  for (const statement of text.split(";")) {
    const words = statement.trim();
    if (words === "") continue;
    const pad = /^pad\s+(\d{1,6})$/.exec(words);
    if (pad !== null) {
      offset += Number(pad[1]);
    } else {
      const match = /^(?:row_major\s+|column_major\s+)?(\w+?)([1-4])?(?:x([1-4]))?\s+(\w+)\s*(?:\[\s*(\d{1,4})\s*\])?$/.exec(words);
      const named = /^(\w+)\s+(\w+)\s*(?:\[\s*(\d{1,4})\s*\])?$/.exec(words);
      const direct = named === null ? undefined : lookup(named[1] ?? "");
      let scalar: Scalar | undefined;
      let components = 1;
      let lines = 1;
      let name = "";
      let count = 1;
      let array = false;
      if (named !== null && direct !== undefined) {
        scalar = direct;
        name = named[2] ?? "";
        array = named[3] !== undefined;
        count = Number(named[3] ?? 1);
      } else if (match !== null) {
        scalar = lookup(match[1] ?? "");
        components = Number(match[2] ?? 1);
        if (match[3] !== undefined) {
          lines = components;
          components = Number(match[3]);
        }
        name = match[4] ?? "";
        array = match[5] !== undefined;
        count = Number(match[5] ?? 1);
      }
      if (scalar === undefined) return `“${words}” is no field. A field is a type and a name: float3 position; uint colour; half2 uv[2]; pad 4;`;
      if (fields.length + count * lines > 512) return "A struct may have 512 fields.";
      for (let element = 0; element < count; element += 1) {
        for (let line = 0; line < lines; line += 1) {
          const full = name + (array ? `[${element}]` : "") + (lines > 1 ? `.${line}` : "");
          fields.push({ name: full, scalar, components, offset });
          offset += SIZES[scalar] * components;
        }
      }
    }
    if (offset > LONGEST) return `A struct may be ${LONGEST} bytes long.`;
  }
  if (fields.length === 0) return "A struct needs a field, such as float3 position;";
  return { fields, stride: offset };
}

function lookup(name: string): Scalar | undefined {
  return Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
}

/** The values of a field in a row. `null`: the bytes end before it. */
export function values(field: Field, bytes: DataView, row: number): (number | bigint | string | null)[] {
  const size = SIZES[field.scalar];
  return Array.from({ length: field.components }, (_, index) => {
    const at = row + field.offset + index * size;
    return at + size > bytes.byteLength ? null : scalarAt(field.scalar, bytes, at);
  });
}

function scalarAt(scalar: Scalar, bytes: DataView, at: number): number | bigint | string {
  switch (scalar) {
    case "f16": return half(bytes.getUint16(at, true));
    case "f32": return bytes.getFloat32(at, true);
    case "f64": return bytes.getFloat64(at, true);
    case "i8": return bytes.getInt8(at);
    case "i16": return bytes.getInt16(at, true);
    case "i32": return bytes.getInt32(at, true);
    case "i64": return bytes.getBigInt64(at, true);
    case "u8": return bytes.getUint8(at);
    case "u16": return bytes.getUint16(at, true);
    case "u32": return bytes.getUint32(at, true);
    case "u64": return bytes.getBigUint64(at, true);
    case "unorm8": return bytes.getUint8(at) / 255;
    case "snorm8": return Math.max(-1, bytes.getInt8(at) / 127);
    case "unorm16": return bytes.getUint16(at, true) / 65535;
    case "snorm16": return Math.max(-1, bytes.getInt16(at, true) / 32767);
    case "x8": return bytes.getUint8(at).toString(16).padStart(2, "0");
    case "x16": return bytes.getUint16(at, true).toString(16).padStart(4, "0");
    case "x32": return bytes.getUint32(at, true).toString(16).padStart(8, "0");
    case "b32": return bytes.getUint32(at, true) === 0 ? "false" : "true";
  }
}

/** A float of 16 bits (IEEE 754 binary16). */
export function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The struct of formats of vertex elements and views, where there is one. */
export function ofFormat(format: string, name: string): string | null {
  const plain = format.replace(/^DXGI_FORMAT_/, "");
  const match = /^(?:[RGBAX](8|16|32)){1,4}_(FLOAT|UINT|SINT|UNORM|SNORM|TYPELESS)(?:_SRGB)?$/.exec(plain);
  if (match === null) {
    if (/^B8G8R8[AX]8_/.test(plain)) return `unorm84 ${name};`;
    return null;
  }
  const count = (plain.match(/[RGBAX]\d+/g) ?? []).length;
  const bits = match[1] ?? "";
  const types: Readonly<Record<string, string | undefined>> = {
    FLOAT: bits === "16" ? "half" : "float", UNORM: `unorm${bits}`, SNORM: `snorm${bits}`, UINT: `uint${bits}_t`, SINT: `int${bits}_t`, TYPELESS: `uint${bits}_t`,
  };
  const type = bits === "32" && /NORM/.test(match[2] ?? "") ? undefined : types[match[2] ?? ""];
  return type === undefined ? null : `${type}${count === 1 ? "" : count} ${name};`;
}
