import { expect, test } from 'vitest';
import { applied, emptyLive, planFile } from '../../testing/model-file/world.ts';
import { changesOf } from './changes.ts';
import type { LiveModel } from './plan.ts';

type Acl = Readonly<Record<string, string>>;

/** A file whose application `owner` has an offer with that access. */
function fileOf(owner: 'db' | 'other', acl: Acl): object {
  const offers = { data: { endpoints: ['db'], acl } };
  const mysql = (name: string): object => ({ charm: './mysql', ...(name === owner ? { offers } : {}) });
  return { access: { ann: 'admin', bob: 'read' }, applications: { db: mysql('db'), other: mysql('other') } };
}
const live = (acl: Acl): LiveModel => applied(emptyLive, planFile(fileOf('db', acl), emptyLive));

test('an offer that moves shows access that it gets, and where that changes from which', () => {
  const now = live({ bob: 'read', eve: 'read', kim: 'admin' });
  const file = fileOf('other', { bob: 'read', 'eve@local': 'consume', kim: 'read', new: 'read' });
  const plan = planFile(file, now, { movable: new Set(['data']) });
  expect(changesOf(plan.steps, now, plan)).toEqual([
    {
      action: 'replace',
      kind: 'offer',
      name: 'data',
      why: 'it is of application db, and consumers have to consume it again',
      values: {
        application: { to: 'other' },
        endpoints: { to: ['db'] },
        'access.bob': { to: 'read' },
        'access.eve@local': { from: 'read', to: 'consume' },
        'access.kim': { from: 'admin', to: 'read' },
        'access.new': { to: 'read' },
      },
    },
  ]);
});

test('an offer that moves loses access that the file does not name, except of admins of the model, and the plan says so', () => {
  const now = live({ ann: 'admin', bob: 'read', eve: 'consume' });
  const [refused] = planFile(fileOf('other', { Bob: 'read' }), now).refused;
  expect(refused?.why).toBe(
    'it is of application db, and consumers have to consume it again; access that the file does not name goes with it: eve (consume)',
  );
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`u${10 + i}`, 'read']));
  const [crowd] = planFile(fileOf('other', {}), live(many)).refused;
  expect(crowd?.why).toMatch(/: u10 \(read\), .*u19 \(read\), and 2 more$/);
});
