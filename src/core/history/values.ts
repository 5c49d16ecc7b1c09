/** Differences between documents, in words that never contain a value that may be a secret. */

import { ValueGone } from '../value-gone.ts';

/** Shown in place of a secret value. */
export const redacted = '<redacted>';

export type Values = Readonly<Record<string, unknown>>;

/**
 * Keys that were set, changed and unset, without their values, because relation data is often secret: `set host, port;
 * changed user; unset old`; '' = no difference.
 */
export function changedKeys(before: Values = {}, after: Values = {}): string {
  const keys = differingKeys(before, after);
  const parts = [
    ['set', keys.filter((key) => !Object.hasOwn(before, key))],
    ['changed', keys.filter((key) => Object.hasOwn(before, key) && Object.hasOwn(after, key))],
    ['unset', keys.filter((key) => !Object.hasOwn(after, key))],
  ] as const;
  return parts
    .flatMap(([verb, changed]) => (changed.length > 0 ? [`${verb} ${changed.join(', ')}`] : []))
    .join('; ');
}

/** A phrase for each key that differs: `port 80 -> 8080`, `port set to 80`, `port 80 unset`. */
export function changedValues(
  before: Values = {},
  after: Values = {},
  isSecret: (key: string) => boolean = () => false,
): string[] {
  return differingKeys(before, after).map((key) => {
    const show = (value: unknown): string => (isSecret(key) ? redacted : shown(value));
    if (!Object.hasOwn(before, key)) return `${key} set to ${show(after[key])}`;
    if (!Object.hasOwn(after, key)) return `${key} ${show(before[key])} unset`;
    return isSecret(key)
      ? `${key} changed (${redacted})`
      : `${key} ${show(before[key])} -> ${show(after[key])}`;
  });
}

/** The phrases of `tell`; when the values it reads are no longer stored, their length and hash. */
export function toldOf(what: string, tell: () => string[]): string[] {
  try {
    return tell();
  } catch (error) {
    if (error instanceof ValueGone) return [`${what} (${error.message})`];
    throw error;
  }
}

/** A value as on a command line: quoted only where needed, and cut when long. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' && /^[\w./:@%+,-]+$/.test(value) ? value : JSON.stringify(value);
  if (text.length <= longest) return text;
  const size = text.length > worthItsSize ? ` (${text.length} characters)` : '';
  return `${text.slice(0, longest)}…${size}`;
}
const longest = 60;
const worthItsSize = 1000;

function differingKeys(before: Values, after: Values): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !same(before[key], after[key])).sort();
}

export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
