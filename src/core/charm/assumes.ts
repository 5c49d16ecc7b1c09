/** A charm's assumptions about the controller and the model's cloud: features, and versions of them. */
import { notValid } from '../errors.ts';
import { compareVersions, isVersion, jujuVersion } from '../juju-version.ts';
import { isMap, show } from './raw.ts';

/** Feature → its version. A Kubernetes cloud would have `k8s-api` too. */
const features: Readonly<Record<string, string>> = { juju: jujuVersion };

/**
 * The unmet parts of `assumes` as phrases: `k8s-api`, `juju >= 4.0`, `any of (a, b)`; empty when all are met. Errors:
 * `not valid`.
 */
export function unmetAssumptions(assumes: unknown): string[] {
  return listOf(assumes, 'assumes').flatMap(unmet);
}

function unmet(assumption: unknown): string[] {
  if (typeof assumption === 'string') return holds(assumption) ? [] : [assumption];
  const [key, ...more] = isMap(assumption) ? Object.keys(assumption) : [];
  if (!isMap(assumption) || key === undefined || more.length > 0 || (key !== 'any-of' && key !== 'all-of'))
    throw notValid(`metadata: assumes: expected a feature, any-of or all-of, got ${show(assumption)}`);
  const parts = listOf(assumption[key], key).map((part) => ({ part, unmet: unmet(part) }));
  if (key === 'all-of') return parts.flatMap((each) => each.unmet);
  if (parts.some((each) => each.unmet.length === 0)) return [];
  return [`any of (${parts.map((each) => each.unmet.join(' and ')).join(', ')})`];
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw notValid(`metadata: ${what}: expected a list, got ${show(value)}`);
  return value as unknown[];
}

function holds(text: string): boolean {
  const [, name = '', relation, stated = ''] =
    /^([a-z][a-z0-9-]*)(?:\s*(>=|<)\s*(\S+))?$/.exec(text.trim()) ?? [];
  const version = /^\d+$/.test(stated) ? `${stated}.0` : stated;
  if (name === '' || (relation !== undefined && !isVersion(version)))
    throw notValid(`metadata: assumes: invalid feature request ${show(text)}`);
  const available = Object.hasOwn(features, name) ? features[name] : undefined;
  if (available === undefined) return false;
  if (relation === undefined) return true;
  const order = compareVersions(available, version);
  return relation === '<' ? order < 0 : order >= 0;
}
