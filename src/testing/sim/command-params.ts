/** Parameters of calls, as the CLI makes them from the parameters of commands. */
import { defined } from '../../core/defined.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Reader } from '../../store/store.ts';
import { pick } from './choose.ts';
import { zoneNames } from './cloud.ts';
import type { Forced, Where, Wishes } from './script.ts';

export function placement(
  view: Reader<Entities>,
  model: string,
  { onMachine, container, zone }: Where = {},
): { scope: string; directive: string }[] {
  if (zone !== undefined) return [{ scope: model, directive: `zone=${zoneNames[zone]}` }];
  const scope = container ? 'lxd' : '#';
  if (onMachine === undefined) return container ? [{ scope, directive: '' }] : [];
  // Containers cannot be in containers.
  const hosts = [...view.list('machine')].filter(({ parent }) => !container || parent === undefined);
  return [{ scope, directive: pick(hosts, onMachine).id }];
}

/** Converts flags to booleans; other settings stay text. */
export function settingOf(value: string): string | boolean {
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

export function constraintsOf({ zones, mem }: Wishes = {}): object {
  return {
    ...(zones ? { zones: zones.map((zone) => zoneNames[zone]) } : {}),
    ...defined({ mem }),
  };
}

/** Returns the members of a forced removal; `max-wait` is in nanoseconds. */
export function forced(force: Forced | undefined): { force: boolean; 'max-wait'?: number } {
  if (!force) return { force: false };
  return { force: true, ...(force.maxWaitS === undefined ? {} : { 'max-wait': force.maxWaitS * 1e9 }) };
}

/** Whether the relation is between the endpoints: `monitor:feed` is an endpoint of the application monitor. */
export function isBetween({ endpoints }: Entities['relation'], ends: readonly [string, string]): boolean {
  return ends.every((end) => endpoints.some(({ application }) => application === end.split(':')[0]));
}
