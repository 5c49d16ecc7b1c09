/** Two related applications whose hooks add, change and read secrets, through the facade of the agents. */
import { addRelation } from '../controller/transactions/begin/add-relation.ts';
import { deployApplication } from '../controller/transactions/begin/deploy-application.ts';
import { enterScope } from '../controller/transactions/agent/enter-scope.ts';
import { claimLeadership } from '../controller/transactions/agent/leadership.ts';
import { unitDeployed } from '../controller/transactions/agent/unit-agent.ts';
import type { SecretContents } from '../controller/secret-contents.ts';
import { revisionsOf } from '../controller/transactions/shared/secrets.ts';
import { defined } from '../core/defined.ts';
import type { SecretContent } from '../core/secret/content.ts';
import type { MachineAgentMethods } from '../wire/facades/machine-agent.ts';
import type { SecretChanges, SecretInfo, SecretTime } from '../wire/facades/secret-changes.ts';
import type { Callers } from './call.ts';

type New = Omit<SecretChanges['create'][number], 'id' | 'owner'> & {
  readonly owner?: 'application' | 'unit';
  readonly content: SecretContent;
};

export interface SecretWorld {
  /** Number of the relation between web and db. */
  readonly relation: number;
  readonly contents: SecretContents;
  readonly hook: (
    unit: string,
    changes: Partial<SecretChanges>,
    how?: { hookId?: string; secretTime?: SecretTime },
  ) => Promise<void>;
  /** Adds a secret in a hook; returns its id. */
  readonly add: (unit: string, secret: New) => Promise<string>;
  readonly read: (
    unit: string,
    how: { id?: string; label?: string; peek?: boolean; refresh?: boolean },
  ) => Promise<MachineAgentMethods['SecretContent']['result']>;
  readonly own: (unit: string, query?: { id?: string; label?: string }) => Promise<readonly SecretInfo[]>;
  /** Returns the revisions that exist: `1 obsolete`, `2`. */
  readonly revisions: (id: string) => string[];
}

/** Creates web/0 (leader) and web/1 on machines 0 and 1; db/0 (leader) on machine 2, related to web. */
export async function secretWorld(callers: Callers): Promise<SecretWorld> {
  const web = await callers.addCharm('web', { requires: { db: { interface: 'sql' } } });
  const db = await callers.addCharm('db', { provides: { server: { interface: 'sql' } } });
  const relation = await callers.change((tx) => {
    const common = {
      charmOrigin: { source: 'local' },
      base: { name: 'ubuntu', channel: '24.04/stable' },
      constraints: {},
      placement: [],
      config: {},
      trust: false,
      endpointBindings: {},
    };
    deployApplication(tx, { ...common, name: 'web', charmUrl: web, numUnits: 2 });
    deployApplication(tx, { ...common, name: 'db', charmUrl: db, numUnits: 1 });
    const added = addRelation(tx, { endpoints: ['web', 'db'] });
    for (const unit of ['web/0', 'web/1', 'db/0']) {
      unitDeployed(tx, unit);
      enterScope(tx, { unit, relation: String(added.relation.id) });
    }
    for (const unit of ['web/0', 'db/0']) claimLeadership(tx, { unit, durationMs: 300_000 });
    return added.relation.id;
  });
  let hooks = 0;
  const call = <M extends keyof MachineAgentMethods>(
    method: M,
    params: MachineAgentMethods[M]['params'] & { readonly unit: string },
  ): Promise<MachineAgentMethods[M]['result']> => {
    const machine = callers.view().get('unit', params.unit)?.machine ?? '';
    return callers.call('MachineAgent', method, params, { as: { kind: 'machine', machine } });
  };
  const none: SecretChanges = { create: [], update: [], track: [], grant: [], revoke: [], remove: [] };
  const world: SecretWorld = {
    relation,
    contents: callers.context.services.secretContents,
    async hook(unit, changes, { hookId = `hook-${++hooks}`, secretTime } = {}) {
      await call('CommitHook', {
        unit,
        hookId,
        relationSettings: [],
        openPorts: [],
        closePorts: [],
        agentState: {},
        ...defined({ secretTime }),
        secrets: { ...none, ...changes },
      });
    },
    async add(unit, { owner = 'application', ...secret }) {
      const { ids } = await call('NewSecretIds', { unit, count: 1 });
      const id = ids[0]!;
      await world.hook(unit, { create: [{ id, owner, ...secret }] });
      return id;
    },
    read: (unit, { id = '', label = '', peek = false, refresh = false }) =>
      call('SecretContent', { unit, id, label, peek, refresh }),
    own: async (unit, { id = '', label = '' } = {}) =>
      (await call('OwnSecrets', { unit, id, label })).secrets,
    revisions: (id) =>
      revisionsOf(callers.view(), id).map(
        ({ revision, obsolete }) => `${revision}${obsolete ? ' obsolete' : ''}`,
      ),
  };
  return world;
}
