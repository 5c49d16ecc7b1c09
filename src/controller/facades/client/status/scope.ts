import { availableVersion, modelVersion } from '../../../../core/model/upgrade.ts';
import type { Status } from '../../../../core/status.ts';
import type { MachineDoc } from '../../../../core/machine/document.ts';
import type { UnitDoc } from '../../../../core/unit/document.ts';
import { shownStatus } from '../../../../core/unit/shown-status.ts';
import type { CharmProfile } from '../../../../providers/contract/provider.ts';
import type { Call } from '../../../facade.ts';
import { hasCharmProfiles, profilesOf } from '../../../machine-profiles.ts';
import type { View } from '../../../transactions/tx.ts';
import { modelAccess } from '../../shared/model-access.ts';
import { now } from '../../shared/now.ts';
import { Details } from './shortened.ts';

/** Context for one answer. */
export interface StatusScope {
  readonly view: View;
  readonly now: string;
  /** Juju version that is shown for the model and its agents. */
  readonly version: string;
  /** Version to which the model can be upgraded; '' = none. */
  readonly availableVersion: string;
  /** True when the machine's agent is connected. */
  readonly present: (machine: MachineDoc) => boolean;
  /** True when the agent of the machine with this id is connected. */
  readonly presentId: (machine: string) => boolean;
  /** Profiles of the charms of a machine's units, where the cloud has profiles. */
  charmProfiles(machine: MachineDoc): readonly CharmProfile[];
  /** Statuses that are shown for a unit; computed once. */
  unitStatus(unit: UnitDoc): { agent: Status; workload: Status };
  readonly details: Details;
  /** Whether the caller may see offers: admins may. */
  readonly showsOffers: boolean;
  /** Pause to be awaited for each entity: it yields the event loop from time to time. */
  pause(): Promise<void> | undefined;
}

/** Number of entities between two pauses: well under a millisecond of work each. */
const chunk = 200;

/**
 * Context for the present, or for the past: then agents have the status that they reported, since connections are not
 * stored.
 */
export function statusScope(
  call: Call,
  past?: { readonly view: View; /** Time of the view (RFC 3339). */ readonly now: string },
): StatusScope {
  const view = past?.view ?? call.read();
  const model = view.in('').get('model', call.modelUuid);
  const shown = new Map<string, { agent: Status; workload: Status }>();
  let visited = 0;
  const profiled =
    hasCharmProfiles(view) && call.services.environ(call.modelUuid, call.read()).profiles !== undefined;
  const present = (machine: MachineDoc): boolean =>
    past !== undefined ||
    machine.isController ||
    call.services.presence.isPresent(call.modelUuid, machine.id);
  return {
    view,
    now: past?.now ?? now(call),
    version: modelVersion(model, call.services.version),
    availableVersion: availableVersion(model, call.services),
    present,
    presentId: (id) => {
      const machine = view.get('machine', id);
      return machine !== undefined && present(machine);
    },
    charmProfiles: ({ id, instance, parent }) =>
      profiled && instance && parent === undefined ? profilesOf(view, id) : [],
    details: new Details(),
    showsOffers: modelAccess(call, call.modelUuid) === 'admin',
    unitStatus: (unit) => {
      let status = shown.get(unit.name);
      if (!status) shown.set(unit.name, (status = unitStatus(view, unit, present)));
      return status;
    },
    pause: () =>
      ++visited % chunk === 0 ? new Promise((resolve) => call.services.nextTurn(resolve)) : undefined,
  };
}

function unitStatus(
  view: View,
  unit: UnitDoc,
  present: (machine: MachineDoc) => boolean,
): { agent: Status; workload: Status } {
  const machine = unit.machine === undefined ? undefined : view.get('machine', unit.machine);
  return shownStatus(unit, view, machine !== undefined && present(machine));
}
