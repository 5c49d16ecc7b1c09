/** Explanations of how an entity is removed, and what the commands would do. */
import { describe, expect, test } from 'vitest';
import { application, explainView, machine, status, unit } from '../../testing/explain-view.ts';
import type { MachineDoc } from '../machine/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import { explain } from './explain.ts';
import type { ExplainView } from './explanation.ts';

const web = {
  application: application('web'),
  machine: machine('0'),
  unit: unit('web/0', '0'),
  status: status('workload', 'web/0', 'active'),
};
const instance = { id: 'i', displayName: '', hardware: {}, isolation: '' };

/** A unit that waits for its requirements and is to be placed on machine 0. */
const { machine: _, ...waits } = unit('shop/0', '', { deployed: false })['shop/0']!;
const awaited = {
  application: { ...web.application, ...application('shop', { pending: { since: '', missing: [] } }) },
  unit: {
    ...web.unit,
    'shop/0': {
      ...waits,
      unplaced: { placement: { scope: '#', directive: '0' } },
    } satisfies Partial<UnitDoc>,
  },
};

const inContainer = {
  machine: { ...machine('0'), ...machine('0/lxd/0', { parent: '0' }) },
  unit: unit('web/0', '0/lxd/0'),
};

const commandsOf = (kind: 'unit' | 'machine', id: string, view: ExplainView): string[] =>
  (explain({ kind, id }, view).removal?.commands ?? []).map(({ line, effect }) => `${line} # ${effect}`);

describe('explain on the machine of the last unit', () => {
  test('a machine is removed with its last unit', () => {
    const view = explainView(web);
    expect(commandsOf('unit', 'web/0', view)).toEqual(['remove-unit web/0 # stops it and removes machine 0']);
    expect(commandsOf('machine', '0', view)).toEqual([
      'remove-unit web/0 # the machine is removed with its last unit',
    ]);
  });

  test('a machine stays when another unit waits to be placed on it', () => {
    const view = explainView({ ...web, ...awaited });
    expect(commandsOf('unit', 'web/0', view)).toEqual(['remove-unit web/0 # stops it']);
    expect(commandsOf('machine', '0', view)).toEqual([
      'remove-unit web/0 # empties it',
      'remove-machine 0 # then releases its instance',
    ]);
  });

  test('a machine stays while it has a container', () => {
    const view = explainView({ ...web, machine: inContainer.machine });
    expect(commandsOf('unit', 'web/0', view)).toEqual(['remove-unit web/0 # stops it']);
    expect(commandsOf('machine', '0', view)).toEqual([
      'remove-unit web/0 # empties it',
      'remove-machine 0/lxd/0 # the machine is removed when it is empty',
    ]);
  });

  test('a container is removed with its last unit, and so is the host that was made for it', () => {
    expect(commandsOf('unit', 'web/0', explainView({ ...web, ...inContainer }))).toEqual([
      'remove-unit web/0 # stops it and removes machines 0/lxd/0 and 0',
    ]);
  });
});

describe('explain on remove-machine', () => {
  const remove = (more: Partial<MachineDoc>, config: Record<string, unknown> = {}): string[] =>
    commandsOf('machine', '0', explainView({ machine: machine('0', more) }, { model: { config } }));

  test('remove-machine releases the instance', () => {
    expect(remove({})).toEqual(['remove-machine 0 # releases its instance']);
  });

  test('remove-machine leaves the instance running when harvest mode is none or no provider made it', () => {
    const stays = ['remove-machine 0 # leaves its instance running'];
    expect(remove({}, { 'provisioner-harvest-mode': 'none' })).toEqual(stays);
    expect(remove({ instance: { ...instance, unmanaged: true } })).toEqual(stays);
  });
});
