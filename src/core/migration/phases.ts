/** Phases of a migration, with Juju's names (migration.md#phases). */
import type { MigrationDoc } from './document.ts';

export type Phase = 'QUIESCE' | 'IMPORT' | 'VALIDATION' | 'SUCCESS' | 'REAP' | 'DONE' | 'ABORT' | 'ABORTDONE';

interface Meaning {
  /** Whether nothing in the model changes: its documents are being copied, or belong to the target already. */
  readonly frozen: boolean;
  /** Whether the model is the target's: whoever asks here is sent there. */
  readonly moved: boolean;
  /** Whether somebody has to go on with the migration. */
  readonly active: boolean;
  readonly next: readonly Phase[];
}

const meanings: Readonly<Record<Phase, Meaning>> = {
  QUIESCE: { frozen: true, moved: false, active: true, next: ['IMPORT', 'ABORT'] },
  IMPORT: { frozen: true, moved: false, active: true, next: ['VALIDATION', 'ABORT'] },
  VALIDATION: { frozen: true, moved: false, active: true, next: ['SUCCESS', 'ABORT'] },
  SUCCESS: { frozen: true, moved: true, active: true, next: ['REAP'] },
  REAP: { frozen: false, moved: true, active: true, next: ['DONE'] },
  DONE: { frozen: false, moved: true, active: false, next: [] },
  ABORT: { frozen: false, moved: false, active: true, next: ['ABORTDONE'] },
  ABORTDONE: { frozen: false, moved: false, active: false, next: [] },
};

type Maybe = Pick<MigrationDoc, 'phase'> | undefined;

export function isFrozen(migration: Maybe): boolean {
  return migration !== undefined && meanings[migration.phase].frozen;
}

export function isMoved(migration: Maybe): boolean {
  return migration !== undefined && meanings[migration.phase].moved;
}

export function isActive(migration: Maybe): boolean {
  return migration !== undefined && meanings[migration.phase].active;
}

/** Whether the model's workers run here: they act on the model's machines. */
export function mayWork(migration: Maybe): boolean {
  return !isFrozen(migration) && !isMoved(migration);
}

export function mayFollow(phase: Phase, next: Phase): boolean {
  return meanings[phase].next.includes(next);
}

/** What users are told of the phase, in Juju's manner. */
export function phaseText({ phase, message }: Pick<MigrationDoc, 'phase' | 'message'>): string {
  return phase === 'ABORT' || phase === 'ABORTDONE' ? `aborted, ${message}` : message;
}

/** The id `<model uuid>:<attempt>`. */
export function migrationId({ model, attempt }: Pick<MigrationDoc, 'model' | 'attempt'>): string {
  return `${model}:${attempt}`;
}

/** The attempt of an id; -1 for an id of another form. */
export function attemptOf(id: string): number {
  const attempt = /:(\d{1,9})$/.exec(id)?.[1];
  return attempt === undefined ? -1 : Number(attempt);
}
