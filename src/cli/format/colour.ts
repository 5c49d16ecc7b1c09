import { styleText } from 'node:util';
import type { Cell } from './tabwriter.ts';

export type Colour = 'on' | 'off';
type Format = Parameters<typeof styleText>[0];

const formats: Readonly<Record<string, Format>> = {
  active: 'green',
  idle: 'green',
  started: 'green',
  available: 'green',
  completed: 'green',
  joined: 'green',
  running: 'green',
  allocating: 'yellow',
  executing: 'yellow',
  lost: 'yellow',
  maintenance: 'yellow',
  pending: 'yellow',
  rolling: 'yellow',
  paused: 'yellow',
  waiting: 'yellow',
  aborting: 'yellow',
  unknown: 'yellow',
  aborted: 'red',
  blocked: 'red',
  cancelled: 'red',
  down: 'red',
  error: 'red',
  failed: 'red',
};

/** Colours a status: green for good, yellow for in progress, red for states that need the user. */
export function styleStatus(colour: Colour, text: string): Cell {
  if (colour === 'off' || !Object.hasOwn(formats, text)) return text;
  return { text, style: (t) => inColourOf(text, t) };
}

/** Gives a text the colour of a status. */
export function inColourOf(status: string, text: string): string {
  const format = Object.hasOwn(formats, status) ? formats[status] : undefined;
  return format ? styleText(format, text, { validateStream: false }) : text;
}

/** Decides about colours: on when requested or on a terminal, never with NO_COLOR or --no-color. */
export function chooseColour(
  io: { stdout: { isTTY: boolean }; env: Readonly<Record<string, string | undefined>> },
  flags: { color: boolean; noColor: boolean },
): Colour {
  if (flags.noColor) return 'off';
  if (flags.color) return 'on';
  return io.stdout.isTTY && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb' ? 'on' : 'off';
}
