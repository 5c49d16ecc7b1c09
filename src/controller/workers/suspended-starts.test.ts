/** Tests of starts that wait for the account's quota or credential (machines.md#suspension). */
import { expect, test } from 'vitest';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { StatusDoc } from '../../core/status/document.ts';
import { ProviderError } from '../../providers/contract/provider.ts';
import { SimulatedCloud } from '../../providers/clouds/simulated/index.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { provisionerOf } from '../../testing/provisioner.ts';
import { addMachine } from '../transactions/begin/add-machine.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import { updateCredential } from '../transactions/set/update-credential.ts';
import { eventually } from '../../testing/eventually.ts';

const minute = 60_000;

function add(model: ModelFixture, count: number): Promise<void> {
  return model.change((tx) => {
    for (let n = 0; n < count; n++)
      addMachine(tx, {
        base: { name: 'ubuntu', channel: '24.04/stable' },
        constraints: {},
        removeWhenEmpty: false,
      });
  });
}

const modelStatus = (model: ModelFixture): StatusDoc | undefined => model.view().get('status', 'model:');
const machines = (model: ModelFixture): MachineDoc[] => [...model.view().list('machine')];
const running = (model: ModelFixture): MachineDoc[] => machines(model).filter(({ instance }) => instance);

/** Records the ids of documents written from now on. */
function writes(model: ModelFixture): { readonly ids: readonly string[]; stop: () => void } {
  const ids: string[] = [];
  const stop = model.store.watch(({ changes }) =>
    ids.push(...changes.map(({ kind, id }) => `${kind} ${id}`)),
  );
  return { ids, stop };
}

test('starts stop at the quota with one report on the model, and resume by themselves when it is raised', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, quota: 2 });
  await using provisioner = provisionerOf(model, cloud);
  await add(model, 400);
  await eventually(() => expect(modelStatus(model)?.status).toBe('suspended'));
  expect(modelStatus(model)).toMatchObject({
    message: 'quota of 2 instances exceeded; next try at 00:01:00Z',
    data: { class: 'quota', next: '2026-01-01T00:01:00.000Z' },
  });
  await eventually(() => expect(running(model)).toHaveLength(2));
  await eventually(() => expect(machines(model).filter(({ nonce }) => nonce)).toHaveLength(2));
  expect([...model.view().list('status')].filter((one) => one.status === 'allocating')).toEqual([]);

  const written = writes(model);
  provisioner.advance(minute);
  await eventually(() => expect(modelStatus(model)?.message).toContain('next try at 00:03:00Z'));
  written.stop();
  const tried = new Set(
    written.ids.filter((id) => !id.includes('model:')).map((id) => id.split(/[ :]/).at(-1)),
  );
  expect(tried.size, 'one probe').toBe(1);

  cloud.setQuota(0);
  provisioner.advance(2 * minute);
  await eventually(() => expect(running(model)).toHaveLength(400));
  await eventually(() => expect(modelStatus(model)?.status).toBe('available'));
});

test('starts resume at once when one of the model’s own instances was stopped', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, quota: 1 });
  await using _ = provisionerOf(model, cloud);
  await add(model, 2);
  await eventually(() => expect(modelStatus(model)?.status).toBe('suspended'));
  await eventually(() => expect(running(model)).toHaveLength(1));
  const [first] = running(model);
  await model.change((tx) =>
    destroyMachine(tx, { machine: first!.id, keepInstance: false, force: { maxWaitMs: 0, by: 'test' } }),
  );
  await eventually(() => {
    expect(machines(model)).toHaveLength(1);
    expect(running(model)).toHaveLength(1);
    expect(modelStatus(model)?.status).toBe('available');
  });
});

