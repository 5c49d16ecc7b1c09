/** Model of bench/turns.ts, with many entities of every kind. */
import type { ConnectOptions } from '../src/client/connection.ts';
import { hashSecret } from '../src/controller/passwords.ts';
import { addRelation } from '../src/controller/transactions/begin/add-relation.ts';
import { deployApplication } from '../src/controller/transactions/begin/deploy-application.ts';
import { enqueueTasks } from '../src/controller/transactions/begin/enqueue-tasks.ts';
import { enterScope } from '../src/controller/transactions/agent/enter-scope.ts';
import { setAnnotations } from '../src/controller/transactions/set/set-annotations.ts';
import type { Tx } from '../src/controller/transactions/tx.ts';
import { unitDeployed } from '../src/controller/transactions/agent/unit-agent.ts';
import type { TestController } from '../src/testing/controller.ts';
import { upload } from '../src/testing/upload.ts';
import { provisioned } from './controller.ts';
import { enterConsumers, registerConsumer, unitsThere } from './turns-crossing.ts';

const secret = 'c2VjcmV0IG9mIGEgbWFjaGluZQ==';
const base = { name: 'ubuntu', channel: '24.04/stable' };
/** Number of entities per change. */
const atOnce = 500;

export const charms = {
  mysql: { provides: { server: 'mysql' }, peers: { cluster: 'mysql-cluster' } },
  web: { requires: { db: 'mysql' } },
  plain: {},
};

/**
 * Creates the model. Half of the units are on machine 0, whose agent calls; a tenth are an application each; the other
 * units belong to two related applications, each unit on a machine of its own. All units are in the scopes of their
 * relations, have annotations, and have run an action. One of the two related applications is offered, too, and another
 * controller consumes the offer, with many units.
 */
export async function createModel(controller: TestController, units: number): Promise<string> {
  const model = await controller.addModel('bench');
  const { store } = controller.running();
  const change = <T>(fn: (tx: Tx) => T): Promise<T> => store.change((root) => fn(root.in(model)), 'bench');
  const view = () => store.read().in(model);

  await change((tx) => {
    for (const [name, meta] of Object.entries(charms)) upload(tx, name, meta);
  });
  await change((tx) => deploy(tx, 'alone', 'plain', 1));
  await provisioned(controller, model);
  const small = Math.floor(units / 10);
  await change((tx) => {
    deploy(tx, 'packed', 'mysql', units - 7 * small, '0');
    deploy(tx, 'mysql', 'mysql', small);
    deploy(tx, 'web', 'web', small);
    addRelation(tx, { endpoints: ['web:db', 'mysql:server'] });
    addRelation(tx, { endpoints: ['web:db', 'packed:server'] });
  });
  const consumed = await change(registerConsumer);
  for (let n = 0; n < small; n += atOnce)
    await change((tx) => {
      for (let i = n; i < Math.min(n + atOnce, small); i++) deploy(tx, `app${i}`, 'plain', 5, '0');
    });
  await provisioned(controller, model);

  const names = [...view().list('unit')].map(({ name }) => name);
  const relations = [...view().list('relation')];
  for (let n = 0; n < names.length; n += atOnce)
    await change((tx) => {
      for (const unit of names.slice(n, n + atOnce)) {
        const application = unit.split('/')[0]!;
        unitDeployed(tx, unit);
        setAnnotations(tx, { tag: `unit-${unit.replace('/', '-')}`, values: { owner: 'bench' } });
        for (const { id, endpoints } of relations)
          if (endpoints.some((endpoint) => endpoint.application === application))
            enterScope(tx, { unit, relation: String(id) });
      }
    });
  for (let from = 0; from < unitsThere; from += atOnce)
    await change((tx) => enterConsumers(tx, consumed, { from, to: Math.min(from + atOnce, unitsThere) }));
  await change((tx) => {
    const { tasks } = enqueueTasks(tx, {
      summary: 'an action of all units',
      receivers: names.map((name) => ({ kind: 'unit', name, action: { name: 'act', parameters: {} } })),
    });
    const log = [{ timestamp: tx.now, message: 'done' }];
    for (const task of tasks)
      tx.put('task', task.id, { ...task, status: 'completed', started: tx.now, completed: tx.now, log });
  });
  return model;
}

function deploy(tx: Tx, name: string, charm: string, numUnits: number, machine?: string): void {
  deployApplication(tx, {
    name,
    charmUrl: `local:${charm}-0`,
    charmOrigin: { source: 'local', type: 'charm' },
    base,
    numUnits,
    constraints: {},
    placement:
      machine === undefined
        ? []
        : Array.from({ length: numUnits }, () => ({ scope: '#', directive: machine })),
    config: {},
    trust: false,
    endpointBindings: {},
  });
}

/** Returns the connection options of machine 0's agent. */
export async function agentOf(controller: TestController, model: string): Promise<ConnectOptions> {
  const { store } = controller.running();
  const machine = store.read().in(model).get('machine', '0')!;
  await store.change(
    (tx) => tx.in(model).put('machine', '0', { ...machine, passwordHash: hashSecret(secret) }),
    'bench',
  );
  return {
    ...controller.connectOptions(model),
    login: { tag: 'machine-0', password: secret, nonce: machine.nonce! },
  };
}
