/** Calls that name the application that Juju has in the controller's model (cli.md#the-controllers-application). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web', { provides: { db: 'x' } });
});
afterEach(() => callers[Symbol.asyncDispose]());

const application = 'application-controller';
const unit = 'unit-controller-0';
const ofApplication = { entities: [{ tag: application }] };
const ofUnit = { entities: [{ tag: unit }] };
const named = { application: 'controller' };
const origin = { source: 'local', base: { name: 'ubuntu', channel: '24.04' } };

test.each<[string, object]>([
  ['Action.ApplicationsCharmsActions', ofApplication],
  ['Action.EnqueueOperation', { actions: [{ receiver: unit, name: 'x', parameters: {} }] }],
  ['Action.Run', { commands: 'ls', timeout: 1000, units: ['controller/0'], applications: [] }],
  ['Action.Run', { commands: 'ls', timeout: 1000, units: [], applications: ['controller'] }],
  ['Annotations.Get', ofApplication],
  ['Annotations.Set', { annotations: [{ entity: application, annotations: { a: 'b' } }] }],
  ['Application.AddRelation', { endpoints: ['controller:dashboard', 'web'] }],
  ['Application.AddUnits', { ...named, 'num-units': 1 }],
  ['Application.ApplicationsInfo', ofApplication],
  ['Application.CharmConfig', { args: [named] }],
  ['Application.CharmRelations', named],
  ['Application.DestroyApplication', { applications: [{ 'application-tag': application }] }],
  ['Application.DestroyRelation', { endpoints: ['controller:dashboard', 'web'] }],
  ['Application.DestroyUnit', { units: [{ 'unit-tag': unit }] }],
  ['Application.DestroyUnit', { units: [{ 'unit-tag': unit, 'dry-run': true }] }],
  ['Application.Expose', named],
  ['Application.Get', named],
  ['Application.GetApplicationStorage', ofApplication],
  ['Application.GetCharmURLOrigin', named],
  ['Application.GetConfig', ofApplication],
  ['Application.GetConstraints', ofApplication],
  ['Application.Leader', { tag: application }],
  ['Application.MergeBindings', { args: [{ 'application-tag': application, bindings: {}, force: false }] }],
  ['Application.ResolveUnitErrors', { tags: ofUnit, retry: true }],
  ['Application.SetCharm', { ...named, 'charm-url': 'local:web-0', 'charm-origin': origin }],
  ['Application.SetConfigs', { Args: [{ ...named, config: { a: 'b' } }] }],
  ['Application.SetConstraints', { ...named, constraints: {} }],
  ['Application.Unexpose', named],
  ['Application.UnitsInfo', ofUnit],
  ['Application.UnsetApplicationsConfig', { Args: [{ ...named, options: ['a'] }] }],
  ['Application.UpdateApplicationBase', { args: [{ tag: { tag: application }, channel: '22.04' }] }],
  ['Client.StatusHistory', history('unit', unit)],
  ['Client.StatusHistory', history('application', application)],
  ['Lives.PlanRemoval', { targets: [{ tag: unit }] }],
  ['Resources.ListResources', ofApplication],
  ['SSHClient.PublicAddress', ofUnit],
  ['SSHClient.PublicKeys', ofUnit],
  ['Storage.AddToUnit', { storages: [{ unit, name: 'data', storage: {} }] }],
])('%s of %j tells where the settings of the controller are', async (method, params) => {
  const model = callers.controllerModel;
  const [facade = '', name = ''] = method.split('.');
  const says = await callers.call(facade, name, params, { model }).then(
    (result) => JSON.stringify(result),
    (error: unknown) => JSON.stringify((error as Error).message),
  );
  expect(says).toMatch(
    /(application \\"controller\\"|unit \\"controller\/0\\") not found: no charm runs this/,
  );
});

test('an offer of the application controller tells where the settings of the controller are', async () => {
  const offer = {
    'model-tag': `model-${callers.controllerModel}`,
    'offer-name': 'c',
    'application-name': 'controller',
    'application-description': '',
    endpoints: { metrics: 'metrics-endpoint' },
  };
  expect(await callers.call('ApplicationOffers', 'Offer', { Offers: [offer] })).toMatchObject({
    results: [
      {
        error: { message: expect.stringContaining('application "controller" not found: no charm') as string },
      },
    ],
  });
});

function history(historyKind: string, tag: string): object {
  return { requests: [{ historyKind, size: 5, filter: { size: 5 }, tag }] };
}
