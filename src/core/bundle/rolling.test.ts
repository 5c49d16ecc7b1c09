import { expect, test } from 'vitest';
import { charms, done } from '../../testing/bundle/plan-lines.ts';
import { plan } from '../../testing/bundle/model.ts';
import { formatBundle } from './format-bundle.ts';
import { parseBundle } from './parse-bundle.ts';

const bundle = (refresh: unknown): object => ({ applications: { mysql: { charm: './mysql', refresh } } });

test.each([
  [{ 'max-unavailable': 2 }, { maxUnavailable: '2', waitFor: 'active', pauseAfterCanary: false }],
  [
    { 'max-unavailable': '25%', 'wait-for': 'status=="idle"', 'pause-after': 'canary' },
    { maxUnavailable: '25%', waitFor: 'status=="idle"', pauseAfterCanary: true },
  ],
  [{}, undefined],
])('the refresh policy %j of a bundle becomes %j, and is written as it was read', (written, request) => {
  const { bundle: parsed, warnings } = parseBundle(bundle(written));
  expect([parsed.applications['mysql']?.refresh, warnings]).toEqual([request, []]);
  expect(parseBundle(formatBundle(parsed)[0]).bundle).toEqual(parsed);
});

test.each([
  [{ 'max-unavailable': '0' }, 'cannot parse --max-unavailable "0": expected 1 or more, or 1% to 100%'],
  [{ 'pause-after': 'half' }, 'expected canary, got "half"'],
  [{ 'wait-for': 'status==' }, 'cannot parse "status==" in --wait-for'],
])('the refresh policy %j is refused: %s', (written, message) => {
  expect(() => parseBundle(bundle(written))).toThrow(message);
});

test('a refresh step has the policy of its application', () => {
  const charm = { ...charms['mysql']!, replaces: 'local:mysql-0' };
  const { steps } = plan(bundle({ 'max-unavailable': 3 }), done(bundle({})), { ...charms, mysql: charm });
  expect(steps.filter(({ kind }) => kind === 'refresh')).toMatchObject([
    { application: 'mysql', rolling: { maxUnavailable: '3' } },
  ]);
});
