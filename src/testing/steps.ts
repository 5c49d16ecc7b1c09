/** Acts of agents and providers in a model, step by step, by the real transactions. */
import { addRelation } from '../controller/transactions/begin/add-relation.ts';
import { enterScope } from '../controller/transactions/agent/enter-scope.ts';
import { leaveScope } from '../controller/transactions/end/leave-scope.ts';
import {
  removeRecalledUnit,
  setUnitDead,
  unitDeployed,
} from '../controller/transactions/agent/unit-agent.ts';
import type { ModelFixture } from './model-fixture.ts';

/** Makes units look as if their agents run: deployed, and in each of their relations. */
export async function settle(model: ModelFixture, ...units: string[]): Promise<void> {
  for (const unit of units)
    await model.change((tx) => {
      unitDeployed(tx, unit);
      const { application } = tx.get('unit', unit)!;
      for (const relation of tx.find('relation', 'application', application))
        if (relation.life === 'alive') enterScope(tx, { unit, relation: String(relation.id) });
    });
}

/** Ends a dying unit as its agent, and then its deployer, do. */
export async function end(model: ModelFixture, unit: string): Promise<void> {
  await model.change((tx) => {
    for (const scope of tx.find('scope', 'unit', unit)) leaveScope(tx, { unit, relation: scope.relation });
    setUnitDead(tx, unit);
    removeRecalledUnit(tx, unit);
  });
}

/** Records an instance for each of the machines. */
export async function provision(model: ModelFixture, ...machines: string[]): Promise<void> {
  await model.change((tx) => {
    for (const id of machines) {
      const instance = { id: `i-${id}`, displayName: '', hardware: {}, isolation: 'full' } as const;
      tx.put('machine', id, { ...tx.get('machine', id)!, nonce: `n-${id}`, instance });
    }
  });
}

/** Integrates two applications. Returns the relation's id. */
export async function relate(model: ModelFixture, ...endpoints: string[]): Promise<string> {
  return String((await model.change((tx) => addRelation(tx, { endpoints }))).relation.id);
}

/**
 * Creates mysql/0 with its subordinate logging/0, both with running agents. Returns the id of the relation between
 * them.
 */
export async function withSubordinate(model: ModelFixture): Promise<string> {
  await model.deploy('mysql');
  await model.deploy('logging');
  const id = await relate(model, 'logging', 'mysql');
  await settle(model, 'mysql/0', 'logging/0');
  return id;
}
