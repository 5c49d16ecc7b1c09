/** Storage directives: which pool, which size and how many (storage.md#directives). */
import { notValid } from '../errors.ts';

export interface StorageDirective {
  readonly pool?: string;
  /** Size in MiB. */
  readonly size?: number;
  readonly count?: number;
}

const poolForm = /^[a-zA-Z][a-zA-Z0-9]*(?:[-?][a-zA-Z0-9]+)*$/;
const sizeForm = /^(\d+(?:\.\d+)?)([MGTPEZY])(?:i?B)?$/i;

/** Parses `<pool>,<count>,<size>`: parts in any order, each at most once. Errors: `not valid`. */
export function parseDirective(text: string, name: string): StorageDirective {
  const found: { pool?: string; size?: number; count?: number } = {};
  const once = <K extends keyof typeof found>(key: K, value: NonNullable<(typeof found)[K]>): void => {
    if (found[key] !== undefined) throw notValid(`storage "${name}": more than one ${key} in "${text}"`);
    found[key] = value;
  };
  for (const part of text.split(',').map((one) => one.trim())) {
    const size = parseSize(part);
    if (part === '') throw notValid(`storage "${name}": empty part in "${text}"`);
    if (/^-?\d+$/.test(part)) once('count', readCount(part, name));
    else if (size !== undefined) once('size', size);
    else if (isPoolName(part)) once('pool', part);
    else throw notValid(`storage "${name}": cannot read "${part}" as a pool, a count or a size`);
  }
  // A directive asks for one, unless it says otherwise.
  return { count: 1, ...found };
}

function readCount(text: string, name: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count <= 0)
    throw notValid(`storage "${name}": count must be greater than zero, got "${text}"`);
  return count;
}

export function isPoolName(name: string): boolean {
  return name.length <= 100 && poolForm.test(name);
}

/** A size in MiB, rounded up; undefined when the text is none. */
export function parseSize(text: string): number | undefined {
  const match = sizeForm.exec(text);
  if (!match) return undefined;
  const factor = 1024 ** 'MGTPEZY'.indexOf(match[2]!.toUpperCase());
  const size = Math.ceil(Number(match[1]) * factor);
  return Number.isSafeInteger(size) ? size : undefined;
}

/** A size as people read it: `1.0 GiB`. */
export function showSize(mib: number): string {
  let value = mib;
  let unit = 0;
  while (value >= 1024 && unit < 6) {
    value /= 1024;
    unit++;
  }
  const digits = value < 10 ? (Math.floor(value * 10 + 0.5) / 10).toFixed(1) : String(Math.round(value));
  return `${value < 10 && unit === 0 && Number.isInteger(value) ? value.toFixed(1) : digits} ${'MGTPEZY'[unit]}iB`;
}

/** A directive in the form that it is given in: `local,2,1024M`. */
export function formatDirective({ pool, size, count }: StorageDirective): string {
  return [pool, count, size === undefined ? undefined : `${size}M`]
    .filter((part) => part !== undefined)
    .join(',');
}
