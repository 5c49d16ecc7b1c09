/** The history of a machine's starts and of its instance. */
import { expect, test } from 'vitest';
import type { MachineDoc } from '../machine/document.ts';
import type { StatusDoc } from '../status/document.ts';
import type { StrayDoc } from '../stray/document.ts';
import { describeChange } from './describe-change.ts';
import type { PastNames } from './event.ts';
import type { PastChange } from './past-change.ts';

const names: PastNames = {
  relationKey: () => undefined,
  isSecretOption: () => undefined,
  isSecretModelKey: () => false,
  entityOfTag: () => undefined,
};
const at = '2026-01-01T00:00:00Z';
const machine: MachineDoc = {
  id: '3',
  life: 'alive',
  base: { name: 'ubuntu', channel: '24.04/stable' },
  constraints: {},
  addresses: [],
  hostname: '',
  removeWhenEmpty: true,
  clean: false,
  keepInstance: false,
  isController: false,
  createdAt: at,
};
const asked: MachineDoc = { ...machine, nonce: 'n', zone: 'a' };
const instance = { id: 'i-1', displayName: 'juju-3', hardware: {}, isolation: '' };
const status = (
  kind: StatusDoc['kind'],
  text: string,
  message = '',
  entity = kind === 'model' ? '' : '3',
): StatusDoc => ({
  kind,
  entity,
  status: text,
  message,
  data: {},
  since: at,
});
const stray: StrayDoc = { instanceId: 'i-7', machine: '4', since: at };

interface Row {
  readonly name: string;
  readonly kind: PastChange['kind'];
  readonly before?: unknown;
  readonly after?: unknown;
  readonly events: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: 'a machine is requested in a zone',
    kind: 'machine',
    after: { ...machine, placement: { scope: 'm', directive: 'zone=a' }, constraints: { mem: 2048 } },
    events: ['machine 3: created (ubuntu@24.04, constraints "mem=2048M", placement zone=a)'],
  },
  {
    name: 'a zone is chosen with the intent',
    kind: 'machine',
    before: machine,
    after: asked,
    events: ['machine 3: an instance is requested in zone a'],
  },
  {
    name: 'a zone fails and the next is tried',
    kind: 'machine',
    before: asked,
    after: { ...asked, zone: 'b', failedZones: ['a'] },
    events: ['machine 3: could not be started in zone a', 'machine 3: zone a -> b'],
  },
  {
    name: 'an attempt fails that certainly made no instance',
    kind: 'machine',
    before: asked,
    after: machine,
    events: [],
  },
  {
    name: 'all zones have failed',
    kind: 'machine',
    before: { ...asked, failedZones: ['a', 'b'] },
    after: { ...asked, failedZones: [] },
    events: ['machine 3: all zones may be tried again'],
  },
  {
    name: 'an instance starts in the wanted zone',
    kind: 'machine',
    before: { ...asked, failedZones: ['b'] },
    after: { ...asked, instance },
    events: ['machine 3: instance juju-3 started'],
  },
  {
    name: 'a lost machine is to get another instance',
    kind: 'machine',
    before: { ...asked, instance },
    after: machine,
    events: ['machine 3: instance i-1 abandoned: the machine gets another'],
  },
  {
    name: 'a dead machine releases its instance',
    kind: 'machine',
    before: { ...machine, life: 'dead', instance },
    after: { ...machine, life: 'dead' },
    events: ['machine 3: instance i-1 released'],
  },
  {
    name: 'constraints change',
    kind: 'machine',
    before: { ...machine, constraints: { mem: 65536 } },
    after: { ...machine, constraints: { mem: 2048 } },
    events: ['machine 3: constraints mem=65536M -> mem=2048M'],
  },
  {
    name: 'a clean machine is used',
    kind: 'machine',
    before: { ...machine, clean: true },
    after: machine,
    events: ['machine 3: in use: it has its first unit or container'],
  },
  {
    name: 'an attempt fails',
    kind: 'status',
    before: status('instance', 'allocating', 'starting'),
    after: status('instance', 'allocating', 'attempt 1 failed, next at 00:00:30Z: no host'),
    events: ['machine 3: instance status allocating: attempt 1 failed, next at 00:00:30Z: no host (status)'],
  },
  {
    name: 'a start fails permanently',
    kind: 'status',
    after: status('instance', 'provisioning error', 'no such zone'),
    events: ['machine 3: instance status provisioning error: no such zone'],
  },
  {
    name: 'an instance disappears',
    kind: 'status',
    before: status('instance', 'running', 'Running'),
    after: status('instance', 'lost', 'the instance no longer exists in the cloud'),
    events: ['machine 3: instance status lost: the instance no longer exists in the cloud'],
  },
  {
    name: 'starts are suspended, once',
    kind: 'status',
    after: status('model', 'suspended', 'quota of 2 exceeded'),
    events: ['model: starts of machines suspended: quota of 2 exceeded'],
  },
  {
    name: 'a probe fails',
    kind: 'status',
    before: status('model', 'suspended', 'quota of 2 exceeded; next try at 00:01:00Z'),
    after: status('model', 'suspended', 'quota of 2 exceeded; next try at 00:03:00Z'),
    events: ['model: status suspended: quota of 2 exceeded; next try at 00:03:00Z (agent-status)'],
  },
  {
    name: 'starts resume',
    kind: 'status',
    before: status('model', 'suspended', 'quota of 2 exceeded'),
    after: status('model', 'available'),
    events: ['model: machines are started again'],
  },
  {
    name: 'a stray is found',
    kind: 'stray',
    after: stray,
    events: ['instance i-7: found without a machine (made for machine 4)'],
  },
  {
    name: 'a stray without a machine tag is found',
    kind: 'stray',
    after: { ...stray, machine: '' },
    events: ['instance i-7: found without a machine'],
  },
  {
    name: 'a stray is to be stopped',
    kind: 'stray',
    before: stray,
    after: { ...stray, stopping: true },
    events: ['instance i-7: is to be stopped, as provisioner-harvest-mode says'],
  },
  {
    name: 'a stray is gone, or was given to a machine',
    kind: 'stray',
    before: stray,
    events: ['instance i-7: is no longer a stray'],
  },
];

test.each(rows)('$name', ({ kind, before, after, events }) => {
  const described = describeChange(
    { kind, id: kind === 'stray' ? 'i-7' : 'id', before, after } as PastChange,
    names,
  );
  expect(
    described.map(
      ({ subject, what, detail, report }) =>
        `${subject}: ${what}${detail === '' ? '' : ` ${detail}`}${report ? ` (${report})` : ''}`,
    ),
  ).toEqual(events);
});
