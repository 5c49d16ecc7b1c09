/** Text columns as Go's tabwriter lays them out: two spaces between, every section aligned for itself. */
import { hasHidden, visibleLine } from '../../kit/visible.ts';

export type Style = (text: string) => string;
export interface StyledCell {
  readonly text: string;
  readonly style: Style;
}
export type Cell = string | StyledCell;

export interface Section {
  readonly rows: readonly (readonly Cell[])[];
  /** Indexes of columns that are aligned right. */
  readonly right?: readonly number[];
}

const padding = 2;

/** The last cell of a row is not padded, so a row with an empty last cell ends in spaces, as Juju's do. */
export function formatSection({ rows, right = [] }: Section): string {
  const widths: number[] = [];
  for (const row of rows) {
    // A row's last cell ends no column: it does not widen it.
    row.slice(0, -1).forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, width(textOf(cell)))));
  }
  return rows.map((row) => formatRow(row, widths, right)).join('');
}

export function formatSections(sections: readonly Section[]): string {
  return sections
    .filter((section) => section.rows.length > 0)
    .map(formatSection)
    .join('\n');
}

function formatRow(row: readonly Cell[], widths: readonly number[], right: readonly number[]): string {
  let line = '';
  row.forEach((cell, i) => {
    const raw = textOf(cell);
    const shown = typeof cell === 'string' ? raw : cell.style(raw);
    if (i === row.length - 1) {
      line += right.includes(i) ? ' '.repeat(Math.max(0, (widths[i] ?? 0) - width(raw))) + shown : shown;
      return;
    }
    const gap = ' '.repeat(widths[i]! - width(raw));
    line += (right.includes(i) ? gap + shown : shown + gap) + ' '.repeat(padding);
  });
  return `${line}\n`;
}

/** The cell's text without control characters or line ends: charms, agents and clouds write many cells. */
const textOf = (cell: Cell): string => {
  const text = typeof cell === 'string' ? cell : cell.text;
  return hasHidden(text) || text.includes('\n') ? visibleLine(text) : text;
};

/** Code points, as Go counts them. */
const width = (text: string): number => Array.from(text).length;
