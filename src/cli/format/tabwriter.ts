/** Text columns in the layout of Go's tabwriter: two spaces apart, with each section aligned separately. */
import { hasHidden, visibleLine } from '../../kit/visible.ts';

type Style = (text: string) => string;
interface StyledCell {
  readonly text: string;
  readonly style: Style;
}
export type Cell = string | StyledCell;

export interface Section {
  readonly rows: readonly (readonly Cell[])[];
  /** Indexes of the columns that are aligned right. */
  readonly right?: readonly number[];
}

const padding = 2;

/**
 * Formats a section. The last cell of a row is not padded, so that a row with an empty last cell ends in spaces, as in
 * Juju's output.
 */
export function formatSection({ rows, right = [] }: Section): string {
  const widths: number[] = [];
  for (const row of rows) {
    // The last cell of a row does not widen its column.
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

/**
 * Returns the cell's text with control characters and line ends made visible, because charms, agents and clouds write
 * many cells.
 */
const textOf = (cell: Cell): string => {
  const text = typeof cell === 'string' ? cell : cell.text;
  return hasHidden(text) || text.includes('\n') ? visibleLine(text) : text;
};

/** Returns the width of a text in code points, as Go counts it. */
const width = (text: string): number => Array.from(text).length;
