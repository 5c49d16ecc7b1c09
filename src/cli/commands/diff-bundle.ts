import { findBundle, readBundle } from '../../operate/files/read-bundle.ts';
import { readModel } from '../../operate/bundle/read-model.ts';
import { withWholeUrls } from '../../operate/bundle/bundle-offers.ts';
import { compareBundle } from '../bundle/compare.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, list, text } from '../flags.ts';
import { toYaml } from '../format/yaml.ts';
import { readMachineMap } from '../placements.ts';

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
    const map = readMachineMap(flags.mapMachines);
    const file = await findBundle(context.io, bundlePath);
    if (file === undefined)
      throw new UsageError(
        `"${bundlePath}" is not a bundle: expected a .yaml file, or a directory with a bundle.yaml`,
      );
    const { bundle: written, warnings } = await readBundle(context.io, file, flags.overlay);
    for (const warning of warnings) context.warning(warning);

    const session = await context.openModel(flags.model);
    const bundle = withWholeUrls(written, session);
    const model = await readModel(session.connection);
    const { annotations } = flags;
    const diff = await compareBundle(context, session, { bundle, model, map, annotations });
    await context.write(toYaml(diff));
  },
});
