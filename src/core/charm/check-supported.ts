import { JujuError, notValid } from '../errors.ts';
import { compareVersions, isVersion, jujuVersion } from '../juju-version.ts';
import { unmetAssumptions } from './assumes.ts';
import type { CharmMeta } from './metadata.ts';
import { isMap } from './raw.ts';

/**
 * Refuses a charm that cannot work here, listing everything it lacks. `force` permits features that the charm assumes,
 * as the charm may work without them. Errors: `not supported`; `not valid` (an invalid version or feature).
 */
export function checkSupported(meta: CharmMeta, force: boolean): void {
  const lacking = [...lacks(meta)];
  const reasons = [...lacking, ...(force ? [] : mayLack(meta))];
  if (reasons.length === 0) return;
  const hint = lacking.length === 0 ? ' (--force uses it despite this)' : '';
  throw new JujuError('not supported', `charm "${meta.name}" cannot be used: ${reasons.join('; ')}${hint}`);
}

function* lacks({ minJujuVersion, containers, devices }: CharmMeta): Iterable<string> {
  if (minJujuVersion !== '') {
    if (!isVersion(minJujuVersion))
      throw notValid(`metadata: min-juju-version: invalid version "${minJujuVersion}"`);
    if (compareVersions(minJujuVersion, jujuVersion) > 0)
      yield `charm's min version (${minJujuVersion}) is higher than this juju model's version (${jujuVersion})`;
  }
  if (containers && containers.length > 0)
    yield `it has containers (${containers.join(', ')}), which need Kubernetes`;
  const needed = requiredIn(devices ?? {}, (one) => rangeMin(one['countmin']));
  if (needed.length > 0) yield `it requires devices (${needed.join(', ')}), which need Kubernetes`;
}

function* mayLack({ assumes }: CharmMeta): Iterable<string> {
  const unmet = unmetAssumptions(assumes);
  if (unmet.length > 0) yield `it assumes ${unmet.join(', ')}, and this is juju ${jujuVersion} on machines`;
}

/** Names of required entries; an entry without a minimum count is required. */
function requiredIn(
  all: Readonly<Record<string, unknown>>,
  least: (one: Readonly<Record<string, unknown>>) => unknown,
): string[] {
  return Object.entries(all).flatMap(([name, one]) =>
    isMap(one) && Number(least(one) || '1') === 0 ? [] : [name],
  );
}

/** The minimum of a range: `0-`, `0-1`, `1+`, 2; as text, so that a zero differs from an absent value. */
function rangeMin(range: unknown): string {
  return /^\d+/.exec(String(range))?.[0] ?? '';
}
