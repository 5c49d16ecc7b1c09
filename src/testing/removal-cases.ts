/** Cases of removals: targets in a small model, and the plan as text. */
import { describe, expect, test } from 'vitest';
import type { EntityRef } from '../core/entity-ref.ts';
import type { Refs } from '../core/impediments.ts';
import type { RemovalOptions } from '../core/removal/plan.ts';
import { planRemoval } from '../core/removal/plan-removal.ts';
import { why } from '../core/removal/why.ts';
import { application, machine, relation, unit } from './explain-view.ts';
import { attachedTo, storageDoc } from './storage-doc.ts';

export type Case = readonly [
  name: string,
  targets: string,
  refs: Refs,
  expected: readonly string[],
  options?: RemovalOptions,
];

const refsOf = (text: string): EntityRef[] =>
  text.split(', ').map((one) => {
    const [kind, id] = one.split(' ');
    return { kind: kind as EntityRef['kind'], id: id! };
  });

/**
 * Formats the plan as text: `unit web/0 web/1: unit of application "web"`; kept entities after `keep`, awaited ones
 * after `wait`.
 */
export function lines(targets: string, refs: Refs, options?: RemovalOptions): string[] {
  const plan = planRemoval(refs, refsOf(targets), options);
  const group = (one: Parameters<typeof why>[0]): string =>
    `${one.kind} ${one.ids.join(' ')}: ${why(one, (id) => refs.get('relation', id)?.key)}`;
  return [
    ...plan.targets.flatMap(({ entity, refusal, passedOver, dies }) => [
      ...(refusal
        ? [`no ${entity.kind} ${entity.id}: ${refusal.message}${refusal.passedOver ? ' (--force)' : ''}`]
        : []),
      ...passedOver.map(({ text }) => `although ${text}`),
      ...dies.map(group),
    ]),
    ...plan.keeps.map((one) => `keep ${group(one)}`),
    ...plan.waits.map((one) => `wait ${group(one)}`),
  ];
}

export const kept = { removeWhenEmpty: false };
export const notStarted = { instance: undefined as never };
export const web = { application: application('web'), unit: unit('web/0', '0'), machine: machine('0') };
export const db = relation(1, 'web:db mysql:server');
export const logs = relation(2, 'log:info web:info', {}, 'container');
export const logger = application('log', { subordinate: true });
export const beside = unit('log/0', '0', { principal: 'web/0' });
export const storage = (name: string, detachable: boolean) => ({
  [name]: storageDoc(name, { ...attachedTo('web/0'), detachable }),
});

/** The unit waits for its requirements and is to be placed on machine 0. */
const { machine: _, ...waits } = unit('shop/0', '', { deployed: false })['shop/0']!;
export const waiting = {
  'shop/0': { ...waits, unplaced: { placement: { scope: '#', directive: '0' } } },
};
export const shop = application('shop', { pending: { since: '', missing: [] } });

/** Tries each case of each table. */
export function tryRemovals(tables: Readonly<Record<string, readonly Case[]>>): void {
  for (const [name, cases] of Object.entries(tables))
    describe(name, () => {
      for (const [rule, targets, refs, expected, options] of cases)
        test(rule, () => expect(lines(targets, refs, options)).toEqual(expected));
    });
}
