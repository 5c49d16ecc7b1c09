/** Tests of the base of an application, which never changes by itself (placing.md#base-choice). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatBase, makeBase, parseBase } from '../../../core/base.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm(
    'web',
    {},
    { bases: ['ubuntu@20.04', 'ubuntu@24.04', 'ubuntu@22.04'].map(parseBase) },
  );
  await callers.addCharm('old', {}, { bases: ['ubuntu@22.04', 'ubuntu@20.04'].map(parseBase) });
});
afterEach(() => callers[Symbol.asyncDispose]());

const modelDefault = (base: string): Promise<unknown> =>
  callers.call('ModelConfig', 'ModelSet', { config: { 'default-base': base } });

/**
 * Deploys with the asked base; `''`: none. Returns the error's message, or the bases of application, units and
 * machines.
 */
async function deploy(charm: string, requestedBase: string, overrides: object = {}): Promise<string[]> {
  const base = requestedBase === '' ? null : parseBase(requestedBase);
  const { results } = await callers.call<{ results: { error?: { message: string } }[] }>(
    'Application',
    'Deploy',
    {
      applications: [
        {
          application: charm,
          'charm-url': `local:${charm}-0`,
          'charm-origin': { source: 'local', base },
          'num-units': 1,
          ...overrides,
        },
      ],
    },
  );
  return results[0]?.error ? [results[0].error.message] : bases();
}

function bases(): string[] {
  const view = callers.view();
  return (['application', 'unit', 'machine'] as const).flatMap((kind) =>
    [...view.list(kind)].map(({ base: { name, channel } }) => formatBase(makeBase(name, channel))),
  );
}

test.each([
  ['what is asked for', 'web', 'ubuntu@20.04', 'ubuntu@22.04', 'ubuntu@20.04'],
  ['the model’s default', 'web', '', 'ubuntu@22.04', 'ubuntu@22.04'],
  ['the charm’s, of these the default LTS', 'web', '', '', 'ubuntu@24.04'],
  ['the charm’s first, where it does not run on that', 'old', '', '', 'ubuntu@22.04'],
])(
  'the base of an application is %s; its unit and machine inherit it',
  async (_, charm, requestedBase, ofModel, base) => {
    await modelDefault(ofModel);
    expect(await deploy(charm, requestedBase)).toEqual([base, base, base]);
  },
);

test.each([
  ['that is asked for', 'ubuntu@24.04', ''],
  ['of the model', '', 'ubuntu@24.04'],
])(
  'a base %s that the charm lacks is refused: the error names the bases that the charm has',
  async (_, requestedBase, ofModel) => {
    await modelDefault(ofModel);
    expect(await deploy('old', requestedBase)).toEqual([
      'base "ubuntu@24.04" is not supported by the charm, supported bases are: ubuntu@22.04, ubuntu@20.04',
    ]);
    expect(bases()).toEqual([]);
  },
);

test.each([
  ['of a charm that runs on several', 'web', 'ubuntu@22.04'],
  ['of a charm that runs on none that the cloud has', 'old', 'ubuntu@22.04'],
])('the base %s is one that the cloud has, where there is such a base', async (_, charm, expected) => {
  await using had = await createCallers({
    environ: { bases: () => Promise.resolve([parseBase('debian@12'), parseBase('ubuntu@22.04')]) },
  });
  await had.addCharm('web', {}, { bases: ['ubuntu@24.04', 'ubuntu@22.04'].map(parseBase) });
  await had.addCharm('old', {}, { bases: ['ubuntu@22.04', 'ubuntu@20.04'].map(parseBase) });
  await had.call('Application', 'Deploy', {
    applications: [{ application: charm, 'charm-url': `local:${charm}-0`, 'num-units': 1 }],
  });
  await had.call('MachineManager', 'AddMachines', { params: [{ jobs: ['JobHostUnits'] }] });
  const machines = [...had.view().list('machine')].map(({ base }) => formatBase(base));
  expect(machines).toEqual([expected, 'debian@12']);
  expect(await had.call('Provisioning', 'Bases')).toEqual({
    known: true,
    bases: [parseBase('debian@12'), parseBase('ubuntu@22.04')],
  });
});

test('a subordinate without relations takes the base of its principal', async () => {
  await callers.addCharm(
    'log',
    { subordinate: true, requires: { host: { interface: 'juju-info', scope: 'container' } } },
    { bases: ['ubuntu@24.04', 'ubuntu@22.04'].map(parseBase) },
  );
  const ofLog = (): string => formatBase(callers.view().get('application', 'log')!.base);
  await deploy('log', '', { 'num-units': 0 });
  expect(ofLog()).toBe('ubuntu@24.04');
  await deploy('old', '');
  await callers.call('Application', 'AddRelation', { endpoints: ['log', 'old'] });
  expect(ofLog()).toBe('ubuntu@22.04');
  await deploy('web', 'ubuntu@24.04');
  await expect(callers.call('Application', 'AddRelation', { endpoints: ['log', 'web'] })).rejects.toThrow(
    /bases must match: .*"log" has ubuntu@22.04/,
  );
});

test('a later default base of the model applies to later applications, and added units keep the application’s', async () => {
  await deploy('web', '');
  await modelDefault('ubuntu@20.04');
  await callers.call('Application', 'AddUnits', { application: 'web', 'num-units': 1, placement: [] });
  expect(bases()).toEqual(Array.from({ length: 5 }, () => 'ubuntu@24.04'));
});
