import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Bundle } from '../../core/bundle/bundle.ts';
import { formatBundle } from '../../core/bundle/format-bundle.ts';
import { bundleOfText } from '../../operate/bundle/read-model.ts';
import { call, errorOf } from '../../client/calls.ts';
import { downloadCharm } from '../charm/download-charm.ts';
import { command, modelFlags } from '../command.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { toYaml } from '../format/yaml.ts';

export const exportBundle = command({
  name: 'export-bundle',
  summary: 'Exports the current model as a bundle.',
  usage: '',
  details: `The bundle describes the current state of the model: applications with the options that were set, machines
that have units, and relations. Deploying it into an empty model recreates that state; diff-bundle shows later changes.

Uploaded charms are referred to by name only (local:mysql-0), which is sufficient for this model. With
--include-charms, their archives are written into a directory and the bundle refers to them, so that it can be deployed
anywhere. Without --filename, the bundle is written into the same directory as bundle.yaml.`,
  examples: [
    'export-bundle',
    'export-bundle --filename mymodel.yaml',
    'export-bundle --include-charm-defaults',
    'export-bundle --include-charms ./mymodel',
  ],
  seeAlso: ['deploy', 'diff-bundle'],
  flags: {
    ...modelFlags,
    filename: text('--filename', 'Bundle file'),
    includeCharmDefaults: bool(
      '--include-charm-defaults',
      'Whether to include charm config default values in the exported bundle',
    ),
    includeCharms: text('--include-charms', 'Write the archives of the charms into this directory, too'),
    includeSeries: bool('--include-series', 'Compatibility option. Include series alongside bases'),
  },
  async run(context, flags, args) {
    noMoreArgs(args);
    const session = await context.openModel(flags.model);
    const exported = await call(session.connection, 'Bundle', 'ExportBundle', {
      'include-charm-defaults': flags.includeCharmDefaults,
      'include-series': flags.includeSeries,
    });
    if (exported.error) throw errorOf(exported.error);
    const bundle = bundleOfText(exported.result);

    const folder = flags.includeCharms && resolve(context.io.cwd, flags.includeCharms);
    const file = flags.filename
      ? resolve(context.io.cwd, flags.filename)
      : folder && join(folder, 'bundle.yaml');
    const content = folder
      ? bundleText(
          await withCharms(context, session, { bundle, folder, fromDir: dirname(file) }),
          flags.includeSeries,
        )
      : exported.result;
    if (!file) return context.write(content);
    await writeFile(file, content);
    context.info(`Wrote model ${session.model} as a bundle into ${file}`);
  },
});

/** Downloads the charms into the folder, and returns the bundle with their paths relative to `from`. */
async function withCharms(
  context: CommandContext,
  session: ModelSession,
  { bundle, folder, fromDir }: { bundle: Bundle; folder: string; fromDir: string },
): Promise<Bundle> {
  await mkdir(folder, { recursive: true });
  const paths = new Map<string, string>();
  for (const [url, name] of fileNames(Object.values(bundle.applications).map(({ charm }) => charm))) {
    const file = join(folder, name);
    await downloadCharm(context, session, { url, file });
    const path = relative(fromDir, file);
    paths.set(url, path.startsWith('..') ? path : `./${path}`);
  }
  return {
    ...bundle,
    applications: Object.fromEntries(
      Object.entries(bundle.applications).map(([name, application]) => [
        name,
        { ...application, charm: paths.get(application.charm) ?? application.charm },
      ]),
    ),
  };
}

/** Names each charm's file `mysql.charm`, or `mysql-3.charm` with the revision when the model has several revisions. */
function fileNames(urls: readonly string[]): Map<string, string> {
  const nameOf = (url: string): string => url.replace(/^local:/, '').replace(/-\d+$/, '');
  const distinctUrls = [...new Set(urls)];
  return new Map(
    distinctUrls.map((url) => {
      const isOnlyRevision = distinctUrls.filter((other) => nameOf(other) === nameOf(url)).length === 1;
      return [url, `${isOnlyRevision ? nameOf(url) : url.replace(/^local:/, '')}.charm`];
    }),
  );
}

function bundleText(bundle: Bundle, series: boolean): string {
  return formatBundle(bundle, { series })
    .map((document) => toYaml(document))
    .join('--- # overlay.yaml\n');
}
