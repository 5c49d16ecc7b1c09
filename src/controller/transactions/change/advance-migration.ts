/** Steps of a migration, in the controller that has the model (migration.md#phases). */
import { accessId } from '../../../core/access/document.ts';
import { cut, limits } from '../../../core/limits.ts';
import type { MigrationDoc } from '../../../core/migration/document.ts';
import { isActive, mayFollow, type Phase } from '../../../core/migration/phases.ts';
import { offerAccessId } from '../../../core/offer-access/document.ts';
import { isAddress } from '../../other-controllers.ts';
import { releaseHosts } from '../begin/enlist-machine.ts';
import { countDocuments } from '../end/remove-model.ts';
import type { Tx } from '../tx.ts';
import { holdRestored } from './hold-restored.ts';

interface At {
  readonly model: string;
  readonly attempt: number;
  /** Phase that the step was made in: when it is another one, nothing happens. */
  readonly phase: Phase;
}

function at(root: Tx, { model, attempt, phase }: At): MigrationDoc | undefined {
  const doc = root.get('migration', model);
  return doc?.attempt === attempt && doc.phase === phase ? doc : undefined;
}

/**
 * Enters the next phase. At the success, what is told about the model from then on is kept. A model of a restored store
 * that its target has not taken waits as the others do.
 */
export function enterPhase(root: Tx, of: At, next: Phase, message: string): void {
  const { restored, ...doc } = at(root, of) ?? {};
  if (!('phase' in doc) || !mayFollow(doc.phase, next)) return;
  const entered: MigrationDoc = {
    ...doc,
    phase: next,
    phaseAt: root.now,
    message: cut(limits.statusMessage, message),
    ...(next === 'SUCCESS' && { moved: movedOf(root, of.model) }),
  };
  root.put('migration', of.model, isActive(entered) ? entered : ended(entered, root.now));
  if (next === 'ABORT' && restored) holdRestored(root, of.model, restored);
}

/** A migration that has ended needs no login to the target any more. */
function ended(doc: MigrationDoc, now: string): MigrationDoc {
  const { secret: _, ...target } = doc.target;
  return { ...doc, target, endedAt: now };
}

function movedOf(root: Tx, uuid: string): NonNullable<MigrationDoc['moved']> {
  const model = root.get('model', uuid);
  const users = [...root.find('access', 'model', uuid)].map(({ user }) => user);
  return { name: model?.name ?? '', owner: model?.owner ?? '', users };
}

export function tellMigration(root: Tx, of: At, message: string): void {
  const doc = at(root, of);
  if (doc && doc.message !== message)
    root.put('migration', of.model, { ...doc, message: cut(limits.statusMessage, message) });
}

/** Adds the addresses that the target itself tells, by which agents reach it, to those that a user gave. */
export function noteAddresses(root: Tx, of: At, told: readonly string[]): void {
  const doc = at(root, of);
  if (!doc) return;
  const addresses = [...new Set([...doc.target.addresses, ...told.filter(isAddress)])].slice(
    0,
    limits.controllerAddresses.max,
  );
  root.put('migration', of.model, { ...doc, target: { ...doc.target, addresses } });
}

/** Records that the target is about to be asked to activate the model: from here on it decides. */
export function noteAsked(root: Tx, of: At): void {
  const doc = at(root, of);
  if (doc) root.put('migration', of.model, { ...doc, asked: true });
}

/** Removes the records of a model that is the target's, once its space is empty. Returns false before that. */
export function forgetMoved(root: Tx, of: At): boolean {
  if (!at(root, of)) return true;
  if (countDocuments(root.in(of.model)) > 0) return false;
  for (const access of root.find('access', 'model', of.model)) {
    root.remove('access', accessId(access));
    root.remove('last-login', accessId(access));
  }
  for (const access of root.find('offer-access', 'model', of.model))
    root.remove('offer-access', offerAccessId(access));
  releaseHosts(root.in(of.model));
  root.remove('arrival', of.model);
  root.remove('model', of.model);
  enterPhase(root, of, 'DONE', 'the model is in the other controller');
  return true;
}
