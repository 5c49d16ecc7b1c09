import { expect, test } from 'vitest';
import { noProxies } from '../../providers/contract/start.ts';
import { hookContext } from './hook-context.ts';

/** Returns the relations of a hook's context, and how often the members of the relation were looked through. */
function relationsOf(name: string, remoteUnit: string) {
  const looks = { count: 0 };
  const members = new Proxy<Record<string, number>>(
    { 'web/10': 0, 'web/9': 0 },
    { ownKeys: (target) => (looks.count++, Reflect.ownKeys(target)) },
  );
  const parts = {
    unit: 'web/0',
    mirror: {
      unit: () => ({ application: 'web' }),
      application: () => ({ charmUrl: '', bindings: {} }),
      model: () => ({ system: { proxies: noProxies } }),
      machine: () => ({ addresses: [] }),
      storages: () => [],
      relation: () => ({ endpoints: [{ application: 'web', role: 'peer' }] }),
    },
    local: { charmUrl: '', relations: { 7: { endpoint: 'ring', members } } },
    event: { name, relation: { id: 7, endpoint: 'ring' }, remoteApplication: 'web', remoteUnit },
  };
  return { looks, context: hookContext(parts as never) };
}

test.each([
  ['ring-relation-joined', 'web/1', ['web/1', 'web/9', 'web/10']],
  ['ring-relation-departed', 'web/9', ['web/10']],
])('%s: the members are those that the charm knows, in the order of names', (name, remote, known) => {
  const { context } = relationsOf(name, remote);
  expect(context.relations()).toMatchObject([
    { id: 7, remoteApplication: 'web', peer: true, members: known },
  ]);
});

test('the members are looked through when the charm asks for them, once', () => {
  const { looks, context } = relationsOf('ring-relation-changed', 'web/9');
  const [relation] = context.relations();
  expect(looks.count).toBe(0);
  expect(relation!.members).toBe(relation!.members);
  expect(looks.count).toBe(1);
});
