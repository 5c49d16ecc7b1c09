import { expect, test } from 'vitest';
import { parseMetadata } from '../charm/metadata.ts';
import type { BundleCharm } from './bundle-model.ts';
import { planRelations } from './plan-relations.ts';

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

test('where nothing else fits, a subordinate stands beside any principal by the implicit juju-info', () => {
  const planned = planRelations({
    relations: [['spy', 'db']],
    charms,
    bases: { db: base, spy: base },
    existing: [],
  });
  const ends = planned.flat().map(({ application, name, scope }) => ({ application, name, scope }));
  expect(ends).toEqual([
    { application: 'spy', name: 'juju-info', scope: 'container' },
    { application: 'db', name: 'juju-info', scope: 'container' },
  ]);
  const again = planRelations({
    relations: [['db', 'spy']],
    charms,
    bases: { db: base, spy: base },
    existing: planned.map((endpoints) => ({ endpoints })),
  });
  expect(again).toEqual([]);
});
