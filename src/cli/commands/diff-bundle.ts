import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel, MachineMap } from '../../core/bundle/bundle-model.ts';
import { diffBundle as differences } from '../../core/bundle/diff-bundle.ts';
import { mapMachines, parseMachineMap } from '../../core/bundle/map-machines.ts';
import { isPath } from '../../operate/bundle/bundle-charms.ts';
import { findBundle, readBundle } from '../../operate/files/read-bundle.ts';
import { bundleOfText, readModel } from '../../operate/bundle/read-model.ts';
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
  details: `The bundle is a .yaml file, or a directory with a bundle.yaml, with the overlays that deploy would be given.
What differs is printed as YAML, what the bundle says beside what the model has; {} when nothing does.

A charm of the bundle that is a path is the model's if it has the same name. Options are compared with
the values in force. Machines are compared if the bundle has any: those with units that the bundle places on
them, else those with the same number; --map-machines 3=4 says it otherwise.`,
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
    arch: text('--arch', 'Of a bundle from Charmhub: not supported'),
    base: text('--base', 'Of a bundle from Charmhub: not supported'),
    channel: text('--channel', 'Of a bundle from Charmhub: not supported'),
    mapMachines: text('--map-machines', 'Indicates how existing machines correspond to bundle machines'),
    overlay: list('--overlay', 'Bundles to overlay on the primary bundle, applied in order'),
  },
  async run(context, flags, args, given) {
    const [where, ...rest] = args;
    if (!where) throw new UsageError('no bundle specified');
    noMoreArgs(rest);
    for (const flag of ['arch', 'base', 'channel'] as const)
      if (given.has(flag))
        throw new UsageError(`--${flag} is for bundles from Charmhub, which are not supported`);
    const map = parseMachineMap(flags.mapMachines);
    const file = await findBundle(context.io, where);
    if (file === undefined)
      throw new UsageError(
        `"${where}" is no bundle: expected a .yaml file, or a directory with a bundle.yaml`,
      );
    const { bundle, warnings } = await readBundle(context.io, file, flags.overlay);
    for (const warning of warnings) context.warning(warning);

    const { connection } = await context.openModel(flags.model);
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
      annotations: flags.annotations,
      charmName: (application) => names.get(application) ?? '',
    });
    await context.write(toYaml(diff));
  },
});

/**
 * Returns the charms' names. Charms in files are read, unless the model lacks the application, when the name does not
 * matter.
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
  const taken = new Set(machines.values());
  for (const number of Object.keys(bundle.machines))
    if (!machines.has(number) && !taken.has(number) && Object.hasOwn(model.state.machines, number))
      machines.set(number, number);
  return machines;
}
