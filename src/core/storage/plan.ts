/**
 * The next step for one storage, by the controller (volumes of the cloud) and by the machine's agent. Pure: each step
 * leaves a record from which the next one follows, so that a crash between two steps repeats one
 * (storage.md#storage-steps).
 */
import { defined } from '../defined.ts';
import { cut, limits } from '../limits.ts';
import type { Retry } from '../retry.ts';
import type { StorageDoc } from './document.ts';

export type CloudStep = 'create' | 'adopt' | 'attach' | 'detach' | 'free' | 'destroy';

/** The step of the cloud's volume. `instance`: that of the storage's machine, when it runs. */
export function nextCloudStep(doc: StorageDoc, instance: string | undefined): CloudStep | undefined {
  if (!doc.detachable) return undefined;
  if (doc.adopting !== undefined && !doc.ending) return 'adopt';
  if (doc.attachment) {
    if (!doc.made) return !doc.ending && doc.attachment.life === 'alive' ? 'create' : undefined;
    if (doc.attached || doc.attachment.life !== 'alive' || doc.machine === undefined) return undefined;
    return instance === undefined ? undefined : 'attach';
  }
  // The machine's agent unmounts the storage first.
  if (doc.mounted !== undefined) return undefined;
  if (doc.instance !== undefined) return 'detach';
  if (doc.machine !== undefined) return 'free';
  return doc.ending ? 'destroy' : undefined;
}

export type AgentStep = 'make' | 'mount' | 'unmount' | 'destroy';

/** A storage on a machine, as the machine's agent knows it. */
export interface StorageOnMachine {
  readonly ending: boolean;
  readonly detachable: boolean;
  readonly unit?: string;
  readonly attachmentLife?: 'alive' | 'dying';
  /** Whether the volume or file system is made and, if the cloud holds it, attached to this machine. */
  readonly ready: boolean;
  readonly mounted?: string;
}

/** The step of the machine's agent. */
export function nextAgentStep(storage: StorageOnMachine): AgentStep | undefined {
  const { ending, detachable, unit, attachmentLife, ready, mounted } = storage;
  if (unit !== undefined) {
    if (attachmentLife !== 'alive') return undefined;
    if (!ready) return detachable ? undefined : 'make';
    return mounted === undefined ? 'mount' : undefined;
  }
  if (mounted !== undefined) return 'unmount';
  return ending && !detachable ? 'destroy' : undefined;
}

/** Whether nobody has anything to do for the storage: a failure that is reported now is of an earlier step. */
export function isAtRest(doc: StorageDoc): boolean {
  const { attachment, mounted, ending, adopting, detachable } = doc;
  const isWanted = attachment !== undefined || ending !== undefined || adopting !== undefined;
  return !isWanted && mounted === undefined && !(detachable && isHeld(doc));
}

/** The storage after a step that failed; undefined when that says nothing new. `now`: RFC 3339. */
export function withProblem(
  doc: StorageDoc,
  { message, retry }: { readonly message: string; readonly retry?: Retry | undefined },
  now: string,
): StorageDoc | undefined {
  const problem = cut(limits.statusMessage, message);
  if (isAtRest(doc) || (doc.problem === problem && !retry)) return undefined;
  const since = doc.problem === problem ? doc.since : now;
  return { ...withoutProblem(doc), problem, ...defined({ retry }), since };
}

/** The storage after a step that succeeded, or that is not to be done any more. */
export function withoutProblem({ problem: _problem, retry: _retry, ...rest }: StorageDoc): StorageDoc {
  return rest;
}

/** Whether a machine has the storage, or an instance whose machine has no record any more. */
export function isHeld({ machine, instance }: StorageDoc): boolean {
  return machine !== undefined || instance !== undefined;
}

/** Whether the storage is ready for its unit. */
export function isReady(doc: StorageDoc): boolean {
  return doc.made !== undefined && (!doc.detachable || doc.attached === true);
}
