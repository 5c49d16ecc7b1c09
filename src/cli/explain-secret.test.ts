import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../testing/call.ts';
import { secretWorld, type SecretWorld } from '../testing/secret-world.ts';
import { explanationTree } from './format/explanation-tree.ts';

let callers: Callers;
let world: SecretWorld;
beforeEach(async () => {
  callers = await createCallers();
  world = await secretWorld(callers);
});
afterEach(() => callers[Symbol.asyncDispose]());

const content = (text: string) => ({ password: Buffer.from(text).toString('base64') });
const explained = async (...names: string[]): Promise<string> =>
  explanationTree(await callers.call('Lives', 'Explain', { names }));

test('explain shows who may read a charm’s secret and why, and what keeps its older revisions', async () => {
  const id = await world.add('web/0', { label: 'pw', content: content('one') });
  const subject = { kind: 'application', id: 'db' } as const;
  await world.hook('web/0', { grant: [{ id, subject, relation: world.relation }] });
  await world.read('db/0', { id });
  await world.hook('web/0', { update: [{ id, content: content('two') }] });
  await world.hook('web/0', { update: [{ id, content: content('three') }] });
  expect(await explained('secret', id)).toBe(`secret ${id} (pw): of application web, revision 3
├─ application web: owns it, and its units read it
├─ application db: may read it, as long as relation web:db db:server lasts
├─ revision 1: stays while units read it
│  └─ unit db/0: reads it
└─ revision 2: no unit reads it

Who must act:
  the charm of unit db/0: reads the newest revision of secret ${id} (secret-get --refresh)
  the charm of application web: removes revision 2

No command removes it alone: its charm removes it, or it goes with application web
`);
});

test('explain finds a user’s secret by its name, and shows how the secret is removed', async () => {
  const args = [{ 'owner-tag': `model-${callers.model}`, label: 'api', content: { data: content('one') } }];
  await callers.call('Secrets', 'CreateSecrets', { args });
  const tree = await explained('secret api');
  expect(tree).toMatch(/^secret [0-9a-v]{20} \(api\): of the model, revision 1, which nobody may read\n/);
  expect(tree).toMatch(/remove-secret [0-9a-v]{20}  # erases all revisions/);
  await callers.call('Secrets', 'GrantSecret', { uri: '', label: 'api', applications: ['web'] });
  expect(await explained('secret', 'api')).toContain(
    '└─ application web: may read it, until revoke-secret\n',
  );
  await expect(explained('secret', 'none')).rejects.toThrow('secret "none" not found');
});
