import { checkDeploy, type DeployRequest } from '../../../core/application/check-deploy.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { Base } from '../../../core/base.ts';
import type { ConstraintConflict } from '../../../core/constraints.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { checkStorage } from '../../../core/storage/check-storage.ts';
import { machineProviders } from '../../../core/storage/providers.ts';
import { storageSpecs } from '../../../core/storage/spec.ts';
import { poolsOf, type StorageRules } from './add-storage.ts';
import { addUnits, type AddedUnit } from './add-units.ts';
import { knownSpaces } from '../shared/spaces.ts';
import { takeResources } from '../shared/resources.ts';
import { makePeers } from './make-peers.ts';
import { newGates } from '../shared/gates.ts';
import { settleRequirements } from '../shared/requirements.ts';
import { aliveModel, mustGet, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

export interface DeployArgs extends DeployRequest {
  readonly charmUrl: string;
  readonly charmOrigin: Readonly<Record<string, unknown>>;
  readonly base: Base;
  /** Container types that the cloud supports (Environ.containers). */
  readonly containerTypes?: readonly string[];
  /** Conflicts of the cloud's constraints. */
  readonly conflicts?: readonly ConstraintConflict[];
  /** Pending ids of announced resources by name. */
  readonly resources?: Readonly<Record<string, string>>;
  /** The providers of storage, and the pools that the model prefers. */
  readonly storageRules?: StorageRules;
}

/**
 * Creates the application, its peer relations and its units in one change. The units wait while a requirement is not
 * satisfied or a gate is closed.
 * Errors: those of checkDeploy; `already exists`, `not found` (charm, placement machine), '' (dying model).
 */
export function deployApplication(
  tx: Tx,
  args: DeployArgs,
): { readonly units: readonly AddedUnit[]; readonly settled: Settled } {
  const { name } = args;
  const charm = mustGet(tx, 'charm', args.charmUrl);
  const { config, endpointBindings, require, after } = checkDeploy(args, charm, knownSpaces(tx));
  const { providers = machineProviders, preferred } = args.storageRules ?? {};
  const storage = checkStorage(
    storageSpecs(charm.meta.storage),
    args.storage ?? {},
    poolsOf(tx, providers, preferred),
  );
  const existing = tx.get('application', name);
  if (existing) {
    const state = existing.life === 'alive' ? 'already exists' : 'is being removed';
    throw new JujuError('already exists', `cannot add application "${name}": application ${state}`);
  }
  if (tx.get('remote-application', name))
    throw new JujuError(
      'already exists',
      `cannot add application "${name}": saas application with same name already exists`,
    );
  aliveModel(tx);
  const application: ApplicationDoc = {
    name,
    life: 'alive',
    charmUrl: charm.url,
    charmOrigin: args.charmOrigin,
    base: args.base,
    subordinate: charm.meta.subordinate,
    constraints: args.constraints,
    config,
    trust: args.trust,
    endpointBindings,
    workloadVersion: '',
    createdAt: tx.now,
    ...defined({
      require: require.length > 0 ? require : undefined,
      after: newGates(tx, name, after),
      storage: Object.keys(storage).length > 0 ? storage : undefined,
    }),
  };
  tx.put('application', name, application);
  takeResources(tx, { application: name, charm }, args.resources ?? {});

  makePeers(tx, name, charm.meta);
  const settled = settleRequirements(tx, [name]);
  const units = args.numUnits > 0 ? addUnits(tx, { ...args, application: name, count: args.numUnits }) : [];
  return { units, settled };
}
