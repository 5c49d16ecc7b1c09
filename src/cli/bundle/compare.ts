/** Comparison of a bundle with the model, in both directions: diff-bundle, and diff for its part of a model file. */
import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel, MachineMap } from '../../core/bundle/bundle-model.ts';
import { diffBundle, type BundleDiff } from '../../core/bundle/diff-bundle.ts';
import { mapMachines } from '../../core/bundle/map-machines.ts';
import { call, errorOf } from '../../client/calls.ts';
import { isPath } from '../../operate/bundle/bundle-charms.ts';
import { differentResources } from '../../operate/bundle/bundle-resources.ts';
import { bundleOfText } from '../../operate/bundle/read-model.ts';
import { localResource } from '../../operate/files/local-resources.ts';
import { readCharm } from '../../operate/files/read-charm.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';

interface ToCompare {
  /** The bundle, whose offers have whole URLs. */
  readonly bundle: Bundle;
  readonly model: BundleModel;
  readonly map: MachineMap;
  /** Whether annotations are compared. */
  readonly annotations: boolean;
}

/** Returns the differences; a charm given by a path counts by its name. Errors: those of the controller, and of files. */
export async function compareBundle(
  context: CommandContext,
  { connection }: ModelSession,
  { bundle, model, map, annotations }: ToCompare,
): Promise<BundleDiff> {
  const withDefaults = await call(connection, 'Bundle', 'ExportBundle', {
    'include-charm-defaults': true,
    'allow-empty': true,
  });
  if (withDefaults.error) throw errorOf(withDefaults.error);
  const names = await charmNames(bundle, model.state);
  return diffBundle({
    bundle,
    model: model.state,
    withDefaults: bundleOfText(withDefaults.result),
    machines: correspondence(bundle, model, map),
    resources: await differentResources(connection, {
      bundle,
      model: model.state,
      readResource: (name, declared, value) => localResource(context.io, name, declared, value),
    }),
    annotations,
    charmName: (application) => names.get(application) ?? '',
  });
}

/**
 * Returns the charms' names. Charms in files are read, unless the model lacks the application: the name does not matter
 * then.
 */
async function charmNames(bundle: Bundle, model: Bundle): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const [application, { charm }] of Object.entries(bundle.applications)) {
    if (!Object.hasOwn(model.applications, application)) continue;
    names.set(application, isPath(charm) ? (await readCharm(charm)).charm.meta.name : charm);
  }
  return names;
}

/**
 * Maps the bundle's machines to the model's as deploy does. In addition, equal numbers are taken for the same machine
 * where nothing contradicts that.
 */
function correspondence(bundle: Bundle, model: BundleModel, map: MachineMap): ReadonlyMap<string, string> {
  const machines = new Map(mapMachines(bundle, model, map));
  const usedMachines = new Set(machines.values());
  for (const number of Object.keys(bundle.machines))
    if (!machines.has(number) && !usedMachines.has(number) && Object.hasOwn(model.state.machines, number))
      machines.set(number, number);
  return machines;
}
