/** Differences between documents, in words. A value that may be a secret is never in them. */

import { ValueGone } from '../value-gone.ts';

/** In the place of a value that is not shown. */
export const redacted = '<redacted>';

export type Values = Readonly<Record<string, unknown>>;

/**
 * Which keys were set, changed and unset, without the values: what units tell each other is often a secret.
 * `set host, port; changed user; unset old`, '' for no difference.
 */
export function changedKeys(before: Values = {}, after: Values = {}): string {
  const keys = differingKeys(before, after);
  const parts = [
    ['set', keys.filter((key) => !Object.hasOwn(before, key))],
    ['changed', keys.filter((key) => Object.hasOwn(before, key) && Object.hasOwn(after, key))],
    ['unset', keys.filter((key) => !Object.hasOwn(after, key))],
  ] as const;
  return parts.flatMap(([verb, some]) => (some.length > 0 ? [`${verb} ${some.join(', ')}`] : [])).join('; ');
}

/** For each key that differs: `port 80 -> 8080`, `port set to 80`, `port 80 unset`. */
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

/** What `tell` says; when the values that it looks at are no longer kept, how long they were and their hash. */
export function toldOf(what: string, tell: () => string[]): string[] {
  try {
    return tell();
  } catch (error) {
    if (error instanceof ValueGone) return [`${what} (${error.message})`];
    throw error;
  }
}

/** As on a command line: without quotes where none are needed. Long ones are cut. */
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
