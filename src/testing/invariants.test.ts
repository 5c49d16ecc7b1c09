/** Each violation of an invariant is reported when a test changes a model by hand. */
import { offerDoc } from './offers.ts';
import { attachedTo, storageDoc } from './storage-doc.ts';
import { describe, expect, test } from 'vitest';
import type { Tx } from '../controller/transactions/tx.ts';
import type { Entities } from '../core/kinds.ts';
import { seen, violations } from './invariants.ts';
import { begin } from './lives/walk.ts';
import { World } from './lives/world.ts';

/** Creates db/0 on machine 0 with log/0 beside it, peers, and a relation of each scope with web/0 on machine 1. */
async function world(): Promise<World> {
  const made = new World();
  await begin(made, {
    name: 'invariants',
    begin: [
      { do: 'deploy', application: 'db', charm: 'db', units: 1 },
      { do: 'deploy', application: 'web', charm: 'web', units: 1 },
      { do: 'deploy', application: 'log', charm: 'log', units: 0 },
      { do: 'integrate', ends: ['web:db', 'db:server'] },
      { do: 'integrate', ends: ['log:info', 'db:juju-info'] },
    ],
    script: [],
  });
  return made;
}

type Changeable = 'application' | 'machine' | 'relation' | 'unit';
function change<P extends Changeable>(kind: P, id: string, more: Partial<Entities[P]>): (tx: Tx) => void {
  return (tx) => tx.put(kind, id, { ...tx.get(kind, id)!, ...more });
}
const since = { dyingSince: '2026-01-01T00:00:00.000Z' };

const pending = {
  pending: {
    since: since.dyingSince,
    missing: [{ endpoint: 'db', interface: 'sql', applications: [] }],
  },
};
function unplace(tx: Tx, name: string, more: Partial<Entities['unit']>): void {
  const { machine: _, ...unit } = tx.get('unit', name)!;
  tx.put('unit', name, { ...unit, ...more });
}

const wrongs: [string, (tx: Tx) => void][] = [
  [
    'application web waits for [], it should wait for [{"endpoint":"db","interface":"sql","applications":[]}]',
    (tx) => {
      tx.remove('relation', '1');
      change('application', 'web', { require: ['db'] })(tx);
    },
  ],
  [
    'application web waits for [{"endpoint":"db","interface":"sql","applications":[]}], it should wait for []',
    change('application', 'web', pending),
  ],
  ['unit web/0 is unplaced and on machine 1', change('unit', 'web/0', { unplaced: {} })],
  ['unit web/0 has no machine and is not unplaced', (tx) => unplace(tx, 'web/0', {})],
  ['unit web/0 is unplaced and deployed', (tx) => unplace(tx, 'web/0', { unplaced: {} })],
  ['unit web/0 is unplaced and in relation 1', (tx) => unplace(tx, 'web/0', { unplaced: {} })],
  [
    'unit web/0 is unplaced and dying',
    (tx) => unplace(tx, 'web/0', { unplaced: {}, life: 'dying', ...since }),
  ],
  ['unit log/0 has a principal that is unplaced', (tx) => unplace(tx, 'db/0', { unplaced: {} })],
  ['unit db/0 has no application', (tx) => tx.remove('application', 'db')],
  ['application web has no charm local:web-0', (tx) => tx.remove('charm', 'local:web-0')],
  ['unit web/0 has no machine 1', (tx) => tx.remove('machine', '1')],
  ['unit log/0 has no principal db/0', (tx) => tx.remove('unit', 'db/0')],
  ["unit log/0 is not on its principal's machine", change('unit', 'log/0', { machine: '1' })],
  [
    'there is more than one unit of log beside db/0',
    (tx) => tx.put('unit', 'log/1', { ...tx.get('unit', 'log/0')!, name: 'log/1' }),
  ],
  [
    'unit log/1 has a number that "unit log" gives next (1)',
    (tx) => tx.put('unit', 'log/1', { ...tx.get('unit', 'log/0')!, name: 'log/1' }),
  ],
  ['unit web/0 is dead and has scope of relation 1', change('unit', 'web/0', { life: 'dead', ...since })],
  ['machine 1 is dead and has unit web/0', change('machine', '1', { life: 'dead', ...since })],
  ['unit web/0 is on machine 1, which is dead', change('machine', '1', { life: 'dead', ...since })],
  ['application db is dead and has unit db/0', change('application', 'db', { life: 'dead', ...since })],
  ['relation 1 (web:db db:server) is dead', change('relation', '1', { life: 'dead', ...since })],
  ['application log is dying and nothing holds it', (tx) => endLog(tx)],
  ['relation 2 (log:info db:juju-info) is dying and nobody is in it', (tx) => endLog(tx)],
  ['unit web/0 is dying since undefined', change('unit', 'web/0', { life: 'dying' })],
  ['unit web/0 is alive since 2026-01-01T00:00:00.000Z', change('unit', 'web/0', since)],
  [
    'unit web/0 is forced and alive',
    change('unit', 'web/0', { force: { deadline: '2026-01-01T00:00:00.000Z', by: 'user-admin' } }),
  ],
  [
    'machine 0 is dying and runs the controller',
    change('machine', '0', { life: 'dying', isController: true }),
  ],
  ['scope of web/0 in relation 1: there is no such unit', (tx) => tx.remove('unit', 'web/0')],
  ['scope of web/0 in relation 1: there is no such relation', (tx) => tx.remove('relation', '1')],
  ['settings of web/0 in relation 1, which is gone', (tx) => tx.remove('relation', '1')],
  ['relation 1 (web:db db:server) has no application web', (tx) => tx.remove('application', 'web')],
  [
    'relation 7 (web:db db:server) is there more than once',
    (tx) => tx.put('relation', '7', { ...tx.get('relation', '1')!, id: 7 }),
  ],
  [
    'status workload of web/9, which is gone',
    (tx) =>
      tx.put('status', 'workload:web/9', {
        kind: 'workload',
        entity: 'web/9',
        status: 'active',
        message: '',
        since: tx.now,
      }),
  ],
  [
    'lease of web held by web/9, which is gone',
    (tx) => tx.put('lease', 'web', { application: 'web', holder: 'web/9', expiresAt: tx.now }),
  ],
  [
    'payloads of unit web/9, which is gone',
    (tx) => tx.put('payloads', 'web/9', { unit: 'web/9', payloads: {} }),
  ],
  [
    'annotation of unit-web-9, which is gone',
    (tx) => tx.put('annotation', 'unit-web-9', { tag: 'unit-web-9', values: {} }),
  ],
  [
    'storage data/0 of unit web/9, which is gone',
    (tx) => tx.put('storage', 'data/0', storageDoc('data/0', attachedTo('web/9'))),
  ],
  ['offer it of mysql, which is gone', (tx) => tx.put('offer', 'it', offerDoc('it', 'mysql'))],
];

