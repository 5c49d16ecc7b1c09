import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { modelFixture, type ModelFixture } from '../../../testing/model-fixture.ts';
import { relate, settle } from '../../../testing/steps.ts';
import type { HookCommit } from '../../../wire/facades/machine-agent.ts';
import { commitHook } from './commit-hook.ts';
import { claimLeadership } from './leadership.ts';

let model: ModelFixture;
let relation: string;
let hooks = 0;
/** mysql/0 and wordpress/0 on machine 0, related; mysql/1 on machine 1. */
beforeEach(async () => {
  model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await model.deploy('wordpress', { placement: [{ scope: '#', directive: '0' }] });
  relation = await relate(model, 'wordpress', 'mysql');
  await settle(model, 'mysql/0', 'mysql/1', 'wordpress/0');
});
afterEach(() => model[Symbol.asyncDispose]());

const commit = (unit: string, parts: Partial<HookCommit> = {}): Promise<void> =>
  model.change((tx) =>
    commitHook(tx, {
      unit,
      hookId: `hook-${++hooks}`,
      relationSettings: [],
      openPorts: [],
      closePorts: [],
      agentState: {},
      ...parts,
    }),
  );
const port = (range: string): { endpoint: string; range: string } => ({ endpoint: '', range });
const portsOf = (unit: string): unknown => model.view().get('unit', unit)!.ports;

describe('ports at the commit of a hook', () => {
  test('a hook cannot open ports that another application’s unit has opened on the same machine', async () => {
    await commit('mysql/0', { openPorts: [port('80/tcp')] });
    const before = model.store.read().revision;
    await expect(commit('wordpress/0', { openPorts: [port('80-90/tcp')] })).rejects.toThrow(
      'cannot open 80-90/tcp (unit "wordpress/0"): port range conflicts with 80/tcp (unit "mysql/0")',
    );
    expect(model.store.read().revision, 'nothing of the hook is there').toBe(before);
  });

  test('a hook can open ports that a unit on another machine has opened', async () => {
    await commit('mysql/0', { openPorts: [port('80/tcp')] });
    await commit('mysql/1', { openPorts: [port('80/tcp')] });
    expect(portsOf('mysql/1')).toEqual({ '': ['80/tcp'] });
  });

  test('a hook closes ports before it opens others, so that a range can be replaced by one that overlaps it', async () => {
    await commit('mysql/0', { openPorts: [port('80-90/tcp')] });
    await commit('mysql/0', { closePorts: [port('80-90/tcp')], openPorts: [port('85-95/tcp')] });
    expect(portsOf('mysql/0')).toEqual({ '': ['85-95/tcp'] });
  });
});

describe('the charm state at the commit of a hook', () => {
  test('a hook sets and deletes keys of the charm state', async () => {
    await commit('mysql/0', { charmState: { set: { a: '1', b: '2' }, delete: [] } });
    await commit('mysql/0', { charmState: { set: { c: '3' }, delete: ['a'] } });
    const state = model.view().get('unit-state', 'mysql/0');
    expect(state).toMatchObject({ charm: { b: '2', c: '3' } });
    expect(Object.keys(state!.charm)).not.toContain('a');
  });
});

describe('databags at the commit of a hook', () => {
  const setting = (app: boolean, of = relation) => ({
    relationSettings: [{ relation: Number(of), app, set: { key: 'value' } }],
  });

  test('only the leader writes databags of the application', async () => {
    await expect(commit('mysql/0', setting(true))).rejects.toMatchObject({ code: 'not leader' });
    await model.change((tx) => claimLeadership(tx, { unit: 'mysql/0', durationMs: 60_000 }));
    await commit('mysql/0', setting(true));
    expect(model.view().get('settings', `${relation}#mysql`)?.values).toEqual({ key: 'value' });
    await expect(commit('mysql/1', setting(true))).rejects.toMatchObject({ code: 'not leader' });
  });

  test('a databag of a relation that the unit is not in is refused', async () => {
    const [peers] = [...model.view().find('relation', 'endpoint', 'mysql:cluster')];
    await expect(commit('wordpress/0', setting(false, String(peers!.id)))).rejects.toMatchObject({
      code: 'unauthorized access',
    });
  });

  test('a databag of a relation that is gone by now is left out, and the hook is committed', async () => {
    await commit('mysql/0', setting(false, '999'));
    expect(model.view().get('unit-state', 'mysql/0')?.lastHook).toBe(`hook-${hooks}`);
  });
});
