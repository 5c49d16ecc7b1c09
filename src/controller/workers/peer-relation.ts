/** The offering side of a relation, as another controller reports it by events (offers.md#over-the-wire). */
import type { Life } from '../../core/life.ts';
import type { SideState } from '../../core/relation/side.ts';
import type { SettingsDoc } from '../../core/settings/document.ts';
import type { PeerEvent, PeerLife, PeerSecret } from '../../wire/peer-answers.ts';
import { defined } from '../../core/defined.ts';
import { checkLimit, cut, limits } from '../../core/limits.ts';
import { parseSecretUri } from '../../core/secret/secret-id.ts';
import { nameOfSecret } from '../offering-model.ts';

/** All that was told of the side until now. */
export interface Told {
  life: Life;
  suspended?: { readonly reason: string } | undefined;
  settings?: SettingsDoc['values'] | undefined;
  readonly units: Map<number, SettingsDoc['values']>;
  /** Newest revisions of secrets that are read there, by id. */
  readonly secrets: Map<string, number>;
  /** Units that were told of as gone. */
  readonly gone: Set<number>;
  /** Whether all existing units were told of: the first events may name only some. */
  isComplete: boolean;
}

export function nothingTold(): Told {
  return { life: 'alive', units: new Map(), secrets: new Map(), gone: new Set(), isComplete: false };
}

/** The name of a unit of the other side, in what goes through OfferingModel. */
export function nameOf(number: number): string {
  return `unit/${number}`;
}

/** Takes over an event. Returns the names of what changed; '' = the side itself. Errors: `quota limit exceeded`. */
export function applyEvent(told: Told, event: PeerEvent): string[] {
  if (event.life) told.life = event.life;
  if (typeof event.suspended === 'boolean')
    told.suspended = suspensionOf(event.suspended, event['suspended-reason'] ?? '');
  if (event['application-settings']) told.settings = event['application-settings'];
  const names = [''];
  for (const { 'unit-id': number, settings } of event['changed-units']) {
    told.units.set(number, settings ?? told.units.get(number) ?? {});
    told.gone.delete(number);
    names.push(nameOf(number));
  }
  for (const number of event['departed-units']) {
    told.units.delete(number);
    told.gone.add(number);
    names.push(nameOf(number));
  }
  told.isComplete ||= told.units.size >= (event['unit-count'] ?? 0);
  // Units that a complete report of the side does not name are gone.
  if (told.isComplete) told.gone.clear();
  checkLimit(limits.peerUnits, told.units.size + told.gone.size);
  return names;
}

/** Takes over the news of a watcher of the relation's life and suspension; the last change is the present state. */
export function applyLives(told: Told, changes: readonly PeerLife[]): string[] {
  for (const { life, suspended, 'suspended-reason': reason } of changes) {
    told.life = life;
    told.suspended = suspensionOf(suspended, reason);
  }
  return [''];
}

/** Takes over newest revisions of secrets. Returns the names of these. Errors: `not valid`, `quota limit exceeded`. */
export function applySecrets(told: Told, changes: readonly PeerSecret[]): string[] {
  for (const { uri, revision } of changes) told.secrets.set(parseSecretUri(uri).id, revision);
  checkLimit(limits.secretsOfConsumer, told.secrets.size);
  return changes.map(({ uri }) => nameOfSecret(parseSecretUri(uri).id));
}

function suspensionOf(isSuspended: boolean, reason: string): Told['suspended'] {
  return isSuspended ? { reason: cut(limits.statusMessage, reason) } : undefined;
}

/** State of the side with that of these units, by name; units of which nothing is known yet are left out. */
export function stateOf(told: Told, names: readonly string[]): SideState {
  const { life, suspended, settings, units, gone, isComplete } = told;
  const there: SideState['units'][number][] = [];
  const departed: number[] = [];
  for (const name of names) {
    const number = Number(name.slice(name.lastIndexOf('/') + 1));
    const values = units.get(number);
    if (values) there.push({ number, settings: values });
    else if (isComplete || gone.has(number)) departed.push(number);
  }
  return {
    life,
    forced: false,
    ...defined({ suspended, settings }),
    units: there,
    departed,
    networks: [],
  };
}

/** Event by which the other controller is told of this side. */
export function eventOf(state: SideState, unitCount: number): Record<string, unknown> {
  return {
    life: state.life,
    ...(state.forced && { 'force-cleanup': true }),
    'unit-count': unitCount,
    'suspended-reason': '',
    ...defined({ 'application-settings': state.settings }),
    'changed-units': state.units.map(({ number, settings }) => ({ 'unit-id': number, settings })),
    'departed-units': state.departed,
  };
}
