/**
 * Methods that blocks stop: the table is written out, so that a change is made twice, and each method is tried with
 * each block.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { blockTypes, type BlockedOperation } from '../../core/block/blocks.ts';
import { versionsOf } from '../../testing/versions-of.ts';
import { createCallers, type Callers } from '../../testing/call.ts';
import { facades } from './index.ts';

const table: Readonly<Record<Exclude<BlockedOperation, 'destroy'>, string>> = {
  change: `Action.Run Action.RunOnAllMachines Application.AddRelation Application.AddUnits HighAvailability.EnableHA Application.Consume Application.Deploy
    Application.SetRelationsSuspended
    HighAvailability.EnableHA Application.Expose Application.MergeBindings Application.ResolveUnitErrors Application.SetCharm Application.SetConfigs
    Application.SetConstraints Application.Unexpose Application.UnsetApplicationsConfig
    Application.UpdateApplicationBase HighAvailability.EnableHA KeyManager.AddKeys KeyManager.ImportKeys MachineManager.AddMachines
    MachineManager.ProvisioningScript MachineManager.RetryProvisioning ModelConfig.ModelSet ModelConfig.ModelUnset ModelFiles.Begin
    ModelFiles.RestoreCharm ModelFiles.RestoreResource
    ModelConfig.SetModelConstraints ModelManager.ChangeModelCredential ModelManager.SetModelDefaults
    ModelManager.UnsetModelDefaults Provisioning.ReprovisionMachines Provisioning.RetryMachines
    Requirements.SetAfter
    Resources.AddPendingResources Rollouts.Abort Rollouts.Begin Rollouts.Plan Rollouts.PlanRollback Rollouts.Resume
    Rollouts.Rollback Spaces.CreateSpaces Spaces.MoveSubnets Spaces.ReloadSpaces Spaces.RemoveSpace Spaces.RenameSpace
    Storage.AddToUnit Storage.Attach Storage.DetachStorage Storage.Import UserManager.AddUser UserManager.DisableUser
    UserManager.EnableUser UserManager.RemoveUser UserManager.ResetPassword UserManager.SetPassword`,
  remove: `Application.DestroyApplication Application.DestroyConsumedApplications Application.DestroyRelation Application.DestroyUnit KeyManager.DeleteKeys
    Lives.PlanRemoval MachineManager.DestroyMachineWithParams Storage.Remove`,
};
const operations = new Map(
  Object.entries(table).flatMap(([operation, names]) => names.split(/\s+/).map((name) => [name, operation])),
);
const served = facades.flatMap(({ spec, table: methods }) =>
  Object.entries(methods)
    .filter(([, { needs }]) => needs !== 'agent')
    .map(([method]) => ({
      facade: spec.name,
      method,
      name: `${spec.name}.${method}`,
      version: versionsOf(spec, method).at(-1)!,
      model: spec.on === 'controller' ? ('controllerModel' as const) : ('model' as const),
    })),
);
const waiting = /Watcher\.Next$/;

let callers: Callers;
beforeAll(async () => {
  callers = await createCallers();
});
afterAll(() => callers[Symbol.asyncDispose]());

const switchOn = (type: string, model: string, message = ''): Promise<unknown> =>
  callers.call('Block', 'SwitchBlockOn', { type, message }, { model });
const enableAll = (): Promise<unknown> => callers.call('Controller', 'RemoveBlocks', { all: true });

test('the table names methods that are served', () => {
  const names = served.map(({ name }) => name);
  expect([...operations.keys()].filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(blockTypes)('%s', (type) => {
  beforeAll(async () => {
    await enableAll();
    await switchOn(type, callers.model, 'no');
    await switchOn(type, callers.controllerModel, 'no');
  });
  const stops = { BlockDestroy: [''], BlockRemove: ['remove'], BlockChange: ['remove', 'change'] }[type];

  test.each(served.filter(({ name }) => !waiting.test(name) && name !== 'Controller.RemoveBlocks'))(
    '$name',
    async ({ facade, method, name, version }) => {
      const error: unknown = await callers.call(facade, method, {}, { version }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const blocked = { code: 'operation is blocked', message: 'no' };
      if (stops.includes(operations.get(name) ?? 'never')) expect(error).toMatchObject(blocked);
      else if (!/^(Controller\.Destroy)/.test(name)) expect(error ?? {}).not.toMatchObject(blocked);
      else expect(error).toMatchObject({ code: 'operation is blocked' });
    },
  );

  test('no model is destroyed, forced or not, and no controller', async () => {
    for (const force of [true, false]) {
      const models = [{ 'model-tag': `model-${callers.model}`, force }];
      expect(await callers.call('ModelManager', 'DestroyModels', { models })).toMatchObject({
        results: [{ error: { code: 'operation is blocked', message: 'no' } }],
      });
    }
    await expect(
      callers.call('Controller', 'DestroyController', { 'destroy-models': true, force: true }),
    ).rejects.toMatchObject({
      code: 'operation is blocked',
      message: 'found blocks in controller models',
    });
  });
});

describe('blocks', () => {
  beforeEach(enableAll);

  test('blocks are switched on, listed, given another message, and switched off', async () => {
    const list = (): Promise<unknown> => callers.call('Block', 'List');
    expect(await list()).toEqual({ results: [] });
    await switchOn('BlockRemove', callers.model, 'why');
    await switchOn('BlockDestroy', callers.model);
    await switchOn('BlockRemove', callers.model, 'because');
    const tag = `model-${callers.model}`;
    expect(await list()).toMatchObject({
      results: [
        { result: { tag, type: 'BlockDestroy' } },
        { result: { tag, type: 'BlockRemove', message: 'because' } },
      ],
    });
    expect(await callers.call('Controller', 'ListBlockedModels')).toEqual({
      models: [
        {
          name: 'default',
          'model-uuid': callers.model,
          'owner-tag': 'user-admin',
          blocks: ['BlockDestroy', 'BlockRemove'],
        },
      ],
    });
    await callers.call('Block', 'SwitchBlockOff', { type: 'BlockRemove' });
    await callers.call('Block', 'SwitchBlockOff', { type: 'BlockRemove' });
    expect(await list()).toMatchObject({ results: [{ result: { type: 'BlockDestroy' } }] });
    await expect(switchOn('BlockX', callers.model)).rejects.toMatchObject({ code: 'not valid' });
  });

  test('a refresh that passes by failed units is not stopped by blocks', async () => {
    await switchOn('BlockChange', callers.model);
    const refresh = { application: 'x', 'charm-url': 'local:x-1', 'force-units': true };
    await expect(callers.call('Application', 'SetCharm', refresh)).rejects.not.toMatchObject({
      code: 'operation is blocked',
    });
  });

  test('a user without access is told that access is missing, and not what is blocked', async () => {
    await switchOn('BlockChange', callers.model, 'secret reason');
    await callers.addUser('bob');
    await expect(callers.call('Application', 'Deploy', {}, { as: 'bob' })).rejects.toMatchObject({
      code: 'unauthorized access',
    });
  });

  test('the history of the model says who disabled what', async () => {
    await switchOn('BlockChange', callers.model, 'why');
    const { commits } = await callers.call<{ commits: unknown[] }>('Lives', 'History', {
      names: [],
      limit: 1,
    });
    expect(commits).toMatchObject([
      {
        by: 'user-admin',
        events: [{ subject: 'commands of the set all', what: 'disabled', detail: '"why"' }],
      },
    ]);
  });

  test('blocks of one model alone are not removed', async () => {
    await expect(callers.call('Controller', 'RemoveBlocks', { all: false })).rejects.toMatchObject({
      code: 'not supported',
    });
  });
});
