/** Every text that a caller gives to be evaluated is evaluated in time that is linear in its length. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vite';
import { ignoreRules } from '../operate/files/jujuignore.ts';
import { parsePastTime } from '../cli/past-time.ts';
import { parseBase } from '../core/base.ts';
import { parseConstraints } from '../core/constraints.ts';
import { parseDuration } from '../core/duration.ts';
import { parseGoal } from '../core/goal/goal.ts';
import { globMatcher } from '../core/glob.ts';
import { limits } from '../core/limits.ts';
import { checkSchema } from '../kit/json-schema/check-schema.ts';
import { patternSize } from '../kit/json-schema/pattern-size.ts';
import { validate } from '../kit/json-schema/validate.ts';
import { SchemaWork } from '../kit/json-schema/work.ts';
import * as names from '../core/names.ts';
import { parsePlacement } from '../core/placement.ts';
import { parseLogQuery } from '../controller/server/log-query.ts';
import type { LogLine } from '../store/logs.ts';
import { some } from './thorough.ts';
import { parseTag, tagKinds } from '../wire/tags.ts';

const length = 50_000;
const cores = [
  'a',
  '0',
  '-',
  '-a',
  '0.',
  'a-',
  'a.',
  '/',
  '0/',
  '/lxd/0',
  ' ',
  '\t',
  '\n',
  ' \n',
  'a b ',
  ',',
  'a=',
  '*',
  '_',
];
const allTexts = cores.flatMap((core) => {
  const body = core.repeat(length / core.length);
  return ['', 'a', '0', 'unit-', 'user-', 'machine-0', '"request-id":', 'tag:', '1h'].flatMap((start) => [
    `${start}${body}`,
    `${start}${body}\0`,
  ]);
});
const texts = some(allTexts, 79);

/**
 * Measures the time of the work. Quadratic evaluation of such a length takes seconds, exponential evaluation never
 * ends; linear evaluation takes 1 ms.
 */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  try {
    work();
  } catch {
    // Refusals count as evaluations.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
const costMax = 1000;

const evaluators: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    Object.entries(names)
      .filter(([name]) => name.startsWith('is'))
      .map(([name, check]) => [name, check as (text: string) => unknown]),
  ),
  compareNames: (text) => names.compareNames(text, `${text}1`),
  globMatcher: (text) => globMatcher(text.slice(0, limits.globLength.max)),
  'globMatcher on a long text': (text) => globMatcher('*a*a*a*a*a*a*a*a*b')(text),
  ignoreRules: (text) => ignoreRules(text.slice(0, 200))('a/b/c', 'file'),
  'ignoreRules on a long path': (text) => ignoreRules('**/a/**/a/**/a/**/b')(text.slice(0, 1024), 'file'),
  patternSize,
  'patterns of schemas': (text) =>
    ['', '+', '{99}'].map((end) => checkSchema({ pattern: `${text.slice(0, 300)}${end}` }, new SchemaWork())),
  'patterns of schemas on a long text': (text) =>
    ['^(a+)+$', '^(a|a)*$', '(.*)*b', '^([a-z0-9]+-?)*[^a]$'].map((pattern) =>
      validate({ pattern }, text.slice(0, 20_000), new SchemaWork()),
    ),
  parseBase,
  ...Object.fromEntries(
    ['', 'name==', '"', "'", '('].map((start) => [
      `parseGoal after ${start || 'nothing'}`,
      (text: string) =>
        parseGoal(`${start}${text.slice(0, limits.goalQuery.max - start.length)}`, {
          types: { unit: { name: 'text', a: 'text' } },
          kind: 'unit',
        }),
    ]),
  ),
  parseConstraints,
  parseDuration,
  parsePastTime: (text) => parsePastTime(text, 0),
  parsePlacement,
  parseTag,
  ...Object.fromEntries(
    tagKinds.map((kind) => [`parseTag of ${kind}`, (text: string) => parseTag(`${kind}-${text}`)]),
  ),
  'parseLogQuery, entities of lines': (text) =>
    parseLogQuery(new URLSearchParams({ includeEntity: '*a*a*a*a*a*a*a*a*b' })).matches(line(text)),
  'parseLogQuery, patterns of entities': (text) =>
    parseLogQuery(new URLSearchParams({ excludeEntity: `*${text}*a`, includeModule: text })).matches(
      line('a'.repeat(length)),
    ),
};

