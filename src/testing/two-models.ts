/** Two models of one controller, one of which consumes an offer of the other, with the worker between them. */
import { createCallers, type Callers } from './call.ts';
import { defined } from '../core/defined.ts';
import { silentLog } from '../kit/log.ts';
import { createModel } from '../controller/transactions/begin/create-model.ts';
import { deployApplication } from '../controller/transactions/begin/deploy-application.ts';
import { leaveScope } from '../controller/transactions/end/leave-scope.ts';
import {
  removeRecalledUnit,
  setUnitDead,
  unitDeployed,
} from '../controller/transactions/agent/unit-agent.ts';
import { enterScope } from '../controller/transactions/agent/enter-scope.ts';
import type { Tx, View } from '../controller/transactions/tx.ts';
import type { Services } from '../controller/services.ts';
import { otherControllers } from '../main/controller/other-controllers.ts';
import { RemoteRelations } from '../controller/workers/remote-relations.ts';
import { upload } from './upload.ts';

export interface Side {
  readonly uuid: string;
  readonly view: () => View;
  change<T>(fn: (tx: Tx) => T): Promise<T>;
  deploy(application: 'mysql' | 'wordpress', units?: number): Promise<void>;
  /** Lets agents of alive units enter the relations that they may be in, and agents of other units leave. */
  settle(): Promise<void>;
}

export interface TwoModels extends AsyncDisposable {
  readonly callers: Callers;
  /** Offering model, with mysql, which admin offers as `db`. */
  readonly offering: Side;
  /** Consuming model, with wordpress. */
  readonly consuming: Side;
  readonly call: <R = unknown>(facade: string, method: string, params: unknown, as?: string) => Promise<R>;
  /** Runs the worker until it has nothing more to carry. `later`: after the time of the worker's next poll. */
  readonly carry: (later?: 'later') => Promise<void>;
  /** Forgets the worker as a killed controller does. */
  restart(): Promise<void>;
}

export const charms = {
  mysql: { provides: { server: 'mysql', admin: 'mysql-root' }, peers: { cluster: 'mysql-cluster' } },
  wordpress: { requires: { db: 'mysql', cache: 'mysql' } },
};

/**
 * Creates two models. `between`: layer between the models; default: none. `elsewhere`: how models of other controllers
 * are reached.
 */
export async function twoModels(
  services: Partial<Pick<Services, 'between' | 'elsewhere'>> = {},
): Promise<TwoModels> {
  const callers = await createCallers();
  const { store } = callers;
  const consumer = await store.change((tx) => {
    const args = { owner: 'admin', cloud: 'home', region: '', credential: '', config: {} };
    const { uuid } = createModel(tx, { name: 'shop', ...args });
    for (const space of [tx.in(callers.model), tx.in(uuid)])
      for (const [name, meta] of Object.entries(charms)) upload(space, name, meta);
    return uuid;
  }, 'test');
  let awake = true;
  const start = (): RemoteRelations =>
    new RemoteRelations({
      store,
      services: { ...callers.context.services, log: silentLog, elsewhere: otherControllers, ...services },
      modelUuid: consumer,
      wake: () => (awake = true),
    });
  let worker = start();
  const offering = sideOf(callers, callers.model, '10.0.1');
  const consuming = sideOf(callers, consumer, '10.0.2');
  await offering.deploy('mysql');
  await consuming.deploy('wordpress');
  const world: TwoModels = {
    callers,
    offering,
    consuming,
    call: (facade, method, params, as) =>
      callers.call(facade, method, params, {
        model: facade === 'ApplicationOffers' ? '' : consumer,
        ...defined({ as }),
      }),
    async carry(later) {
      if (later) {
        callers.advance(10_000);
        awake = true;
      }
      for (let passes = 0; awake; passes++) {
        if (passes > 50) throw new Error('the worker does not come to rest');
        awake = false;
        await worker.pass(new AbortController().signal);
      }
    },
    async restart() {
      await worker.stop();
      worker = start();
      awake = true;
    },
    async [Symbol.asyncDispose]() {
      await worker.stop();
      await callers[Symbol.asyncDispose]();
    },
  };
  return world;
}

