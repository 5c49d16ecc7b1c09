import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel, MachineMap } from '../../core/bundle/bundle-model.ts';
import { diffBundle as differences } from '../../core/bundle/diff-bundle.ts';
import { mapMachines, parseMachineMap } from '../../core/bundle/map-machines.ts';
import { isPath } from '../../operate/bundle/bundle-charms.ts';
import { differentResources } from '../../operate/bundle/bundle-resources.ts';
import { localResource } from '../../operate/files/local-resources.ts';
import { findBundle, readBundle } from '../../operate/files/read-bundle.ts';
import { bundleOfText, readModel } from '../../operate/bundle/read-model.ts';
import { withWholeUrls } from '../../operate/bundle/bundle-offers.ts';
import { call, errorOf } from '../../client/calls.ts';
import { readCharm } from '../../operate/files/read-charm.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, list, text } from '../flags.ts';
import { toYaml } from '../format/yaml.ts';

export const diffBundle = command({
  name: 'diff-bundle',
  summary: 'Compares a bundle with a model and reports any differences.',
  usage: '<bundle file>',
  details: `The bundle is a .yaml file, or a directory with a bundle.yaml, with the same overlays as for deploy.
Differences are printed as YAML, with the values of the bundle and of the model; {} means that there are none.

A charm given by a path matches a charm of the model with the same name. Options are compared with the values in
effect, and files of resources with what was uploaded. Machines are compared only if the bundle has any: each with the machine that has the units which the bundle
places on it, or else with the machine of the same number; --map-machines 3=4 overrides that.`,
  examples: [
    'diff-bundle ./bundle.yaml',
    'diff-bundle ./bundle.yaml --overlay local-config.yaml --overlay extra.yaml',
    'diff-bundle ./bundle.yaml --map-machines 3=4 --annotations',
  ],
  seeAlso: ['deploy', 'export-bundle'],
  completes: ['file'],
  flags: {
    ...modelFlags,
    annotations: bool('--annotations', 'Include differences in annotations'),
    arch: text('--arch', 'Not supported: only for bundles from Charmhub'),
    base: text('--base', 'Not supported: only for bundles from Charmhub'),
    channel: text('--channel', 'Not supported: only for bundles from Charmhub'),
    mapMachines: text('--map-machines', 'Indicates how existing machines correspond to bundle machines'),
    series: text('--series', 'Not supported: only for bundles from Charmhub'),
    overlay: list('--overlay', 'Bundles to overlay on the primary bundle, applied in order'),
  },
  async run(context, flags, args, givenFlags) {
    const [bundlePath, ...moreArgs] = args;
    if (!bundlePath) throw new UsageError('no bundle specified');
    noMoreArgs(moreArgs);
    for (const flag of ['arch', 'base', 'channel', 'series'] as const)
      if (givenFlags.has(flag))
        throw new UsageError(`--${flag} is for bundles from Charmhub, which are not supported`);
    const map = parseMachineMap(flags.mapMachines);
    const file = await findBundle(context.io, bundlePath);
    if (file === undefined)
      throw new UsageError(
        `"${bundlePath}" is not a bundle: expected a .yaml file, or a directory with a bundle.yaml`,
      );
    const { bundle: written, warnings } = await readBundle(context.io, file, flags.overlay);
    for (const warning of warnings) context.warning(warning);

    const session = await context.openModel(flags.model);
    const { connection } = session;
    const bundle = withWholeUrls(written, session);
    const [model, withDefaults] = await Promise.all([
      readModel(connection),
      call(connection, 'Bundle', 'ExportBundle', { 'include-charm-defaults': true, 'allow-empty': true }),
    ]);
    if (withDefaults.error) throw errorOf(withDefaults.error);
    const names = await charmNames(bundle, model.state);
    const diff = differences({
      bundle,
      model: model.state,
      withDefaults: bundleOfText(withDefaults.result),
      machines: correspondence(bundle, model, map),
      resources: await differentResources(connection, {
        bundle,
        model: model.state,
        readResource: (name, declared, value) => localResource(context.io, name, declared, value),
      }),
      annotations: flags.annotations,
      charmName: (application) => names.get(application) ?? '',
    });
    await context.write(toYaml(diff));
  },
});

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
