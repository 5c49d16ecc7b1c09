/** Descriptions of changes of a model, for the history. */
import { formatConstraints } from '../constraints.ts';
import type { HistoryEvent, PastNames } from '../history/event.ts';
import { configChanges, describeLiving, inBrackets, moved } from '../history/living.ts';
import { shortBuild } from '../machine/program.ts';
import type { ModelDoc } from './document.ts';
import type { Restored } from './restored.ts';

export function describeModel(
  before: ModelDoc | undefined,
  after: ModelDoc | undefined,
  { names }: { readonly names: PastNames },
): HistoryEvent[] {
  const { uuid } = (after ?? before)!;
  const isSecret = (key: string): boolean => names.isSecretModelKey(key);
  return describeLiving('model', [{ kind: 'model', id: uuid }], before, after, {
    describeNew: (now) =>
      inBrackets([
        `${now.owner}/${now.name} on ${now.region === '' ? now.cloud : `${now.cloud}/${now.region}`}`,
        ...configChanges(undefined, now, isSecret),
      ]),
    changed: (old, now) => [
      ...moved('name', old.name, now.name),
      ...moved('owner', old.owner, now.owner),
      ...moved('credential', old.credential, now.credential),
      ...moved('constraints', formatConstraints(old.constraints), formatConstraints(now.constraints)),
      ...(old.program && now.program && old.program.build !== now.program.build
        ? moved('program of agents', shortBuild(old.program.build), shortBuild(now.program.build))
        : []),
      ...configChanges(old, now, isSecret),
      ...restoreChanges(old.restored, now.restored),
      ...(now.keptInstances ?? [])
        .filter((instance) => !old.keptInstances?.includes(instance))
        .map((instance) => `instance ${instance} is left running`),
    ],
  });
}

/** What became of the model's restore, if anything. */
function restoreChanges(old: Restored | undefined, now: Restored | undefined): string[] {
  if (!now) return [];
  if (now.id !== old?.id) return [`restored from the backup of ${now.backup}, hooks wait`];
  const { accepting } = now;
  return accepting === undefined || accepting === old.accepting
    ? []
    : [`restore accepted with --hooks ${accepting}`];
}
