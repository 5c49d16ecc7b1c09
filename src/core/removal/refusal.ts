/** Why a removal is not even begun. Transactions throw it; a plan tells it without trying. */
import type { EntityRef } from '../entity-ref.ts';
import type { ErrorCode } from '../errors.ts';
import { machineRemovalImpediments, type Impediment, type Refs } from '../impediments.ts';

export interface Refusal {
  readonly code: ErrorCode | '';
  readonly message: string;
  /** Those that --force passes over; absent where it does not help. */
  readonly passedOver?: readonly Impediment[];
}

/** Undefined = it is accepted. `code` and `message` are Juju's. */
export function removalRefusal(refs: Refs, { kind, id }: EntityRef): Refusal | undefined {
  switch (kind) {
    case 'unit':
      return unitRefusal(refs, id);
    case 'application':
      return refs.get('application', id) ? applicationRefusal(refs, id) : missing('application', id);
    case 'relation':
      return relationRefusal(refs, id);
    case 'machine':
      return machineRefusal(refs, id);
    case 'model':
      return undefined;
  }
}

function missing(what: string, id: string): Refusal {
  return { code: 'not found', message: `${what} "${id}" not found` };
}

function unitRefusal(refs: Refs, name: string): Refusal | undefined {
  const unit = refs.get('unit', name);
  if (!unit) return missing('unit', name);
  if (unit.principal === undefined) return undefined;
  return {
    code: '',
    message: `cannot destroy unit "${name}": unit is a subordinate, to remove use remove-relation. Note: this will remove all units of "${unit.application}"`,
    // Its end is decided already: nothing more than that goes.
    ...(unit.life === 'alive' ? {} : { passedOver: [] }),
  };
}

function applicationRefusal(refs: Refs, name: string): Refusal | undefined {
  let used = 0;
  for (const { connections } of refs.find('offer', 'application', name)) if (connections.length > 0) used++;
  if (used === 0) return undefined;
  const offers = `${used} offer${used === 1 ? '' : 's'}`;
  return { code: '', message: `cannot destroy application "${name}": application is used by ${offers}` };
}

function relationRefusal(refs: Refs, id: string): Refusal | undefined {
  const relation = refs.get('relation', id);
  if (!relation) return missing('relation', id);
  if (relation.endpoints.length > 1) return undefined;
  return { code: '', message: `cannot destroy relation "${relation.key}": is a peer relation` };
}

function machineRefusal(refs: Refs, id: string): Refusal | undefined {
  const machine = refs.get('machine', id);
  if (!machine) return { code: 'not found', message: `machine ${id} not found` };
  if (machine.isController)
    return { code: '', message: `cannot remove machine ${id}: it runs the only controller` };
  const found = machineRemovalImpediments(refs, id);
  const [first] = found;
  if (!first) return undefined;
  return {
    code: first.kind === 'unit' ? 'machine has assigned units' : 'machine is hosting containers',
    message: found.map(({ text }) => text).join('; '),
    passedOver: found,
  };
}
