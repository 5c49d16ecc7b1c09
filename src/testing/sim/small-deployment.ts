import type { World } from './world.ts';

/**
 * Deployment of two related applications with three units, two of which wait for the relation: enough for every kind of
 * hook, small enough to try every crash.
 */
export interface SmallDeployment {
  readonly model: string;
  /** Whether everything that was requested exists and has settled. */
  readonly settled: () => boolean;
  /** Requests the removal of everything. */
  readonly remove: () => void;
  /** Whether nothing of the deployment is left, in the model and the cloud. */
  readonly gone: () => boolean;
}

const askAgainMs = 1_000;

/** Deploys as an operator who repeats a call when its answer is lost. */
export function deploySmall(
  world: World,
  { constraints = {} }: { constraints?: object } = {},
): SmallDeployment {
  const names = ['server', 'client'];
  let model = '';
  let asked = false;
  world.operator(async (operator) => {
    model = await operator.addModel('small');
    const server = { name: 'server', metadata: { provides: { db: { interface: 'x' } } } };
    const client = { name: 'client', metadata: { requires: { db: { interface: 'x', optional: false } } } };
    const deploy = async (name: string, url: string, units: number): Promise<void> => {
      const charmOrigin = {
        source: 'local',
        type: 'charm',
        base: { name: 'ubuntu', channel: '24.04/stable' },
      };
      const application = {
        application: name,
        'charm-url': url,
        channel: '',
        'num-units': units,
        'config-yaml': '',
        constraints,
        Force: false,
        'charm-origin': charmOrigin,
      };
      const there = (): boolean => world.controller.read().in(model).get('application', name) !== undefined;
      while (!there()) {
        const applications = [application];
        await operator
          .call(model, 'Application', 'Deploy', { applications })
          .catch(() => operator.sleep(askAgainMs));
      }
    };
    await deploy('server', await operator.addCharm(model, server), 1);
    await deploy('client', await operator.addCharm(model, client), 2);
    while (world.controller.read().in(model).count('relation') === 0) {
      await operator
        .call(model, 'Application', 'AddRelation', { endpoints: names })
        .catch(() => operator.sleep(askAgainMs));
    }
    asked = true;
  });
  return {
    get model() {
      return model;
    },
    remove: () =>
      world.operator(async (operator) => {
        const alive = (name: string): boolean =>
          world.controller.read().in(model).get('application', name)?.life === 'alive';
        while (names.some(alive)) {
          const applications = names
            .filter(alive)
            .map((name) => ({ 'application-tag': `application-${name}` }));
          await operator
            .call(model, 'Application', 'DestroyApplication', { applications })
            .catch(() => operator.sleep(askAgainMs));
        }
      }),
    gone: () => {
      const reader = world.controller.read().in(model);
      const kinds = ['application', 'unit', 'relation', 'machine'] as const;
      return kinds.every((kind) => reader.count(kind) === 0) && world.cloud.instances().length === 0;
    },
    settled: () => {
      if (!asked) return false;
      const reader = world.controller.read().in(model);
      const statuses = [...reader.list('status')];
      const having = (kind: string, status: string): number =>
        statuses.filter((one) => one.kind === kind && one.status === status).length;
      return (
        reader.count('unit') === 3 &&
        having('unit-agent', 'idle') === 3 &&
        having('workload', 'active') === 3 &&
        having('relation', 'joined') === 1
      );
    },
  };
}
