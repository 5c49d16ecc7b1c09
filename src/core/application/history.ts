/** Descriptions of changes of an application, for the history. */
import { formatBase } from '../base.ts';
import { formatConstraints } from '../constraints.ts';
import type { EntityRef } from '../entity-ref.ts';
import { gateWords, type Gates } from '../gates/gate.ts';
import type { HistoryEvent, PastNames } from '../history/event.ts';
import {
  configChanges,
  constraintsOf,
  describeLiving,
  inBrackets,
  keysOf,
  moved,
} from '../history/living.ts';
import { same } from '../history/values.ts';
import { missingWords } from '../requirements/requirement.ts';
import { rolloutChanges } from '../rollout/words.ts';
import type { ApplicationDoc } from './document.ts';

export function describeApplication(
  before: ApplicationDoc | undefined,
  after: ApplicationDoc | undefined,
  { names }: { readonly names: PastNames },
): HistoryEvent[] {
  const { name } = (after ?? before)!;
  const self: EntityRef = { kind: 'application', id: name };
  const isSecret =
    (charmUrl: string) =>
    (option: string): boolean =>
      // An option whose charm is unknown is treated as a secret.
      names.isSecretOption(charmUrl, option) ?? true;
  return describeLiving(`application ${name}`, [self], before, after, {
    describeNew: (now) =>
      inBrackets([
        `charm ${now.charmUrl} on ${formatBase(now.base)}`,
        ...constraintsOf(now.constraints),
        ...configChanges(undefined, now, isSecret(now.charmUrl)),
        ...(now.trust ? ['trusted'] : []),
        ...(now.require ? [`requires ${now.require.join(', ')}`] : []),
        ...gates({}, now.after),
        ...waiting(undefined, now),
      ]),
    changed: (old, now) => [
      ...gates(old.after, now.after),
      ...waiting(old, now),
      ...moved('charm', old.charmUrl, now.charmUrl),
      ...rolloutChanges(old.rollout, now.rollout),
      ...moved('base', formatBase(old.base), formatBase(now.base)),
      ...moved('constraints', formatConstraints(old.constraints), formatConstraints(now.constraints)),
      ...configChanges(old, now, (key) => isSecret(old.charmUrl)(key) || isSecret(now.charmUrl)(key)),
      ...(old.trust === now.trust ? [] : [now.trust ? 'trusted' : 'no longer trusted']),
      ...exposure(old, now),
      ...keysOf('endpoint bindings', old.endpointBindings, now.endpointBindings),
      ...keysOf('storage of new units', old.storage ?? {}, now.storage ?? {}),
      ...moved('workload version', old.workloadVersion, now.workloadVersion),
      ...(same(old.charmOrigin, now.charmOrigin) || old.charmUrl !== now.charmUrl
        ? []
        : ['charm origin changed']),
    ],
  });
}

/** Gates that were set, removed or opened. */
function gates(old: Gates = {}, now: Gates = {}): string[] {
  const before = new Map(Object.entries(old));
  const opened = Object.entries(now).filter(
    ([name, gate]) => gate.opened !== undefined && before.has(name) && !before.get(name)?.opened,
  );
  const set = Object.entries(now).filter(([name, { health }]) => before.get(name)?.health !== health);
  const removed = [...before.keys()].filter((name) => !Object.hasOwn(now, name));
  return [
    ...opened.map(([application, { health }]) => `gate opened: ${gateWords({ application, health })}`),
    ...set.map(([application, { health }]) => `comes after ${gateWords({ application, health })}`),
    ...removed.map((application) => `no longer comes after ${application}`),
  ];
}

/** The requirements that a pending application waits for now; a dying one waits for nothing. */
function waiting(old: ApplicationDoc | undefined, { pending, life }: ApplicationDoc): string[] {
  if (same(old?.pending?.missing, pending?.missing)) return [];
  if (pending) return [`waits for ${missingWords(pending.missing)}`];
  return life === 'alive' ? ['requirements met'] : [];
}

function exposure(old: ApplicationDoc, now: ApplicationDoc): string[] {
  if (same(old.exposed, now.exposed)) return [];
  if (!now.exposed) return ['unexposed'];
  const endpoints = Object.keys(now.exposed).map((endpoint) => (endpoint === '' ? 'all' : endpoint));
  return [`exposed: ${endpoints.join(', ')}`];
}