/** Leaves log without units and its relation without members. */
function endLog(tx: Tx): void {
  tx.remove('unit', 'log/0');
  for (const unit of ['log/0', 'db/0']) tx.remove('scope', `2#${unit}`);
  change('application', 'log', { life: 'dying', ...since })(tx);
  change('relation', '2', { life: 'dying', ...since })(tx);
}

test.each(wrongs)('%s', async (text, wrong) => {
  const made = await world();
  expect(violations(made.view)).toEqual([]);
  made.change(wrong);
  expect(violations(made.view)).toContainEqual(expect.stringContaining(text));
});

describe('violations in comparison with an earlier state', () => {
  const later: [string, (tx: Tx) => void, (tx: Tx) => void][] = [
    [
      'unit web/0 was dying and is alive',
      change('unit', 'web/0', { life: 'dying', ...since }),
      change('unit', 'web/0', { life: 'alive' }),
    ],
    [
      'unit web/0 was dying since 2026-01-01T00:00:00.000Z, and now since 2027-01-01T00:00:00.000Z',
      change('unit', 'web/0', { life: 'dying', ...since }),
      change('unit', 'web/0', { dyingSince: '2027-01-01T00:00:00.000Z' }),
    ],
    ['unit web/0 was on machine 1, it is on 0', () => undefined, change('unit', 'web/0', { machine: '0' })],
    [
      'unit web/0 was placed while application web is pending',
      (tx) => unplace(tx, 'web/0', { unplaced: {} }),
      (tx) => {
        change('application', 'web', pending)(tx);
        change('unit', 'web/0', { machine: '1' })(tx);
      },
    ],
    [
      'unit log/0 has a number that was given before',
      (tx) => tx.remove('unit', 'log/0'),
      (tx) => tx.put('unit', 'log/0', { ...tx.get('unit', 'web/0')!, name: 'log/0', application: 'log' }),
    ],
    [
      'sequence "unit log" went back from 1 to 0',
      () => undefined,
      (tx) => tx.put('sequence', 'unit log', { name: 'unit log', next: 0 }),
    ],
  ];
  test.each(later)('%s', async (text, first, then) => {
    const made = await world();
    made.change(first);
    const before = seen(made.view);
    made.change(then);
    expect(violations(made.view, before)).toContain(text);
  });
});
