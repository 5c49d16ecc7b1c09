import { JujuError } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';
import { allOk, call, type ResultOf } from '../../client/calls.ts';
import { colourFlags, command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { commas, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { sorted } from '../format/yaml.ts';
import { readText, splitKeyValues } from '../key-values.ts';

export const config = command({
  name: 'config',
  summary: 'Get, set, or reset configuration for a deployed application.',
  usage: '<application name> [--reset <key[,key]>] [<attribute-key>][=<value>] ...',
  details: `With only an application name, all settings are shown; with one key, its value. key=value sets a value, and
key=@file sets it to the content of the file. --file sets values from a YAML file with the settings under the
application's name; - is stdin. --reset restores defaults.`,
  examples: [
    'config mysql',
    'config mysql dataset-size',
    'config mysql dataset-size=80% backup_dir=/vol1/mysql/backups',
    'config apache2 --file path/to/config.yaml',
    'config mysql --reset dataset-size,backup_dir',
  ],
  seeAlso: ['deploy', 'status'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json'),
    ...colourFlags,
    file: text('--file', 'Path to yaml-formatted configuration file', { completes: 'file' }),
    reset: commas('--reset', 'Reset the provided comma delimited keys'),
  },
  async run(context, flags, args) {
    const [application, ...words] = args;
    if (!application) throw new UsageError('no application name specified');
    const { files: keys, values } = splitKeyValues(words);
    const setting = Object.keys(values).length > 0 || flags.file !== '';
    if (keys.length > 0 && (setting || flags.reset.length > 0))
      throw new UsageError('cannot set and retrieve values simultaneously');
    if (keys.length > 1) throw new UsageError('can only retrieve a single value, or all values');
    const setAndReset = flags.reset.filter((key) => key in values);
    if (setAndReset.length > 0)
      throw new UsageError(`cannot set and reset key "${setAndReset[0]}" simultaneously`);
    if (setting || flags.reset.length > 0) return change(context, { application, values, ...flags });
    const { connection } = await context.openModel(flags.model);
    const answer = await call(connection, 'Application', 'Get', { application, branch: 'master' });
    await context.write(
      keys[0] === undefined
        ? render(flags.format, allSettings(answer))
        : formatSetting(answer, keys[0], flags.format),
    );
  },
});

async function change(
  context: CommandContext,
  changes: {
    application: string;
    values: Record<string, string>;
    file: string;
    reset: readonly string[];
    model: string;
  },
): Promise<void> {
  const { application, values, file, reset } = changes;
  const { connection } = await context.openModel(changes.model);
  if (reset.length > 0) {
    const { results } = await call(connection, 'Application', 'UnsetApplicationsConfig', {
      Args: [{ application, branch: 'master', options: [...reset] }],
    });
    allOk(results ?? [], () => application);
  }
  if (Object.keys(values).length === 0 && !file) return;
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    texts[key] = value.startsWith('@') ? await readText(context, value.slice(1)) : value;
  }
  const { results } = await call(connection, 'Application', 'SetConfigs', {
    Args: [
      {
        application,
        generation: 'master',
        config: texts,
        'config-yaml': file ? await readText(context, file) : '',
      },
    ],
  });
  allOk(results ?? [], () => application);
}

type Got = ResultOf<'Application', 'Get'>;

function allSettings(answer: Got): Record<string, unknown> {
  const trust = answer['application-config'] ?? {};
  return {
    application: answer.application,
    ...(Object.keys(trust).length > 0 ? { 'application-config': Object.fromEntries(sorted(trust)) } : {}),
    charm: answer.charm,
    settings: Object.fromEntries(
      sorted(answer.config ?? {}).map(([key, { default: fallback, description, source, type, value }]) => [
        key,
        { default: fallback, description, source, type, value },
      ]),
    ),
  };
}

/** Prints a single value as it is; structured formats quote it. */
function formatSetting(answer: Got, key: string, format: string): string {
  const setting = answer.config?.[key] ?? answer['application-config']?.[key];
  if (!setting) {
    throw new JujuError(
      'not found',
      `key "${key}" not found in "${answer.application}" application config or charm settings.`,
    );
  }
  if (format === 'json') return `${JSON.stringify(setting.value ?? null)}\n`;
  return setting.value === undefined ? '' : `${String(setting.value)}\n`;
}
