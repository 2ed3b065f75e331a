// Tables as text, for the clipboard.

export type Cell = string | number | boolean | null | undefined;

/** Tab-separated values. Tabs and line ends inside a cell would tear the table: they become spaces. */
export function tsv(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => cells.map((cell) => String(cell ?? "").replace(/[\t\r\n]+/g, " ")).join("\t");
  return [line(head), ...rows.map(line)].join("\n") + "\n";
}
