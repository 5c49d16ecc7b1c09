/** What the charms of a machine's units ask of its instance (charm-metadata.md#lxd-profiles). */
import { compareNames } from '../core/names.ts';
import type { CharmProfile } from '../providers/contract/provider.ts';
import { charmProfileName } from '../providers/contract/profile-names.ts';
import type { View } from './transactions/tx.ts';

/** Whether any charm of the model asks for anything: few do, and the others' machines are to cost nothing. */
export function hasCharmProfiles(view: View): boolean {
  for (const { lxdProfile } of view.list('charm')) if (lxdProfile) return true;
  return false;
}

/** In the order of the applications' names; not of units in its containers. */
export function profilesOf(view: View, machine: string): CharmProfile[] {
  const model = view.in('').get('model', view.space);
  const units = [...view.find('unit', 'machine', machine)];
  const applications = [...new Set(units.map(({ application }) => application))].sort(compareNames);
  return applications.flatMap((name) => {
    const application = view.get('application', name);
    const charm = application && view.get('charm', application.charmUrl);
    if (!model || !charm?.lxdProfile) return [];
    const named = { modelName: model.name, modelUuid: model.uuid };
    return [{ name: charmProfileName(named, name, charm.revision), ...charm.lxdProfile }];
  });
}
