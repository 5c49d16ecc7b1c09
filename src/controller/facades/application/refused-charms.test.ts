/** Tests of charms that were uploaded for a deploy that is refused. */
import { expect, test } from 'vitest';
import { createCallers } from '../../../testing/call.ts';

const deployment = (application: string, overrides: object = {}): object => ({
  application,
  'charm-url': 'local:web-0',
  'num-units': 0,
  ...overrides,
});
const refused = { constraints: { spaces: ['dmz'] } };

test('a charm goes with the deploy that is refused, and stays when another application has it', async () => {
  await using callers = await createCallers();
  const deploy = (...applications: object[]): Promise<{ results: { error?: { message: string } }[] }> =>
    callers.call('Application', 'Deploy', { applications });
  await callers.addCharm('web');
  const { results } = await deploy(deployment('web', refused));
  expect(results[0]?.error?.message).toBe('space "dmz" not found');
  expect(callers.view().count('charm')).toBe(0);

  await callers.addCharm('web');
  const both = await deploy(deployment('one', refused), deployment('two'));
  expect(both.results.map(({ error }) => error?.message)).toEqual(['space "dmz" not found', undefined]);
  await deploy(deployment('three', refused));
  expect(callers.view().count('charm')).toBe(1);
});

test('a refused deploy takes no charm from a deploy of the same charm that is still in progress', async () => {
  const gate = Promise.withResolvers<void>();
  await using callers = await createCallers({ environ: { precheck: () => gate.promise } });
  await callers.addCharm('web');
  const going = callers.call<{ results: object[] }>('Application', 'Deploy', {
    applications: [deployment('good', { 'num-units': 1 })],
  });
  await callers.call('Application', 'Deploy', { applications: [deployment('bad', refused)] });
  expect(callers.view().count('charm')).toBe(1);
  gate.resolve();
  expect((await going).results).toEqual([{}]);
  expect(callers.view().get('application', 'good')).toMatchObject({ charmUrl: 'local:web-0' });
});

test.each<[string, Record<string, unknown>, string]>([
  ['containers', { containers: { web: {} } }, 'it has containers (web), which need Kubernetes'],
  ['an assumption that does not hold', { assumes: ['juju >= 9.1'] }, 'it assumes juju >= 9.1'],
  ['shared storage', { storage: { data: { type: 'block', shared: true } } }, 'storage "data" is shared'],
])('a charm that needs %s is refused with the reason, and leaves nothing', async (_, raw, reason) => {
  await using callers = await createCallers();
  await callers.addCharm('web', raw);
  const { results } = await callers.call<{ results: { error: { code: string; message: string } }[] }>(
    'Application',
    'Deploy',
    { applications: [deployment('web')] },
  );
  expect(results[0]!.error).toMatchObject({ code: 'not supported' });
  expect(results[0]!.error.message).toContain(reason);
  const view = callers.view();
  expect([view.count('charm'), view.count('application')]).toEqual([0, 0]);
});
