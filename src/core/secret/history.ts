/** Descriptions of changes of a secret for the history: never its contents. */
import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent } from '../history/event.ts';
import type { SecretDoc, SecretOwner } from './document.ts';

export function describeSecret(
  before: SecretDoc | undefined,
  after: SecretDoc | undefined,
  { id }: { readonly id: string },
): HistoryEvent[] {
  const { owner } = (after ?? before)!;
  const event = (what: string): HistoryEvent[] => [
    { subject: `secret ${id}`, what, detail: '', about: aboutOwner(owner) },
  ];
  if (!after) return event('removed');
  if (!before)
    return event(`added${after.label === '' ? '' : ` as "${after.label}"`} for ${ownerName(owner)}`);
  const changes = [
    ...(before.latest === after.latest ? [] : [`revision ${after.latest} added`]),
    ...(before.label === after.label ? [] : [`label: "${before.label}" → "${after.label}"`]),
    ...(before.description === after.description ? [] : ['description changed']),
    ...(before.rotate === after.rotate ? [] : [`rotation: ${before.rotate} → ${after.rotate}`]),
    ...(before.rotating === undefined && after.rotating !== undefined ? ['is to be rotated'] : []),
    ...(before.autoPrune === after.autoPrune ? [] : [`auto-prune: ${after.autoPrune}`]),
  ];
  return changes.length === 0 ? [] : event(changes.join(', '));
}

/** The owner for people: `application web`, `unit web/0`, `the model`. */
export function ownerName({ kind, id }: SecretOwner): string {
  return kind === 'model' ? 'the model' : `${kind} ${id}`;
}

function aboutOwner({ kind, id }: SecretOwner): EntityRef[] {
  return kind === 'model' ? [] : [{ kind, id }];
}
