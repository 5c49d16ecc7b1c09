/** What models inherit of their cloud and region, and where each of a model's values comes from. */
import type { CloudDoc } from '../cloud/document.ts';
import { notValid } from '../errors.ts';
import { modelConfigSchema, type ConfigAttribute, type ConfigSchema } from './config-schema.ts';

type Config = Readonly<Record<string, unknown>>;
type Inherited = Pick<CloudDoc, 'config' | 'regionConfig'>;

export type ConfigSource = 'model' | 'region' | 'controller' | 'default';

/** The region's over the cloud's. */
export function inheritedConfig({ config, regionConfig }: Inherited, region: string): Config {
  return { ...config, ...ofRegion(regionConfig, region) };
}

/** Of that what a new model takes as its own: what is the provider's stays the cloud's to say. */
export function takenByNewModels(cloud: Inherited, region: string, providersOwn: object): Config {
  const entries = Object.entries(inheritedConfig(cloud, region));
  return Object.fromEntries(entries.filter(([key]) => !Object.hasOwn(providersOwn, key)));
}

/**
 * Of a value that holds for a model: a new model takes what it inherits, so a value that equals the region's or the
 * controller's default is told as that.
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

/** Errors: `not valid` for what each model has for itself. */
export function checkHasDefault(keys: readonly string[]): void {
  const own = keys.find((key) => ofEachModel.has(key));
  if (own !== undefined) throw notValid(`${own} cannot have a default value`);
}

export interface DefaultOf {
  readonly default?: ConfigAttribute['default'];
  readonly controller?: unknown;
  readonly regions?: readonly { readonly region: string; readonly value: unknown }[];
}

/** Each key that has a default, built in or set, with all of them. `schema` is of the provider's own keys. */
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
          ...(usual.has(key) ? { default: usual.get(key)! } : {}),
          ...(Object.hasOwn(cloud.config, key) ? { controller: cloud.config[key] } : {}),
          ...(set.length > 0 ? { regions: set.map(([region, own]) => ({ region, value: own[key] })) } : {}),
        },
      ];
    }),
  );
}

const ofEachModel: ReadonlySet<string> = new Set(['name', 'type', 'uuid', 'agent-version']);

function ofRegion(regionConfig: Inherited['regionConfig'], region: string): Config {
  return regionConfig && Object.hasOwn(regionConfig, region) ? regionConfig[region]! : {};
}

/** A cloud's file may have as text what a model has as a number. */
function isSame(config: Config, key: string, value: unknown): boolean {
  return Object.hasOwn(config, key) && asText(config[key]) === asText(value);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
