/** The LXD profile that a unit's charm waits for (unit-agent.md#profile-first). */
import { charmProfileName } from '../charm/profile-names.ts';
import { isHeld } from '../rollout/rollout.ts';
import { statusId } from '../status.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { Explanation, ExplainView } from './explanation.ts';

/**
 * Why the unit does not take its charm yet, and who gives its machine the profile; undefined = the machine has the
 * profile.
 */
export function profileToCome(
  { application: name, machine: id, ...unit }: UnitDoc,
  view: ExplainView,
): Pick<Explanation, 'text' | 'actor'> | undefined {
  const application = view.get('application', name);
  const profiles = id === undefined ? undefined : view.get('machine', id)?.instance?.profiles;
  const charm = application && view.get('charm', application.charmUrl);
  if (!profiles || !view.model || !charm?.lxdProfile || isHeld(application!, unit)) return undefined;
  const named = { modelName: view.model.name, modelUuid: view.model.uuid };
  if (profiles.includes(charmProfileName(named, name, charm.revision))) return undefined;
  const text = `waits until machine ${id} has the LXD profile of charm ${charm.url}`;
  const status = view.get('status', statusId('modification', id!));
  if (status?.status !== 'error')
    return {
      text,
      actor: { kind: 'provisioner', name: `machine ${id}`, task: 'gives it the LXD profile', commands: [] },
    };
  return {
    text: `${text}: ${status.message}`,
    actor: {
      kind: 'operator',
      name: `machine ${id}`,
      task: 'see to what its error says, or refresh to a charm with another profile; it is tried again from time to time',
      since: status.since,
      commands: [],
    },
  };
}
