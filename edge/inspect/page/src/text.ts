// Numbers as people read them.

/** 1234567 as 1,234,567. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** A number that may have a fraction, with six digits that count. */
export function decimal(value: number): string {
  return Number.isInteger(value) ? grouped(value) : value.toLocaleString("en-US", { maximumSignificantDigits: 6 });
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let unit = -1;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}

/** A time or a duration in nanoseconds, in the unit that fits. */
export function time(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)} ns`;
  if (size < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  if (size < 1e9) return `${(ns / 1e6).toFixed(2)} ms`;
  return `${(ns / 1e9).toFixed(3)} s`;
}

/** The shortest decimal number that is this 32-bit float: all digits that it has, no more. */
export function float(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0";
  const wanted = Math.fround(value);
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(wanted.toPrecision(digits));
    if (Math.fround(short) === wanted) return String(short);
  }
  return String(Number(wanted.toPrecision(9)));
}

/** The name of an enumerator without the part that all of its enumeration share, which readers know by heart. */
export function brief(name: string): string {
  return name
    .replace(/^DXGI_FORMAT_/, "")
    .replace(/^D3D12_RESOURCE_STATE_/, "")
    .replace(/^D3D12_SHADER_VISIBILITY_/, "")
    .replace(/^D3D_PRIMITIVE_TOPOLOGY_/, "")
    .replace(/^D3D12_COMMAND_LIST_TYPE_/, "")
    .replace(/^D3D12_DESCRIPTOR_HEAP_TYPE_/, "")
    .replace(/^D3D12_HEAP_TYPE_/, "");
}

export function hex(value: number, digits = 8): string {
  return value.toString(16).padStart(digits, "0");
}

/** A word of the command line, quoted for a shell where it needs to be. */
export function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
