import { expect, test } from 'vitest';
import type { MachineDoc } from '../machine/document.ts';
import type { ModelDoc } from '../model/document.ts';
import { planRestore, type AfterRestore } from './plan-restore.ts';

const machine = (id: string, more: Partial<MachineDoc> = {}): MachineDoc =>
  ({ id, life: 'alive', instance: { id: `i-${id}` }, ...more }) as MachineDoc;

interface Case {
  what: string;
  config?: Record<string, unknown>;
  strays?: [instance: string, machine: string][];
  machines?: MachineDoc[];
  lost?: string[];
  absent?: string[];
  /** Commits that the backup and the agent count. */
  states?: [unit: string, backup: number, agent: number | undefined][];
  volumes?: { count: number; ids: string[] };
  /** Whether the cloud has told which instances there are. */
  isListed?: boolean;
  hooks?: 'keep' | 'rerun';
  lines: string[];
}

test.each<Case>([
  {
    what: 'a model without differences has none',
    machines: [machine('0')],
    states: [['a/0', 1, undefined]],
    lines: [],
  },
  {
    what: 'what the cloud has not told yet is not known',
    isListed: false,
    lines: [
      'instance …: the cloud has not yet told for sure which instances there are: is not known yet: look again in half a minute',
    ],
  },
  {
    what: 'an instance that no machine has goes on as a stray',
    strays: [['i-5', '5']],
    lines: ['instance i-5: no machine in the backup has it; it was made for machine 5: goes on as a stray'],
  },
  {
    what: 'an instance that no machine has is stopped where the model says so',
    config: { 'provisioner-harvest-mode': 'all' },
    strays: [['i-5', '']],
    lines: ['instance i-5: no machine in the backup has it: is stopped, for provisioner-harvest-mode is all'],
  },
  {
    what: 'a newer instance of a machine is stopped beside the machine’s own',
    machines: [machine('0')],
    strays: [['i-9', '0']],
    lines: [
      'instance i-9: no machine in the backup has it; it was made for machine 0: is stopped, for machine 0 has another instance',
    ],
  },
  {
    what: 'a newer instance of a machine goes on where the model stops none',
    config: { 'provisioner-harvest-mode': 'none' },
    machines: [machine('0')],
    strays: [['i-9', '0']],
    lines: ['instance i-9: no machine in the backup has it; it was made for machine 0: goes on as a stray'],
  },
  {
    what: 'a unit that only its machine knows is removed from there',
    machines: [machine('0', { unknownUnits: ['a/7'] })],
    lines: [
      'unit a/7: is on machine 0, and not in the backup: its agent ends, and its files are removed from the machine',
    ],
  },
  {
    what: 'a unit that has ended on its machine since begins anew',
    machines: [machine('0', { endedUnits: ['a/0'] })],
    lines: [
      'unit a/0: has ended on machine 0 after the backup: begins anew there: its charm is installed again',
    ],
  },
  {
    what: 'a machine whose instance was released since stays lost',
    machines: [machine('0')],
    lost: ['0'],
    lines: [
      'machine 0: its instance no longer exists: stays lost until reprovision-machine, or remove-machine --force',
    ],
  },
  {
    what: 'a machine whose instance was released since is replaced where the model says so',
    config: { 'lost-machines': 'replace' },
    machines: [machine('0')],
    lost: ['0'],
    lines: [
      'machine 0: its instance no longer exists: gets another instance, as lost-machines=replace says; its units begin anew',
    ],
  },
  {
    what: 'a machine without its agent is told, and one without an instance is not',
    machines: [machine('0'), machine('1', { instance: undefined as never })],
    absent: ['0', '1'],
    lines: [
      'machine 0: its agent has not come back, so it is not known what is newer there: goes on when its agent comes back; if that took its password after the backup, or ended with the machine since, only reprovision-machine --force helps',
    ],
  },
  {
    what: 'a unit goes on after the hooks that its agent has run',
    states: [
      ['a/0', 3, 5],
      ['a/1', 3, 4],
      ['a/2', 3, 3],
    ],
    lines: [
      'hooks a/0: 2 hooks were committed after the backup: goes on after them: none runs again, and what they wrote into relations stays forgotten',
      'hooks a/1: 1 hook was committed after the backup: goes on after them: none runs again, and what they wrote into relations stays forgotten',
      'hooks a/2: its agent was at work after the backup: goes on after them: none runs again, and what they wrote into relations stays forgotten',
    ],
  },
  {
    what: 'a unit runs the hooks again that its agent has run, if that is asked for',
    states: [['a/0', 3, 5]],
    hooks: 'rerun',
    lines: [
      'hooks a/0: 2 hooks were committed after the backup: goes on where the backup has it: hooks run again',
    ],
  },
  {
    what: 'the first volumes that no storage has are told, and the number of the others',
    volumes: { count: 3, ids: ['v-1'] },
    lines: [
      'volume v-1: no storage in the backup has it: stays, unless the storage that it was made for was removed before the backup',
      'volume …: 2 more without a storage: stays, unless the storage that it was made for was removed before the backup',
    ],
  },
])(
  '$what',
  ({
    config = {},
    strays = [],
    machines = [],
    lost = [],
    absent = [],
    states = [],
    volumes,
    isListed = true,
    hooks = 'keep',
    lines,
  }) => {
    const restored = {
      id: 'r',
      backup: '',
      at: '',
      state: 'held',
      ...(isListed && { listed: true as const }),
      ...(volumes && { volumes }),
    } as const;
    const after: AfterRestore = {
      model: { config, restored } as unknown as ModelDoc,
      strays: strays.map(([instanceId, of]) => ({ instanceId, machine: of, since: '' })),
      machines,
      machine: (id) => machines.find((one) => one.id === id),
      states: states.map(([unit, backup, agent]) => ({
        unit,
        lastHook: '',
        agent: { committed: backup },
        charm: {},
        ...(agent !== undefined && { newer: { agent: { committed: agent }, charm: {} } }),
      })),
      isLost: ({ id }) => lost.includes(id),
      isPresent: (id) => !absent.includes(id),
    };
    const found = [...planRestore(after, hooks)];
    expect(found.map(({ kind, name, text, outcome }) => `${kind} ${name}: ${text}: ${outcome}`)).toEqual(
      lines,
    );
  },
);
