/** Profiles that the charms of a machine's units ask for (charm-metadata.md#lxd-profiles). */
import { charmProfileName } from '../core/charm/profile-names.ts';
import type { CharmDoc } from '../core/charm/document.ts';
import { charmOfUnit } from '../core/rollout/rollout.ts';
import type { UnitDoc } from '../core/unit/document.ts';
import { compareNames } from '../core/names.ts';
import type { CharmProfile } from '../providers/contract/provider.ts';
import type { View } from './transactions/tx.ts';

/** True when any charm of the model asks for a profile; few do, and machines of other models must cost nothing. */
export function hasCharmProfiles(view: View): boolean {
  for (const { lxdProfile } of view.list('charm')) if (lxdProfile) return true;
  return false;
}

/** Profiles for a machine in the order of the applications' names, without those of units in its containers. */
export function profilesOf(view: View, machine: string): CharmProfile[] {
  const units = [...view.find('unit', 'machine', machine)];
  const applications = Map.groupBy(units, ({ application }) => application);
  const names = [...applications.keys()].sort(compareNames);
  return names.flatMap((name) =>
    charmsOf(view, name, applications.get(name)!).flatMap((url) => {
      const charm = view.get('charm', url);
      const profile = charm && profileName(view, name, charm);
      return profile === undefined ? [] : [{ name: profile, ...charm!.lxdProfile! }];
    }),
  );
}

/** Name of the profile that a charm asks for as an application's; undefined when it asks for none. */
export function profileName(view: View, application: string, charm: CharmDoc): string | undefined {
  const model = view.in('').get('model', view.space);
  if (!model || !charm.lxdProfile) return undefined;
  return charmProfileName({ modelName: model.name, modelUuid: model.uuid }, application, charm.revision);
}

/**
 * The charms that units of an application are to run: two of them while a roll-out goes on (refresh.md#rolled-parts).
 */
function charmsOf(view: View, name: string, units: readonly UnitDoc[]): readonly string[] {
  const application = view.get('application', name);
  if (!application) return [];
  return [...new Set(units.map((unit) => charmOfUnit(application, unit)))].sort();
}
