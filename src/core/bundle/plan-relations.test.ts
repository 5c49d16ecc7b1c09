import { expect, test } from 'vitest';
import { parseMetadata } from '../charm/metadata.ts';
import type { BundleCharm } from './bundle-model.ts';
import { requirementsOf, type RequireMode } from '../requirements/requirement.ts';
import { planRelations, type RelationsToPlan } from './plan-relations.ts';

const base = { name: 'ubuntu', channel: '24.04' };
const charm = (raw: object): BundleCharm => ({ meta: parseMetadata(raw), config: {}, bases: [base] });
const charms = {
  db: charm({ name: 'db', provides: { db: 'sql' } }),
  spy: charm({
    name: 'spy',
    subordinate: true,
    requires: { host: { interface: 'spied', scope: 'container' } },
  }),
};

function plan(
  relations: RelationsToPlan['relations'],
  {
    existing = [],
    asked,
    mode = 'declared',
  }: { existing?: RelationsToPlan['existing']; asked?: readonly string[]; mode?: RequireMode } = {},
) {
  return planRelations({
    relations,
    charms,
    bases: { db: base, spy: base },
    requirements: (_, meta) => requirementsOf(meta, asked, mode),
    saas: {},
    existing,
  });
}

test('a subordinate is attached to any principal by the implicit juju-info where nothing else fits', () => {
  const planned = plan([['spy', 'db']]);
  const ends = planned.flat().map(({ application, name, scope }) => ({ application, name, scope }));
  expect(ends).toEqual([
    { application: 'spy', name: 'juju-info', scope: 'container' },
    { application: 'db', name: 'juju-info', scope: 'container' },
  ]);
  expect(plan([['db', 'spy']], { existing: planned.map((endpoints) => ({ endpoints })) })).toEqual([]);
});

test.each<[string, Parameters<typeof plan>[1]]>([
  ['its operator requires the endpoint', { asked: ['host'] }],
  ['the model requires every endpoint', { mode: 'all' }],
])('a subordinate whose container endpoint does not fit is not related when %s', (_, more) => {
  expect(() => plan([['spy', 'db']], more)).toThrow('no relations found: "spy" requires host (spied)');
});
