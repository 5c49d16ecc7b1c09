/** Configuration that models inherit from their cloud and region, and the source of each value in force. */
import type { CloudDoc } from '../cloud/document.ts';
import { notValid } from '../errors.ts';
import { modelConfigSchema, type ConfigAttribute, type ConfigSchema } from './config-schema.ts';
import { defined } from '../defined.ts';

type Config = Readonly<Record<string, unknown>>;
type Inherited = Pick<CloudDoc, 'config' | 'regionConfig'>;

type ConfigSource = 'model' | 'region' | 'controller' | 'default';

/** The inherited configuration: the region's values over the cloud's. */
export function inheritedConfig({ config, regionConfig }: Inherited, region: string): Config {
  return { ...config, ...ofRegion(regionConfig, region) };
}

/** Inherited values that a new model copies. The provider's own keys are not copied: they stay defined by the cloud. */
export function takenByNewModels(cloud: Inherited, region: string, providersOwn: object): Config {
  const entries = Object.entries(inheritedConfig(cloud, region));
  return Object.fromEntries(entries.filter(([key]) => !Object.hasOwn(providersOwn, key)));
}

/**
 * The source of a value in force. A new model copies inherited values, so a value that equals the region's or the
 * controller's default is attributed to that.
 */
export function sourceOf(
  key: string,
  value: unknown,
  { own, cloud, region }: { readonly own: Config; readonly cloud: Inherited; readonly region: string },
): ConfigSource {
  if (isSame(ofRegion(cloud.regionConfig, region), key, value)) return 'region';
  if (isSame(cloud.config, key, value)) return 'controller';
  return Object.hasOwn(own, key) ? 'model' : 'default';
}

/** Refuses keys that are always set per model. Errors: `not valid`. */
export function checkHasDefault(keys: readonly string[]): void {
  const own = keys.find((key) => ofEachModel.has(key));
  if (own !== undefined) throw notValid(`${own} cannot have a default value`);
}

interface DefaultOf {
  readonly default?: ConfigAttribute['default'];
  readonly controller?: unknown;
  readonly regions?: readonly { readonly region: string; readonly value: unknown }[];
}

/** Each key that has a default, built in or set, with all of its defaults. `schema` has the provider's own keys. */
export function defaultsByKey(schema: ConfigSchema, cloud: Inherited): Record<string, DefaultOf> {
  const builtIn = Object.entries({ ...modelConfigSchema, ...schema }).flatMap(([key, one]) =>
    one.default === undefined || ofEachModel.has(key) ? [] : [[key, one.default] as const],
  );
  const regions = Object.entries(cloud.regionConfig ?? {});
  const keys = new Set(
    [builtIn, Object.entries(cloud.config), ...regions.map(([, own]) => Object.entries(own))]
      .flat()
      .map(([key]) => key),
  );
  const usual = new Map(builtIn);
  return Object.fromEntries(
    [...keys].sort().map((key): [string, DefaultOf] => {
      const set = regions.filter(([, own]) => Object.hasOwn(own, key));
      return [
        key,
        {
          ...defined({ default: usual.has(key) ? usual.get(key)! : undefined }),
          ...(Object.hasOwn(cloud.config, key) ? { controller: cloud.config[key] } : {}),
          ...(set.length > 0 ? { regions: set.map(([region, own]) => ({ region, value: own[key] })) } : {}),
        },
      ];
    }),
  );
}

const ofEachModel: ReadonlySet<string> = new Set(['name', 'type', 'uuid', 'agent-version']);

/** Whether each model has its own value of this setting, which no command changes. */
export const isOfEachModel = (key: string): boolean => ofEachModel.has(key);

function ofRegion(regionConfig: Inherited['regionConfig'], region: string): Config {
  return regionConfig && Object.hasOwn(regionConfig, region) ? regionConfig[region]! : {};
}

/** Compares values as text where needed, as a cloud's file may have as text what a model has as a number. */
function isSame(config: Config, key: string, value: unknown): boolean {
  return Object.hasOwn(config, key) && asText(config[key]) === asText(value);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
