import { checkExcluded, mergeBindings as merge, newlyBound } from '../../../core/application/bindings.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { CharmMeta } from '../../../core/charm/metadata.ts';
import { JujuError } from '../../../core/errors.ts';
import { spacesOfMachines } from '../shared/machine-spaces.ts';
import { charmMetas, knownSpaces } from '../shared/spaces.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * bind: binds endpoints to other spaces. The units' agents notice, run config-changed, and announce the new addresses
 * then (networks.md#changed-bindings).
 * Errors: `not found` (application, endpoint, space); '' (not alive, a space that the constraints exclude, or in which
 * a machine of a unit has no address, unless it is forced).
 */
export function mergeBindings(
  tx: Tx,
  args: {
    readonly application: string;
    readonly bindings: Readonly<Record<string, string>>;
    readonly force: boolean;
  },
): void {
  const application = mustGet(tx, 'application', args.application);
  if (application.life !== 'alive')
    throw new JujuError('', `cannot bind: application "${application.name}" is no longer alive`);
  const { meta } = mustGet(tx, 'charm', application.charmUrl);
  const older = charmMetas(tx, Object.keys(application.older ?? {}));
  const endpointBindings = merge(application.endpointBindings, args.bindings, meta, knownSpaces(tx), older);
  checkExcluded(endpointBindings, application.constraints);
  if (!args.force) checkFeasible(tx, application, endpointBindings, meta);
  if (JSON.stringify(endpointBindings) === JSON.stringify(application.endpointBindings)) return;
  tx.put('application', application.name, { ...application, endpointBindings });
}

/** Checks that the units' machines have an address in each space; a machine without one may still get any. */
function checkFeasible(
  tx: Tx,
  application: ApplicationDoc,
  bindings: Readonly<Record<string, string>>,
  meta: CharmMeta,
): void {
  const changed = newlyBound(application.endpointBindings, bindings, meta);
  if (changed.length === 0) return;
  for (const [, spaces] of spacesOfMachines(tx, application.name)) {
    const lacking = changed.find(([, space]) => !spaces.has(space));
    if (lacking)
      throw new JujuError(
        '',
        `binding endpoint "${lacking[0]}" to space "${lacking[1]}" is not feasible: ` +
          'one or more deployed machines lack an address in this space',
      );
  }
}
