import type { ApplicationDoc } from '../../core/application/document.ts';
import type { ConfigValue } from '../../core/charm/metadata.ts';
import type { Base } from '../../core/base.ts';
import type { ConstraintConflict, Constraints } from '../../core/constraints.ts';
import { JujuError } from '../../core/errors.ts';
import { isApplicationName } from '../../core/names.ts';
import type { Placement } from '../../core/placement.ts';
import { relationKey } from '../../core/relation/key.ts';
import { checkRequired } from '../../core/requirements/check-required.ts';
import type { Settled } from '../../core/requirements/settle.ts';
import { addUnits, type AddedUnit } from './add-units.ts';
import { settleRequirements } from './requirements.ts';
import { aliveModel, mustGet, takeNumbers, type Tx } from './tx.ts';

export interface DeployArgs {
  readonly name: string;
  readonly charmUrl: string;
  readonly charmOrigin: Readonly<Record<string, unknown>>;
  readonly base: Base;
  readonly numUnits: number;
  readonly constraints: Constraints;
  readonly placement: readonly Placement[];
  /** Those that the cloud has (Environ.containers). */
  readonly containerTypes?: readonly string[];
  /** Of the cloud's constraints. */
  readonly conflicts?: readonly ConstraintConflict[];
  /** Units that are placed nowhere may take machines that never had one. */
  readonly reuse?: boolean;
  readonly config: Readonly<Record<string, ConfigValue>>;
  readonly trust: boolean;
  readonly endpointBindings: Readonly<Record<string, string>>;
  /** Endpoints that are required whatever the charm and the model say. */
  readonly require?: readonly string[];
}

/**
 * Creates the application, its peer relations and its units, whole or not at all. With a requirement that is not
 * satisfied the units wait.
 * Errors: `not valid` (name, required endpoint), `already exists`, `not found` (charm, placement machine), ''
 * (subordinate rules, dying model).
 */
export function deployApplication(
  tx: Tx,
  args: DeployArgs,
): { readonly units: readonly AddedUnit[]; readonly settled: Settled } {
  const { name } = args;
  if (!isApplicationName(name)) throw new JujuError('not valid', `invalid application name "${name}"`);
  const existing = tx.get('application', name);
  if (existing) {
    const state = existing.life === 'alive' ? 'already exists' : 'is being removed';
    throw new JujuError('already exists', `cannot add application "${name}": application ${state}`);
  }
  aliveModel(tx);
  const charm = mustGet(tx, 'charm', args.charmUrl);
  const { subordinate } = charm.meta;
  if (subordinate) refuseForSubordinate(args);

  const require = [...new Set(args.require)];
  checkRequired(charm.meta, require);
  const application: ApplicationDoc = {
    name,
    life: 'alive',
    charmUrl: charm.url,
    charmOrigin: args.charmOrigin,
    base: args.base,
    subordinate,
    constraints: args.constraints,
    config: args.config,
    trust: args.trust,
    endpointBindings: args.endpointBindings,
    workloadVersion: '',
    createdAt: tx.now,
    ...(require.length > 0 && { require }),
  };
  tx.put('application', name, application);

  for (const endpoint of Object.values(charm.meta.endpoints)) {
    if (endpoint.role !== 'peer') continue;
    const id = takeNumbers(tx, 'relation');
    const endpoints = [{ ...endpoint, application: name }];
    tx.put('relation', String(id), {
      id,
      key: relationKey(endpoints),
      endpoints,
      life: 'alive',
      createdAt: tx.now,
    });
  }
  const settled = settleRequirements(tx, [name]);
  const units = args.numUnits > 0 ? addUnits(tx, { ...args, application: name, count: args.numUnits }) : [];
  return { units, settled };
}

function refuseForSubordinate(args: DeployArgs): void {
  if (args.numUnits > 0 || args.placement.length > 0)
    throw new JujuError('', 'subordinate application must be deployed without units');
  if (Object.keys(args.constraints).length > 0)
    throw new JujuError('', 'subordinate application must be deployed without constraints');
}
