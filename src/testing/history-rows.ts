/** Documents of a model, and the descriptions of their changes in the history, for tests. */
import { expect, test } from 'vitest';
import type { ApplicationDoc } from '../core/application/document.ts';
import { describeChange } from '../core/history/describe-change.ts';
import type { HistoryEvent, PastNames } from '../core/history/event.ts';
import type { PastChange } from '../core/history/past-change.ts';
import type { MachineDoc } from '../core/machine/document.ts';
import type { ModelDoc } from '../core/model/document.ts';
import type { RelationDoc } from '../core/relation/document.ts';
import type { UnitDoc } from '../core/unit/document.ts';

export const names: PastNames = {
  relationKey: (id) => (id === '3' ? 'wordpress:db mysql:server' : undefined),
  isSecretOption: (charm, option) => (charm === 'local:gone-1' ? undefined : option === 'token'),
  isSecretModelKey: (key) => key === 'api-key',
  entityOfTag: (tag) => (tag === 'unit-mysql-0' ? { kind: 'unit', id: 'mysql/0' } : undefined),
};
export const base = { name: 'ubuntu', channel: '24.04/stable' } as const;
export const at = '2026-01-01T00:00:00Z';

export const application: ApplicationDoc = {
  name: 'mysql',
  life: 'alive',
  charmUrl: 'local:mysql-0',
  charmOrigin: {},
  base,
  subordinate: false,
  constraints: {},
  config: {},
  trust: false,
  endpointBindings: {},
  workloadVersion: '',
  createdAt: at,
};
export const unit: UnitDoc = {
  name: 'mysql/0',
  application: 'mysql',
  life: 'alive',
  charmUrl: 'local:mysql-0',
  base,
  constraints: {},
  resolved: '',
  ports: {},
  workloadVersion: '',
  deployed: false,
  createdAt: at,
};
export const machine: MachineDoc = {
  id: '3',
  life: 'alive',
  base,
  constraints: {},
  addresses: [],
  hostname: '',
  removeWhenEmpty: true,
  clean: false,
  keepInstance: false,
  isController: false,
  createdAt: at,
};
export const relation: RelationDoc = {
  id: 3,
  key: 'wordpress:db mysql:server',
  endpoints: [
    {
      application: 'wordpress',
      name: 'db',
      role: 'requirer',
      interface: 'mysql',
      scope: 'global',
      limit: 0,
      optional: false,
    },
    {
      application: 'mysql',
      name: 'server',
      role: 'provider',
      interface: 'mysql',
      scope: 'global',
      limit: 0,
      optional: false,
    },
  ],
  life: 'alive',
  createdAt: at,
};
export const model: ModelDoc = {
  uuid: 'm',
  name: 'default',
  owner: 'admin',
  life: 'alive',
  cloud: 'aws',
  region: 'eu',
  credential: '',
  config: {},
  constraints: {},
  createdAt: at,
};
export const scope = {
  relation: '3',
  unit: 'mysql/0',
  application: 'mysql',
  role: 'provider',
  container: '',
  departing: false,
} as const;
export const status = {
  kind: 'workload',
  entity: 'mysql/0',
  status: 'active',
  message: 'ready',
  since: at,
} as const;
export const charm = { url: 'local:mysql-1' };
export const task = {
  id: '7',
  operation: '6',
  receiver: 'mysql/0',
  receiverKind: 'unit',
  name: 'backup',
  parameters: { password: 'hunter2' },
  status: 'pending',
  message: '',
  output: {},
  enqueued: at,
} as const;

export const waiting = (applications: readonly string[]) => ({
  since: at,
  missing: [{ endpoint: 'db', interface: 'kv', applications }],
});

export interface Row {
  readonly name: string;
  readonly kind: PastChange['kind'];
  readonly id?: string;
  readonly before?: object;
  readonly after?: object;
  readonly events: readonly string[];
}

/** Declares a test for each row: its events, and no secret in any. */
export function describeRows(rows: readonly Row[]): void {
  test.each(rows)('$name', ({ kind, id = 'id', before, after, events }) => {
    const described = describeChange({ kind, id, before, after } as PastChange, names);
    expect(described.map(text)).toEqual(events);
    expect(JSON.stringify(described)).not.toContain('hunter');
  });
}

function text({ subject, what, detail }: HistoryEvent): string {
  return `${subject}: ${what}${detail === '' ? '' : ` ${detail}`}`;
}
