import { JujuError } from '../../core/errors.ts';
import type { RequirementsChange } from '../../wire/facades/requirements.ts';
import { call } from '../../client/calls.ts';
import { warnOfKept, warnOfUnknown } from '../known-settings.ts';
import { colourFlags, command, formatFlags, modelFlags } from '../command.ts';
import { bool, commas } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { sorted, toYaml } from '../format/yaml.ts';
import { mergeRequirements } from '../../operate/requirements.ts';
import { printRequirements } from '../requirements.ts';
import { mergeValues, settingsFileFlags, splitSettings, withoutReadOnly } from '../key-values.ts';

export const modelConfig = command({
  name: 'model-config',
  summary: 'Displays or sets configuration values on a model.',
  usage: '[<model-key>[=<value>] ...]',
  details: `Without arguments, all settings are shown with their sources; with one key, its value. key=value sets a
value, --file (or a file name) sets values from YAML, and --reset restores defaults.`,
  examples: [
    'model-config',
    'model-config default-base',
    'model-config ftp-proxy=10.0.0.1:8000',
    'model-config --reset default-base,test-mode',
  ],
  seeAlso: ['models', 'model-defaults', 'set-model-constraints'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    ...colourFlags,
    ...settingsFileFlags,
    ignoreAgentVersion: bool(
      '--ignore-agent-version',
      'Skip the error when passing in the agent version configuration (deprecated)',
    ),
    reset: commas('--reset', 'Reset the provided comma delimited keys'),
  },
  async run(context, flags, args) {
    const { key, ...given } = splitSettings(args, { file: flags.file, resets: flags.reset });
    const isSetting = Object.keys(given.values).length > 0 || given.files.length > 0;
    const { connection, model } = await context.openModel(flags.model);
    const changes: (RequirementsChange | undefined)[] = [];
    const readConfig = async () => (await call(connection, 'ModelConfig', 'ModelGet', {})).config;
    if (flags.reset.length > 0) {
      warnOfUnknown(context, flags.reset, { known: await readConfig(), which: 'current' });
      const answer = await call(connection, 'ModelConfig', 'ModelUnset', { keys: [...flags.reset] });
      changes.push(answer.requirements);
    }
    if (isSetting) {
      const all = await mergeValues(context, given);
      const config = flags.ignoreReadOnly || flags.ignoreAgentVersion ? withoutReadOnly(all) : all;
      const known = await readConfig();
      warnOfUnknown(context, Object.keys(config), { known, which: 'current' });
      const isNew = (name: string): boolean => shown(config[name]) !== shown(known[name]?.value);
      warnOfKept(context, Object.keys(config).filter(isNew));
      const answer = await call(connection, 'ModelConfig', 'ModelSet', { config });
      changes.push(answer.requirements);
    }
    if (isSetting || flags.reset.length > 0) {
      const format = flags.format === 'tabular' ? 'text' : flags.format;
      return printRequirements(context, format, mergeRequirements(changes));
    }
    const config = await readConfig();
    if (key !== undefined) {
      const setting = config[key];
      if (!setting) throw new JujuError('not found', `key "${key}" not found in model "${model}"`);
      return context.write(
        flags.format === 'json' ? `${JSON.stringify(setting.value)}\n` : `${shown(setting.value)}\n`,
      );
    }
    const entries = sorted(config).map(
      ([name, { value, source }]) => [name, { Value: value, Source: source }] as const,
    );
    await context.write(
      render(
        flags.format,
        Object.fromEntries(
          flags.format === 'yaml'
            ? entries.map(([n, v]) => [n, { value: v.Value, source: v.Source }])
            : entries,
        ),
        {
          tabular: () =>
            formatSections([
              {
                rows: [
                  ['Attribute', 'From', 'Value'],
                  ...entries.map(([name, { Value, Source }]) => [name, Source, inTable(name, Value)]),
                ],
              },
            ]),
        },
      ),
    );
  },
});

/**
 * Formats a value for the table. cloudinit-userdata would fill the screen, so that the table only shows whether it is
 * set.
 */
function inTable(key: string, value: unknown): string {
  return key === 'cloudinit-userdata' && value !== ''
    ? `<value set, see juju model-config ${key}>`
    : shown(value, 'quoted');
}

function shown(value: unknown, empty: 'quoted' | 'plain' = 'plain'): string {
  if (value === '' && empty === 'quoted') return '""';
  if (value !== null && typeof value === 'object') return toYaml(value).trimEnd();
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
