import { waitsToRetry } from '../retry.ts';
import type { Status } from '../status.ts';
import type { StorageDoc } from './document.ts';
import { isHeld } from './plan.ts';

/** A storage's status, derived from its record (storage.md#status). */
export function storageStatus(doc: StorageDoc): Status {
  const { problem, retry, since } = doc;
  const status = { status: word(doc), since };
  if (problem === undefined) return { ...status, message: remark(doc) };
  if (!retry) return { ...status, message: problem };
  return { ...status, message: waitsToRetry(retry, problem), data: { next: retry.at } };
}

function word(doc: StorageDoc): string {
  const { ending, attachment, made, mounted, problem, detachable } = doc;
  if (doc.adopting !== undefined && !ending) return 'pending';
  if (!attachment) {
    if (problem !== undefined) return 'error';
    const isLeaving = detachable && isHeld(doc) && !ending && made;
    if (mounted !== undefined || isLeaving) return 'detaching';
    return ending ? 'destroying' : 'detached';
  }
  if (attachment.life === 'dying') return 'detaching';
  if (!made) return 'pending';
  return mounted === undefined ? 'attaching' : 'attached';
}

function remark({ attachment, machine, made }: StorageDoc): string {
  if (made) return made.lack ?? '';
  return attachment && machine === undefined ? 'waiting for volume to be provisioned' : '';
}
