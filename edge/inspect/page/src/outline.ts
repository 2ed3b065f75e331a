// A tree as rows: which node stands in which row, while only opened nodes have rows below them.
//
// A node may have millions of children, of which a few are open. So a node keeps only its open children, sorted by their place among their
// siblings, and the rows below each.

export interface Branch {
  readonly id: string;
  /** How many children it has. */
  children: number;
  /** Its open children by their place, in order. */
  open: { index: number; branch: Branch }[];
}

/** A row: the child at `index` of `parent`. `branch` is its own, where it is open. */
export interface Row {
  readonly parent: Branch;
  readonly index: number;
  readonly depth: number;
  readonly branch: Branch | null;
}

export function branch(id: string, children: number): Branch {
  return { id, children, open: [] };
}

/** Rows below a branch. */
export function rows(node: Branch): number {
  let sum = node.children;
  for (const child of node.open) sum += rows(child.branch);
  return sum;
}

/** The row with a number, counted from the first child of `root`. */
export function at(root: Branch, row: number): Row | null {
  let node = root;
  let depth = 0;
  if (row < 0 || row >= rows(root)) return null;
  descend: for (;;) {
    // Rows above the current open child: its earlier siblings, and what is open below them.
    let skipped = 0;
    for (const child of node.open) {
      const own = child.index + skipped;
      if (row < own) break;
      if (row === own) return { parent: node, index: child.index, depth, branch: child.branch };
      const below = rows(child.branch);
      if (row <= own + below) {
        row -= own + 1;
        node = child.branch;
        depth += 1;
        continue descend;
      }
      skipped += below;
    }
    return { parent: node, index: row - skipped, depth, branch: null };
  }
}

/** The row of the child that a path of places leads to. Stops at the first child on the way that is not open. */
export function find(root: Branch, path: readonly number[]): number {
  let node = root;
  let row = -1;
  for (const index of path) {
    row += index + 1;
    for (const child of node.open) if (child.index < index) row += rows(child.branch);
    const next = node.open.find((child) => child.index === index);
    if (next === undefined) return row;
    node = next.branch;
  }
  return row;
}

export function unfold(parent: Branch, index: number, node: Branch): void {
  const place = parent.open.findIndex((child) => child.index >= index);
  const there = parent.open[place];
  if (there?.index === index) there.branch = node;
  else parent.open.splice(place < 0 ? parent.open.length : place, 0, { index, branch: node });
}

export function fold(parent: Branch, index: number): void {
  parent.open = parent.open.filter((child) => child.index !== index);
}