/** Offers mysql as admin, consumes it as `db`, and relates wordpress with it. */
export async function related(world: TwoModels, units = 1): Promise<void> {
  await offered(world);
  await consumed(world);
  await world.call('Application', 'AddRelation', { endpoints: ['wordpress:db', 'db'], 'via-cidrs': [] });
  await world.carry();
  if (units > 0) await settleBoth(world);
}

export async function offered({ call, offering }: TwoModels): Promise<void> {
  await ok(
    call('ApplicationOffers', 'Offer', {
      Offers: [
        {
          'model-tag': `model-${offering.uuid}`,
          'offer-name': 'db',
          'application-name': 'mysql',
          'application-description': '',
          endpoints: { server: 'server' },
        },
      ],
    }),
  );
}

export async function consumed({ call }: TwoModels, as = 'admin', alias = ''): Promise<void> {
  const details = await call<{ results: { offer?: object; error?: { message: string } }[] }>(
    'ApplicationOffers',
    'GetConsumeDetails',
    { 'offer-urls': { 'offer-urls': ['admin/default.db'] } },
    as,
  );
  const [found] = details.results;
  if (!found?.offer) throw new Error(found?.error?.message);
  await ok(call('Application', 'Consume', { args: [{ ...found.offer, 'application-alias': alias }] }, as));
}

/** Runs the agents of both models once, and the worker that carries their changes across. */
export async function settleBoth({ offering, consuming, carry }: TwoModels): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await offering.settle();
    await consuming.settle();
    await carry();
  }
}

/** Throws the first error among results. */
export async function ok(results: Promise<unknown>): Promise<void> {
  const { results: all } = (await results) as { results: { error?: { message: string } }[] };
  const failed = all.find(({ error }) => error);
  if (failed) throw new Error(failed.error!.message);
}

const base = { name: 'ubuntu', channel: '24.04/stable' };

/** Returns a model for tests. `network`: the first numbers of addresses that its machines get. */
export function sideOf(of: Pick<Callers, 'store'>, uuid: string, network: string): Side {
  const view = (): View => of.store.read().in(uuid);
  const change = <T>(fn: (tx: Tx) => T): Promise<T> => of.store.change((tx) => fn(tx.in(uuid)), 'test');
  return {
    uuid,
    view,
    change,
    deploy: (name, units = 1) =>
      change((tx) => {
        deployApplication(tx, {
          name,
          charmUrl: `local:${name}-0`,
          charmOrigin: { source: 'local' },
          base,
          numUnits: units,
          constraints: {},
          placement: [],
          config: {},
          trust: false,
          endpointBindings: {},
        });
        for (const machine of tx.list('machine'))
          tx.put('machine', machine.id, {
            ...machine,
            addresses: [
              {
                value: `${network}.${machine.id}`,
                type: 'ipv4',
                scope: 'local-cloud',
                interfaceName: 'eth0',
              },
            ],
          });
      }),
    settle: () => change(act),
  };
}

/** Brings about the final effect of agents: units are in the scopes that they may be in, and removed units are gone. */
function act(tx: Tx): void {
  for (const unit of tx.list('unit')) {
    if (unit.life === 'alive') unitDeployed(tx, unit.name);
    for (const { id, life, suspended } of tx.find('relation', 'application', unit.application)) {
      const place = { unit: unit.name, relation: String(id) };
      if (life === 'alive' && !suspended && unit.life === 'alive') enterScope(tx, place);
      else leaveScope(tx, place);
    }
    if (unit.life === 'alive') continue;
    setUnitDead(tx, unit.name);
    removeRecalledUnit(tx, unit.name);
  }
}