test('starts resume at once when the credential was changed', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  const credential = {
    cloud: 'sim',
    owner: 'admin',
    name: 'own',
    authType: 'empty',
    attributes: {},
  };
  await model.change((tx) => {
    const root = tx.in('');
    root.put('credential', 'sim_admin_own', credential);
    root.put('model', model.uuid, { ...root.get('model', model.uuid)!, credential: 'sim_admin_own' });
  });
  await using provisioner = provisionerOf(model, cloud);
  await add(model, 1);
  await eventually(() => expect(running(model)).toHaveLength(1));
  cloud.refuseCredential('the credential has expired');
  await add(model, 50);
  await eventually(() => expect(modelStatus(model)?.status).toBe('suspended'));
  expect(modelStatus(model)?.message).toContain('the credential has expired; next try at ');
  cloud.refuseCredential(undefined);
  await model.change((tx) => updateCredential(tx.in(''), { ...credential, attributes: { key: '2' } }));
  // A pass that the cloud refused as a whole is tried again after a moment; the next probe would be after a minute.
  let waitedMs = 0;
  await eventually(() => {
    if (waitedMs < 20_000) provisioner.advance(200);
    waitedMs += 200;
    expect(running(model)).toHaveLength(51);
  });
  await eventually(() => expect(modelStatus(model)?.status).toBe('available'));
});

test('a waiting machine may be removed at once, and then nothing waits', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, quota: 1 });
  await using _ = provisionerOf(model, cloud);
  await add(model, 5);
  await eventually(() => expect(modelStatus(model)?.status).toBe('suspended'));
  await eventually(() => expect(machines(model).filter(({ nonce }) => nonce)).toHaveLength(1));
  const waiting = machines(model).filter(({ nonce }) => nonce === undefined);
  await model.change((tx) => {
    for (const { id } of waiting) destroyMachine(tx, { machine: id, keepInstance: false });
  });
  expect(machines(model)).toHaveLength(1);
  await eventually(() => expect(modelStatus(model)?.status).toBe('available'));
});

test('a controller that restarts with suspended starts tries one machine, not all', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, quota: 1 });
  {
    await using _ = provisionerOf(model, cloud);
    await add(model, 50);
    await eventually(() => expect(modelStatus(model)?.status).toBe('suspended'));
    await eventually(() => expect(machines(model).filter(({ nonce }) => nonce)).toHaveLength(1));
  }
  const written = writes(model);
  let starts = 0;
  await using provisioner = provisionerOf(model, cloud, (environ) => ({
    ...environ,
    instances: {
      ...environ.instances,
      start(params, signal) {
        starts++;
        return environ.instances.start(params, signal);
      },
    },
  }));
  await eventually(() => expect(written.ids).toContain('machine 1'));
  await eventually(() => expect(machines(model).filter(({ nonce }) => nonce)).toHaveLength(1));
  expect(starts).toBe(1);
  written.stop();
  cloud.setQuota(0);
  provisioner.advance(3 * minute);
  await eventually(() => expect(running(model)).toHaveLength(50));
});

test('a probe that fails for another reason tells nothing about the account, and the next one does', async () => {
  await using model = await modelFixture();
  const cloud = new SimulatedCloud({ latencyMs: 0, quota: 1 });
  await using provisioner = provisionerOf(model, cloud);
  await add(model, 5);
  await eventually(() => expect(modelStatus(model)?.status).toBe('suspended'));
  await eventually(() => expect(machines(model).filter(({ nonce }) => nonce)).toHaveLength(1));
  const fail = (error: ProviderError): void => cloud.inject({ operation: 'start', when: 'before', error });

  fail(new ProviderError('transient', 'tired'));
  provisioner.advance(minute);
  await eventually(() => expect(modelStatus(model)?.message).toContain('next try at 00:02:00Z'));

  // A machine that can never start makes room for another probe at once.
  fail(new ProviderError('bad request', 'no such size'));
  cloud.setQuota(0);
  provisioner.advance(minute);
  await eventually(() => expect(running(model)).toHaveLength(4));
  expect([...model.view().list('status')].filter((one) => one.status === 'provisioning error')).toHaveLength(
    1,
  );
  await eventually(() => expect(modelStatus(model)?.status).toBe('available'));
});
