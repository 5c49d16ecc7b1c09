import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Bundle } from '../../core/bundle/bundle.ts';
import { formatBundle } from '../../core/bundle/format-bundle.ts';
import { bundleOfText } from '../../operate/bundle/read-model.ts';
import { call, errorOf } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { applicationTag } from '../../wire/tags.ts';
import { isUsed } from '../charm/resource-views.ts';
import { downloadCharm } from '../charm/download-charm.ts';
import { command, modelFlags } from '../command.ts';
import { loginOptions } from '../../operate/login-options.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { toYaml } from '../format/yaml.ts';
import { makeFolder } from '../../kit/make-folder.ts';

export const exportBundle = command({
  name: 'export-bundle',
  summary: 'Exports the current model as a bundle.',
  usage: '',
  details: `The bundle describes the current state of the model: applications with the options that were set, machines
that have units, and relations. Deploying it into an empty model recreates that state; diff-bundle shows later changes.

Uploaded charms are referred to by name only (local:mysql-0), which is sufficient for this model. With
--include-charms, their archives and the resources that were uploaded are written into a directory and the bundle refers
to them, so that it can be deployed anywhere. Without --filename, the bundle is written into the same directory as bundle.yaml.`,
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
    includeCharms: text(
      '--include-charms',
      'Write the archives of the charms and their resources into this directory, too',
    ),
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
    await context.write(`Bundle successfully exported to ${flags.filename || file}\n`);
  },
});

/** Downloads the charms into the folder, and returns the bundle with their paths relative to `from`. */
async function withCharms(
  context: CommandContext,
  session: ModelSession,
  { bundle, folder, fromDir }: { bundle: Bundle; folder: string; fromDir: string },
): Promise<Bundle> {
  await makeFolder(folder);
  const paths = new Map<string, string>();
  for (const [url, name] of fileNames(Object.values(bundle.applications).map(({ charm }) => charm))) {
    const file = join(folder, name);
    await downloadCharm(context, session, { url, file });
    paths.set(url, pathFrom(fromDir, file));
  }
  const resources = await exportResources(context, session, { bundle, folder, fromDir });
  return {
    ...bundle,
    applications: Object.fromEntries(
      Object.entries(bundle.applications).map(([name, application]) => [
        name,
        {
          ...application,
          charm: paths.get(application.charm) ?? application.charm,
          ...defined({ resources: resources.get(name) }),
        },
      ]),
    ),
  };
}

/**
 * Downloads uploaded resources as `app-file.tgz`, and where another has that name as `app-resource-file.tgz`. Returns
 * their paths by application.
 */
async function exportResources(
  context: CommandContext,
  session: ModelSession,
  { bundle, folder, fromDir }: { bundle: Bundle; folder: string; fromDir: string },
): Promise<Map<string, Record<string, string>>> {
  const names = Object.keys(bundle.applications);
  const { results } = await call(session.connection, 'Resources', 'ListResources', {
    entities: names.map((name) => ({ tag: applicationTag(name) })),
  });
  const paths = new Map<string, Record<string, string>>();
  const taken = new Set<string>();
  for (const [i, application] of names.entries()) {
    const used = results[i]?.resources.filter((one) => isUsed(one) && one.origin === 'upload') ?? [];
    const ofApplication: [string, string][] = [];
    for (const { name, type, path, fingerprint, size } of used) {
      const fileName = type === 'file' ? basename(path) : `${name}.yaml`;
      const file = join(folder, freeName(taken, application, name, basename(fileName)));
      await context.progress(
        `Downloading resource ${name} of ${application}`,
        context.io.downloadResource({
          ...loginOptions(session, context.io.signal),
          modelUuid: session.modelUuid,
          application,
          name,
          fingerprint: Buffer.from(fingerprint ?? '', 'base64').toString('hex'),
          size,
          file,
        }),
      );
      ofApplication.push([name, pathFrom(fromDir, file)]);
    }
    if (ofApplication.length > 0) paths.set(application, Object.fromEntries(ofApplication));
  }
  return paths;
}

function freeName(taken: Set<string>, application: string, resource: string, fileName: string): string {
  const names = [`${application}-${fileName}`, `${application}-${basename(resource)}-${fileName}`];
  for (let n = 2; ; n++) {
    const name = names.find((one) => !taken.has(one));
    if (name !== undefined) {
      taken.add(name);
      return name;
    }
    names.push(`${application}-${basename(resource)}-${n}-${fileName}`);
  }
}

function pathFrom(folder: string, file: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') ? path : `./${path}`;
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
