import { JujuError } from '../../core/errors.ts';
import { cloudTag } from '../../wire/tags.ts';
import { call, only, type ResultOf } from '../../client/calls.ts';
import { findModelCloud } from '../clouds/model-cloud.ts';
import { colourFlags, command, controllerFlags, formatFlags } from '../command.ts';
import { warnOfKept, warnOfUnknown } from '../known-settings.ts';
import { UsageError } from '../errors.ts';
import { commas, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { toYaml } from '../format/yaml.ts';
import { mergeValues, settingsFileFlags, splitKeyValues, withoutReadOnly } from '../key-values.ts';
import { defined } from '../../core/defined.ts';

type Defaults = NonNullable<ResultOf<'ModelManager', 'ModelDefaultsForClouds'>['results'][number]['config']>;

interface Shown {
  readonly default?: unknown;
  readonly controller?: unknown;
  readonly regions?: readonly { readonly name: string; readonly value: unknown }[];
}

export const modelDefaults = command({
  name: 'model-defaults',
  summary: 'Displays or sets default configuration values for new models.',
  usage: '[<model-key>[=<value>] ...]',
  details: `Without arguments, all defaults are shown: the built-in ones, those of the controller, and those of the
regions of its cloud; with one key, those of the key. key=value sets a default, a YAML file sets several, and --reset
removes them. A new model gets the values given to it, or else the default of its region, or else that of the
controller. Existing models do not change, except for the settings of the cloud itself.`,
  examples: [
    'model-defaults',
    'model-defaults http-proxy',
    'model-defaults --cloud aws --region us-east-1 http-proxy',
    'model-defaults ftp-proxy=10.0.0.1:8000',
    'model-defaults --region aws/us-east-1 path/to/file.yaml',
    'model-defaults --reset default-base,test-mode',
  ],
  seeAlso: ['model-config', 'models', 'add-model'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    cloud: text('--cloud', "The cloud to target; the controller's own without it"),
    ...colourFlags,
    ...settingsFileFlags,
    region: text('--region', 'The region or cloud/region to target'),
    reset: commas('--reset', 'Reset the provided comma delimited keys'),
  },
  async run(context, flags, args) {
    const { files: words, values } = splitKeyValues(args);
    const named = words.filter((word) => /\.ya?ml$/.test(word) || word === '-');
    const files = flags.file === '' ? named : [flags.file, ...named];
    const keys = words.filter((word) => !named.includes(word));
    const isSetting = Object.keys(values).length > 0 || files.length > 0;
    const isChanging = isSetting || flags.reset.length > 0;
    if (keys.length > 0 && isChanging)
      throw new UsageError('cannot set and retrieve default values simultaneously');
    if (keys.length > 1) throw new UsageError('can only retrieve a single value, or all values');
    const session = await context.openController(flags.controller);
    const { connection } = session;
    const [cloudOfRegion, region] = splitRegion(flags.region);
    if (flags.cloud && cloudOfRegion && flags.cloud !== cloudOfRegion)
      throw new UsageError(`--cloud ${flags.cloud} and --region ${flags.region} name different clouds`);
    const { cloud } = await findModelCloud(session, cloudAndRegion(flags.cloud || cloudOfRegion, region));
    const tag = cloudTag(cloud);
    const readDefaults = async (): Promise<Defaults> =>
      only(
        (await call(connection, 'ModelManager', 'ModelDefaultsForClouds', { entities: [{ tag }] })).results,
      ).config ?? {};
    if (!isChanging) {
      const defaults = defaultsOfRegion(await readDefaults(), region);
      const shown = keys.length === 0 ? defaults : onlyKey(defaults, keys[0]!, region);
      return context.write(render(flags.format, shown, { tabular: () => table(shown) }));
    }
    const given = await mergeValues(context, { files, values });
    const { config, regions } = settingsOf(flags.ignoreReadOnly ? withoutReadOnly(given) : given);
    const setAndReset = flags.reset.find((key) => Object.hasOwn(config, key));
    if (setAndReset !== undefined)
      throw new UsageError(`key "${setAndReset}" cannot be both set and reset in the same command`);
    const known = await readDefaults();
    warnOfUnknown(context, [...Object.keys(config), ...flags.reset], { known, which: 'known' });
    warnOfKept(context, Object.keys(config));
    const target = { 'cloud-tag': tag, ...defined({ 'cloud-region': region || undefined }) };
    if (flags.reset.length > 0) {
      const unset = { keys: [{ ...target, keys: [...flags.reset] }] };
      only((await call(connection, 'ModelManager', 'UnsetModelDefaults', unset)).results);
    }
    if (!isSetting) return;
    const sets = [
      { ...target, config },
      ...[...regions].map(([name, own]) => ({ 'cloud-tag': tag, 'cloud-region': name, config: own })),
    ];
    for (const set of sets)
      only((await call(connection, 'ModelManager', 'SetModelDefaults', { config: [set] })).results);
  },
});

interface Settings {
  readonly config: Record<string, unknown>;
  /** Settings of single regions, by name. */
  readonly regions: ReadonlyMap<string, Record<string, unknown>>;
}

/**
 * Returns the settings of a file. From output of this command, the controller's values and those of regions are taken.
 */
function settingsOf(given: Readonly<Record<string, unknown>>): Settings {
  const config: Record<string, unknown> = {};
  const regions = new Map<string, Record<string, unknown>>();
  for (const [key, entry] of Object.entries(given)) {
    if (!isShown(entry)) {
      config[key] = entry;
      continue;
    }
    if (entry.controller !== undefined) config[key] = entry.controller;
    for (const { name, value } of entry.regions ?? [])
      regions.set(name, { ...regions.get(name), [key]: value });
  }
  return { config, regions };
}

const isShown = (entry: unknown): entry is Shown =>
  entry !== null &&
  typeof entry === 'object' &&
  !Array.isArray(entry) &&
  Object.entries(entry).every(
    ([key, value]) =>
      key === 'default' || key === 'controller' || (key === 'regions' && Array.isArray(value)),
  );

/** Splits `region` or `cloud/region`. */
function splitRegion(regionFlag: string): [cloud: string, region: string] {
  const slash = regionFlag.indexOf('/');
  return slash < 0 ? ['', regionFlag] : [regionFlag.slice(0, slash), regionFlag.slice(slash + 1)];
}

function cloudAndRegion(cloud: string, region: string): string {
  return cloud && region ? `${cloud}/${region}` : cloud || region;
}

/** Returns all defaults. With a region, only those that have a value for the region, without other regions. */
function defaultsOfRegion(defaults: Defaults, region: string): Record<string, Shown> {
  return Object.fromEntries(
    Object.entries(defaults).flatMap(([key, { regions = [], ...entry }]): [string, Shown][] => {
      const matchingRegions = regions
        .filter((one) => !region || one['region-name'] === region)
        .map(({ 'region-name': name, value }) => ({ name, value }));
      if (region && matchingRegions.length === 0) return [];
      return [
        [
          key,
          { ...entry, ...defined({ regions: matchingRegions.length > 0 ? matchingRegions : undefined }) },
        ],
      ];
    }),
  );
}

function onlyKey(defaults: Record<string, Shown>, key: string, region: string): Record<string, Shown> {
  if (!Object.hasOwn(defaults, key))
    throw new JujuError(
      'not found',
      `there are no default model values for "${key}"${region ? ` in region "${region}"` : ''}`,
    );
  return { [key]: defaults[key]! };
}

function table(defaults: Record<string, Shown>): string {
  return formatSections([
    {
      rows: [
        ['Attribute', 'Default', 'Controller'],
        ...Object.entries(defaults).flatMap(([key, { default: builtIn, controller, regions = [] }]) => [
          [key, cell(builtIn), cell(controller)],
          ...regions.map(({ name, value }) => [`  ${name}`, cell(value), '-']),
        ]),
      ],
    },
  ]);
}

function cell(value: unknown): string {
  if (value === undefined) return '-';
  if (value === '') return '""';
  if (value !== null && typeof value === 'object') return toYaml(value).trimEnd();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
