/** Units of both sides of an offer, as their agents ask for secrets: in two models of one controller, or of two. */
import { connect } from '../client/connect.ts';
import { claimLeadership } from '../controller/transactions/agent/leadership.ts';
import { hashSecret } from '../controller/passwords.ts';
import { revisionsOf } from '../controller/transactions/shared/secrets.ts';
import { secretRecord } from '../controller/watchers/agent-records.ts';
import { defined } from '../core/defined.ts';
import type { RelationDoc } from '../core/relation/document.ts';
import type { MachineAgentMethods } from '../wire/facades/machine-agent.ts';
import type { SecretChanges } from '../wire/facades/secret-changes.ts';
import type { FarSide, TwoControllers } from './two-controllers.ts';
import type { Side, TwoModels } from './two-models.ts';

type Agent = <M extends keyof MachineAgentMethods>(
  method: M,
  params: MachineAgentMethods[M]['params'] & { readonly unit: string },
) => Promise<MachineAgentMethods[M]['result']>;

export interface SecretsOverOffers {
  readonly offering: Side;
  readonly consuming: Side;
  /** Lets mysql/0 commit a hook. */
  readonly own: (changes: Partial<SecretChanges>) => Promise<void>;
  /** Lets wordpress/0 commit a hook. */
  readonly other: (changes: Partial<SecretChanges>) => Promise<void>;
  /** Adds a secret of mysql with this password, granted over the relation unless `granted` is false; returns its id. */
  readonly add: (password: string, granted?: boolean) => Promise<string>;
  readonly update: (id: string, password: string) => Promise<void>;
  /** Returns the grant of a secret to the consuming application. */
  readonly grantOf: (id: string) => SecretChanges['grant'][number];
  /**
   * Reads as a unit of wordpress; returns the password and its revision: `one 1`. `id`: the secret's id in the offering
   * model.
   */
  readonly read: (
    how: {
      readonly id?: string;
      readonly label?: string;
      readonly peek?: boolean;
      readonly refresh?: boolean;
    },
    unit?: string,
  ) => Promise<string>;
  /** Returns the revisions that exist: `1 obsolete`, `2`. */
  readonly revisions: (id: string) => string[];
  /** Returns the revision that secret-changed has to report to a unit of wordpress; undefined: none. */
  readonly due: (id: string, unit?: string) => number | undefined;
  /** Tells the unit of wordpress of a revision, as by the commit of secret-changed. */
  readonly tell: (id: string, revision: number) => Promise<void>;
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

export async function overModels(world: TwoModels): Promise<SecretsOverOffers> {
  const agent =
    ({ uuid, view }: Side): Agent =>
    (method, params) =>
      world.callers.call('MachineAgent', method, params, {
        as: { kind: 'machine', machine: view().get('unit', params.unit)?.machine ?? '' },
        model: uuid,
      });
  return overOffers(world.offering, world.consuming, agent);
}

export async function overControllers(world: TwoControllers): Promise<SecretsOverOffers> {
  const agent = (side: Side): Agent => {
    const { uuid, view, controller } = side as FarSide;
    return async (method, params) => {
      const id = view().get('unit', params.unit)?.machine ?? '';
      await side.change((tx) => {
        const machine = tx.get('machine', id)!;
        tx.put('machine', id, { ...machine, nonce: 'n', passwordHash: hashSecret('agent-secret') });
      });
      const login = { tag: `machine-${id}`, password: 'agent-secret', nonce: 'n' };
      const connection = await connect({ ...controller.connectOptions(uuid), login });
      try {
        return await connection.call('MachineAgent', method, params);
      } finally {
        await connection.close();
      }
    };
  };
  return overOffers(world.offering, world.consuming, agent);
}

async function overOffers(
  offering: Side,
  consuming: Side,
  agentOf: (side: Side) => Agent,
): Promise<SecretsOverOffers> {
  await offering.change((tx) => claimLeadership(tx, { unit: 'mysql/0', durationMs: 300_000 }));
  await consuming.change((tx) => claimLeadership(tx, { unit: 'wordpress/0', durationMs: 300_000 }));
  const [there, here] = [agentOf(offering), agentOf(consuming)];
  let hooks = 0;
  const commit = (
    agent: Agent,
    unit: string,
    rest: Partial<MachineAgentMethods['CommitHook']['params']>,
  ): Promise<unknown> =>
    agent('CommitHook', {
      unit,
      hookId: `hook-${++hooks}`,
      relationSettings: [],
      openPorts: [],
      closePorts: [],
      agentState: {},
      ...rest,
    });
  const none: SecretChanges = { create: [], update: [], track: [], grant: [], revoke: [], remove: [] };
  const keyOf = (id: string): string => `${offering.uuid}/${id}`;
  const world: SecretsOverOffers = {
    offering,
    consuming,
    own: async (changes) => void (await commit(there, 'mysql/0', { secrets: { ...none, ...changes } })),
    other: async (changes) => void (await commit(here, 'wordpress/0', { secrets: { ...none, ...changes } })),
    async add(password, granted = true) {
      const { ids } = await there('NewSecretIds', { unit: 'mysql/0', count: 1 });
      const id = ids[0]!;
      await world.own({
        create: [{ id, owner: 'application', content: { password: base64(password) } }],
        grant: granted ? [world.grantOf(id)] : [],
      });
      return id;
    },
    update: (id, password) => world.own({ update: [{ id, content: { password: base64(password) } }] }),
    grantOf(id) {
      const relation = offeredRelation(offering);
      return {
        id,
        subject: { kind: 'application', id: relation.remote!.application },
        relation: relation.id,
      };
    },
    async read({ id, label = '', peek = false, refresh = false }, unit = 'wordpress/0') {
      const named = { id: id === undefined ? '' : keyOf(id), label };
      const { revision, content } = await here('SecretContent', { unit, ...named, peek, refresh });
      return `${Buffer.from(content['password']!, 'base64').toString()} ${revision}`;
    },
    revisions: (id) =>
      revisionsOf(offering.view(), id).map(
        ({ revision, obsolete }) => `${revision}${obsolete ? ' obsolete' : ''}`,
      ),
    due: (id, unit = 'wordpress/0') => secretRecord(consuming.view(), unit, keyOf(id))?.latest,
    async tell(id, revision) {
      const secretTold = { kind: 'changed', secret: keyOf(id), revision } as const;
      await commit(here, 'wordpress/0', defined({ secretTold }));
    },
  };
  return world;
}

export function offeredRelation({ view }: Pick<Side, 'view'>): RelationDoc {
  const [relation] = view().find('relation', 'remote', 'offered');
  if (!relation) throw new Error('there is no relation over the offer');
  return relation;
}
