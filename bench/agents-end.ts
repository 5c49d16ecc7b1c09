/** End of an application whose units are deployed and related: the effects of their agents, without the agents. */
import type { TestController } from '../src/testing/controller.ts';
import { enterScope } from '../src/controller/transactions/agent/enter-scope.ts';
import { leaveScope } from '../src/controller/transactions/end/leave-scope.ts';
import type { Tx } from '../src/controller/transactions/tx.ts';
import {
  removeRecalledUnit,
  setUnitDead,
  unitDeployed,
} from '../src/controller/transactions/agent/unit-agent.ts';

/** Number of agents that commit concurrently. */
const agents = 64;
/** Number of units per change. */
const atOnce = 500;

/** Deploys every unit, and enters it in the scope of the application's one relation. */
export async function takeUp(
  controller: TestController,
  model: string,
  application: string,
): Promise<{ readonly units: readonly string[]; readonly relation: string }> {
  const { store } = controller.running();
  const view = store.read().in(model);
  const units = [...view.find('unit', 'application', application)].map(({ name }) => name);
  const [first] = [...view.find('relation', 'application', application)];
  if (!first) throw new Error(`application "${application}" has no relation`);
  const relation = String(first.id);
  for (let n = 0; n < units.length; n += atOnce)
    await store.change((root) => {
      const tx = root.in(model);
      for (const unit of units.slice(n, n + atOnce)) {
        unitDeployed(tx, unit);
        enterScope(tx, { unit, relation });
      }
    }, 'bench');
  return { units, relation };
}

/** Ends each dying unit: it leaves the relation, becomes dead, and is removed, in three successive changes. */
export async function endByAgents(
  controller: TestController,
  model: string,
  { units, relation }: { readonly units: readonly string[]; readonly relation: string },
): Promise<void> {
  const { store } = controller.running();
  const view = store.read().in(model);
  const change = (unit: string, fn: (tx: Tx) => void): Promise<void> =>
    store.change((root) => fn(root.in(model)), `unit-${unit.replace('/', '-')}`);
  let next = 0;
  const agent = async (): Promise<void> => {
    while (next < units.length) {
      const unit = units[next++]!;
      // The cleaner makes units dying in order, so while a unit is awaited, the others need not be checked.
      while (view.get('unit', unit)?.life === 'alive')
        await new Promise<void>((resolve) => setImmediate(resolve));
      await change(unit, (tx) => leaveScope(tx, { unit, relation }));
      await change(unit, (tx) => setUnitDead(tx, unit));
      await change(unit, (tx) => removeRecalledUnit(tx, unit));
    }
  };
  await Promise.all(Array.from({ length: agents }, agent));
}
