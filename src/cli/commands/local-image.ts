import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatBase, parseBase } from '../../core/base.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { openLogStream } from '../../client/log-stream.ts';
import { loginOptions } from '../../operate/login-options.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { formatBytes } from '../format/bytes.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { formatTime } from '../format/time.ts';
import { timeStyle } from '../time-style.ts';

export const localImage = command({
  name: 'local-image',
  summary: 'Adds, lists and removes root file systems for machines on the controller’s own host.',
  usage: 'add <base> [<archive>] | list | remove <base>',
  details: `Machines of a cloud of type "local" run on the files of the controller's host. A machine with another base
than the host runs on the root file system that is registered for its base. Without one, it runs on the host's files,
as the status shows, unless the cloud's setting base-mismatch is "refuse". Of a charm's bases, those that are
available are preferred.

"add" registers a tar archive of a root file system, optionally compressed with gzip, xz or zstd: such as
distributions publish for containers, or "docker export" writes. Without an archive, mmdebstrap builds the root file
system on the controller's host from the distribution's packages (Debian and Ubuntu). They come from the mirrors that
the host's apt knows, or from the distribution's folder beside them; what else is needed is fetched for the time of the
build, and nothing is installed on the host. The new root file system is used by machines that start later; existing
machines keep theirs.

"remove" fails while machines use the root file system.`,
  examples: [
    'local-image add ubuntu@24.04 ubuntu-base-24.04-base-amd64.tar.gz',
    'local-image add debian@13',
    'local-image list',
    'local-image remove ubuntu@24.04',
  ],
  seeAlso: ['bootstrap', 'deploy'],
  completes: [['add', 'list', 'remove'], [], 'file'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, flags, args) {
    const [verb, ...moreArgs] = args;
    switch (verb) {
      case 'add':
        return await add(context, flags.controller, moreArgs);
      case 'list':
        noMoreArgs(moreArgs);
        return await list(context, flags);
      case 'remove':
        return await remove(context, flags.controller, moreArgs);
      case undefined:
        throw new UsageError('expected add, list or remove');
      default:
        throw new UsageError(`unknown subcommand "${verb}": expected add, list or remove`);
    }
  },
});

async function add(context: CommandContext, controller: string, args: readonly string[]): Promise<void> {
  const [text, archive, ...moreArgs] = args;
  noMoreArgs(moreArgs);
  const base = baseOf(text);
  if (archive === undefined) {
    const { connection, controller: name } = await context.openController(controller);
    const steps = new AbortController();
    const shown = showSteps(context, { controller: name, base, signal: steps.signal });
    await context
      .progress(
        `Building ${base} from its distribution's packages`,
        call(connection, 'LocalImages', 'Add', { base }),
      )
      .finally(() => steps.abort(new Error('done')));
    await shown;
  } else {
    await upload(context, { controller, base, archive });
  }
  context.info(`added ${base}: new machines will use it`);
}

/**
 * Shows the controller's log messages about the image as they arrive. Without access to its log there is nothing to
 * show.
 */
async function showSteps(
  context: CommandContext,
  { controller, base, signal }: { controller: string; base: string; signal: AbortSignal },
): Promise<void> {
  try {
    const session = await context.openModel(`${controller}:controller`);
    const stream = openLogStream({
      ...loginOptions(session, AbortSignal.any([signal, context.io.signal])),
      modelUuid: session.modelUuid,
      query: { includeModule: ['grigri.local-images'], backlog: '0' },
    });
    const end = ` base=${base}`;
    for await (const { msg } of stream) if (msg.endsWith(end)) context.info(`  ${msg.slice(0, -end.length)}`);
  } catch {
    // The image is made in any case.
  }
}

async function upload(
  context: CommandContext,
  { controller, base, archive }: { controller: string; base: string; archive: string },
): Promise<void> {
  const file = resolve(context.io.cwd, archive);
  const fileStat = await stat(file).catch(() => undefined);
  if (!fileStat?.isFile()) throw new UsageError(`cannot read the archive "${archive}"`);
  const { size } = fileStat;
  const session = await context.openController(controller);
  await context.progress(
    `Uploading and extracting ${archive} (${formatBytes(size)})`,
    context.io.uploadImage({
      ...loginOptions(session, context.io.signal),
      base,
      file,
    }),
  );
}

async function remove(context: CommandContext, controller: string, args: readonly string[]): Promise<void> {
  const [text, ...moreArgs] = args;
  noMoreArgs(moreArgs);
  const base = baseOf(text);
  const { connection } = await context.openController(controller);
  await context.progress(`Removing ${base}`, call(connection, 'LocalImages', 'Remove', { base }));
  context.info(`removed ${base}`);
}

async function list(
  context: CommandContext,
  flags: { controller: string; format: string; utc: boolean },
): Promise<void> {
  const { connection, controller } = await context.openController(flags.controller);
  const { images } = await call(connection, 'LocalImages', 'List', {});
  if (images.length === 0 && flags.format === 'tabular')
    context.info(`Controller ${controller} has no local images.`);
  await context.write(
    render(flags.format, Object.fromEntries(images.map(describe)), {
      tabular: () => {
        const rows = images.map(({ base, arch, size, 'added-at': added }) => [
          formatBase(base),
          arch,
          formatBytes(size),
          formatTime(added, timeStyle(context.io, flags.utc)),
        ]);
        return rows.length === 0
          ? ''
          : formatSections([{ rows: [['Base', 'Arch', 'Size', 'Added'], ...rows], right: [2] }]);
      },
    }),
  );
}

type Image = ResultOf<'LocalImages', 'List'>['images'][number];

function describe({ base, arch, size, 'added-at': added }: Image): [string, object] {
  return [formatBase(base), { arch, size, added }];
}

function baseOf(text: string | undefined): string {
  if (text === undefined) throw new UsageError('expected a base, e.g. ubuntu@24.04');
  return formatBase(parseBase(text));
}