function line(tag: string): LogLine {
  return { ts: '2026-01-01T00:00:00Z', tag, sev: 'INFO', mod: tag, loc: '', msg: '' };
}

test.each(Object.entries(evaluators))('%s', (_, evaluate) => {
  for (const text of texts)
    expect(
      costOf(() => evaluate(text)),
      text.slice(0, 30),
    ).toBeLessThan(costMax);
});

test('a pattern of 28 stars is matched at once', () => {
  const matches = globMatcher('*a'.repeat(28) + 'b');
  expect(costOf(() => matches('a'.repeat(100_000)))).toBeLessThan(costMax);
});

const folder = join(import.meta.dirname, '..');
const patterns = new Map<string, { readonly path: string; readonly pattern: RegExp }>();
for (const path of globSync('**/*.ts', { cwd: folder })) {
  if (path.endsWith('.test.ts') || path.startsWith('testing/')) continue;
  const text = readFileSync(join(folder, path), 'utf8');
  if (mayRepeat(text)) find(parseAst(text, { lang: 'ts' }), path);
}

/**
 * Whether a source has a line in which a repetition stands between slashes, comments and imports aside: no other source
 * has a pattern that repeats something, and parsing all sources takes a second.
 */
function mayRepeat(source: string): boolean {
  const code = source.replaceAll(/^ *\/\*\*[^]*?\*\/|^ *\/\/.*$|^import .*$|^\} from .*$/gm, '');
  return /\/.*[*+}].*\//.test(code);
}

function find(node: unknown, path: string): void {
  if (typeof node !== 'object' || node === null) return;
  const { regex } = node as { regex?: { pattern: string; flags: string } };
  // Patterns that repeat nothing are matched in linear time; several places have the same pattern.
  if (regex && /[*+}]/.test(regex.pattern) && !patterns.has(`${regex.pattern}/${regex.flags}`))
    patterns.set(`${regex.pattern}/${regex.flags}`, {
      path,
      pattern: new RegExp(regex.pattern, regex.flags),
    });
  for (const value of Object.values(node)) find(value, path);
}

/** Returns texts that the pattern begins to match again and again: its own words, many times. */
function textsFor({ source }: RegExp): string[] {
  if (!/[*+]|,\}/.test(source)) return [];
  const words = source
    .replaceAll(/\[\^[^\]]*\]/g, '.')
    .replaceAll(/\[\\?(.)[^\]]*\]/g, '$1')
    .replaceAll(/\\[bBn]|\(\?[:=!<]+|\{[^}]*\}|[()?*+^$]/g, '')
    .replaceAll(String.raw`\s`, ' ')
    .replaceAll(String.raw`\d`, '0')
    .replaceAll(/\\([wS])/g, 'a')
    .replaceAll('\\', '')
    .split(/[.|]/)
    .filter((word) => word.length > 1);
  return [...new Set(words)].flatMap((word) =>
    ['', ' ', '\n'].map((between) => `${word}${between}`.repeat(150_000 / word.length)),
  );
}

test('every regular expression of the product is matched in linear time', () => {
  expect(patterns.size).toBeGreaterThan(100);
  const slow = [...patterns.values()].filter(({ pattern }) =>
    [...texts, ...textsFor(pattern)].some((text) => {
      pattern.lastIndex = 0;
      return costOf(() => pattern.test(text)) >= costMax;
    }),
  );
  expect(slow).toEqual([]);
}, 120_000);
