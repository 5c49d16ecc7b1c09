import { JujuError } from '../../core/errors.ts';
import { isChangeable, readControllerSettings } from '../../core/controller/config.ts';
import { call } from '../../client/calls.ts';
import { colourFlags, command, controllerFlags, formatFlags } from '../command.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { sorted, toYaml } from '../format/yaml.ts';
import { mergeValues, settingsFileFlags, splitSettings } from '../key-values.ts';

export const controllerConfig = command({
  name: 'controller-config',
  summary: 'Displays or sets configuration settings for a controller.',
  usage: '[<attribute key>[=<value>] ...]',
  details: `Without arguments, all settings are shown; with one key, its value. key=value sets a value, and --file (or a
file name) sets values from YAML. A setting cannot be reset, and those that bootstrap decides cannot be changed.`,
  examples: [
    'controller-config',
    'controller-config api-port',
    'controller-config -c mycontroller --format json',
    'controller-config max-model-size=4294967296 auditing-enabled=true',
    'controller-config --file path/to/file.yaml',
  ],
  seeAlso: ['controllers', 'model-config', 'show-cloud'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    ...colourFlags,
    ...settingsFileFlags,
  },
  async run(context, flags, args) {
    const { key, ...given } = splitSettings(args, { file: flags.file });
    if (Object.keys(given.values).length > 0 || given.files.length > 0) {
      const config = changes(await mergeValues(context, given), flags.ignoreReadOnly);
      const { connection } = await context.openController(flags.controller);
      await call(connection, 'Controller', 'ConfigSet', { config });
      return;
    }
    const { connection, controller } = await context.openController(flags.controller);
    const { config } = await call(connection, 'Controller', 'ControllerConfig', {});
    if (key === undefined)
      return context.write(
        render(flags.format, Object.fromEntries(sorted(config)), { tabular: () => table(config) }),
      );
    if (!Object.hasOwn(config, key))
      throw new JujuError('not found', `key "${key}" not found in controller "${controller}"`);
    await context.write(
      flags.format === 'json' ? `${JSON.stringify(config[key])}\n` : `${cell(config[key])}\n`,
    );
  },
});

/** Checks the new settings before a controller is asked. Errors: `not valid`; those of readControllerSettings. */
function changes(
  config: Readonly<Record<string, unknown>>,
  ignoreReadOnly: boolean,
): Record<string, unknown> {
  const readOnly = Object.keys(config).filter((key) => !isChangeable(key));
  if (readOnly.length > 0 && !ignoreReadOnly)
    throw new JujuError(
      'not valid',
      `invalid or read-only controller config values cannot be updated: [${readOnly.sort().join(' ')}]`,
    );
  return readControllerSettings(
    Object.fromEntries(Object.entries(config).filter(([key]) => isChangeable(key))),
  );
}

function table(config: Readonly<Record<string, unknown>>): string {
  const rows = sorted(config).map(([key, value]) => [key, value === '' ? '""' : cell(value)]);
  return formatSections([{ rows: [['Attribute', 'Value'], ...rows] }]);
}

function cell(value: unknown): string {
  if (value !== null && typeof value === 'object') return toYaml(value).trimEnd();
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
