/** Model of charms with requirements, for tests of pending applications. */
import { addUnits } from '../controller/transactions/begin/add-units.ts';
import { deployApplication, type DeployArgs } from '../controller/transactions/begin/deploy-application.ts';
import { setConfig } from './set-config.ts';
import type { Tx } from '../controller/transactions/tx.ts';
import { unitDeployed } from '../controller/transactions/agent/unit-agent.ts';
import { enterScope, takesPartIn } from '../controller/transactions/agent/enter-scope.ts';
import { missingStatus, type RequireMode } from '../core/requirements/requirement.ts';
import type { Settled } from '../core/requirements/settle.ts';
import { modelFixture, type ModelFixture } from './model-fixture.ts';
import { placerOf } from './placer.ts';
import { upload } from './upload.ts';

export type Metas = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Waiting extends AsyncDisposable {
  readonly model: ModelFixture;
  /** Deploys one unit by default, none of a subordinate; the application has the charm's name. */
  deploy(charm: string, args?: Partial<DeployArgs>): Promise<Settled>;
  addUnits(application: string, args?: Partial<Parameters<typeof addUnits>[1]>): Promise<string[]>;
  setMode(mode: RequireMode): Promise<Settled>;
  /** Runs the placer, and then the agents of placed units, until nothing changes. */
  settle(): Promise<void>;
  /** Returns the reason why each pending application is pending. */
  waiting(): Record<string, string>;
  /** Returns the machine of each unit, or `waits` with the problem that prevented its placement. */
  units(): Record<string, string>;
}

export async function waitingModel(metas: Metas): Promise<Waiting> {
  const model = await modelFixture();
  await model.change((tx) => {
    for (const [name, meta] of Object.entries(metas)) upload(tx, name, meta);
  });
  const placer = placerOf(model);
  return {
    model,
    async deploy(charm, args) {
      const { settled } = await model.change((tx) => {
        // Charms are removed with the last application that uses it.
        if (!tx.get('charm', `local:${charm}-0`)) upload(tx, charm, metas[charm] ?? {});
        return deploy(tx, charm, args);
      });
      return settled;
    },
    addUnits: (application, args = {}) =>
      model.change((tx) =>
        addUnits(tx, { application, count: 1, placement: [], ...args }).map(({ unit }) => unit),
      ),
    setMode: (mode) => model.change((tx) => setConfig(tx, { 'require-endpoints': mode })),
    async settle() {
      for (let before = -1; before !== model.store.read().revision;) {
        before = model.store.read().revision;
        await placer.pass();
        await model.change(runAgents);
      }
    },
    waiting: () =>
      Object.fromEntries(
        [...model.view().list('application')].flatMap(({ name, pending }) =>
          pending ? [[name, missingStatus(pending.missing).message]] : [],
        ),
      ),
    units: () =>
      Object.fromEntries(
        [...model.view().list('unit')].map(({ name, machine, unplaced }) => [
          name,
          machine ?? (unplaced?.problem === undefined ? 'waits' : `waits: ${unplaced.problem}`),
        ]),
      ),
    async [Symbol.asyncDispose]() {
      placer.stop();
      await model[Symbol.asyncDispose]();
    },
  };
}

export function deploy(
  tx: Tx,
  charm: string,
  args: Partial<DeployArgs> = {},
): ReturnType<typeof deployApplication> {
  const charmUrl = `local:${charm}-0`;
  return deployApplication(tx, {
    name: charm,
    charmUrl,
    charmOrigin: { source: 'local' },
    base: { name: 'ubuntu', channel: '24.04/stable' },
    numUnits: tx.get('charm', charmUrl)?.meta.subordinate ? 0 : 1,
    constraints: {},
    placement: [],
    config: {},
    trust: false,
    endpointBindings: {},
    ...args,
  });
}

/** Deploys each unit that has a machine, and makes it enter the scopes of its relations. */
function runAgents(tx: Tx): void {
  for (const unit of tx.list('unit')) {
    if (unit.machine === undefined || unit.life !== 'alive') continue;
    if (!unit.deployed) unitDeployed(tx, unit.name);
    for (const relation of tx.find('relation', 'application', unit.application))
      if (relation.life === 'alive' && takesPartIn(tx, unit, relation))
        enterScope(tx, { unit: unit.name, relation: String(relation.id) });
  }
}
