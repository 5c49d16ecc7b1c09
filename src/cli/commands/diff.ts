import { diffModel } from '../../core/model-file/diff-model.ts';
import { scaled } from '../../core/model-file/plan-model.ts';
import { withWholeUrls } from '../../operate/bundle/bundle-offers.ts';
import { readLiveOf } from '../../operate/model-file/prepare-model.ts';
import { compareBundle } from '../bundle/compare.ts';
import { command } from '../command.ts';
import { bool } from '../flags.ts';
import { toYaml } from '../format/yaml.ts';
import { fileFlags, readFileArgument } from '../model-file.ts';

export const diff = command({
  name: 'diff',
  summary: 'Compares a model file with a model and reports any differences.',
  usage: '<model file>',
  details: `Differences are printed as YAML in both directions, as diff-bundle prints them: \`file\` has the values of the file and
\`model\` those of the model. {} means that there are none. What plan would change, and what the model has beside the file,
are both differences. Contents of secrets are compared and not shown.`,
  examples: ['diff ./model.yaml', 'diff ./model.yaml --overlay production.yaml --annotations'],
  seeAlso: ['plan', 'export', 'diff-bundle'],
  completes: ['file'],
  flags: { ...fileFlags, annotations: bool('--annotations', 'Include differences in annotations') },
  async run(context, flags, args) {
    const deploy = await readFileArgument(context, flags, args);
    const { session, map, secrets } = deploy;
    const { live } = await readLiveOf(deploy);
    const file = { ...deploy.file, bundle: withWholeUrls(deploy.file.bundle, session) };
    const { annotations } = flags;
    const bundle = await compareBundle(context, session, {
      bundle: scaled(file, live.bundle),
      model: live.bundle,
      map,
      annotations,
    });
    const checksums = Object.fromEntries(
      Object.entries(secrets).map(([name, { checksum }]) => [name, checksum]),
    );
    await context.write(toYaml(diffModel(file, live, { bundle, checksums })));
  },
});
