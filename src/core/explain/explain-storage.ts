/** Storage that a unit waits for, and who must act (storage.md#explained). */
import { timeOfDay } from '../retry.ts';
import type { StorageDoc } from '../storage/document.ts';
import { isReady } from '../storage/plan.ts';
import { storageStatus } from '../storage/status.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { Actor, Explanation, ExplainView } from './explanation.ts';
import { does } from './unit-agent.ts';

/** Maximum number of storages of a unit that are explained. */
const shownMax = 10;

/** The explanations of the unit's storage that is not in place yet, or not released yet; empty when there is none. */
export function storageToCome(unit: UnitDoc, view: ExplainView): Explanation[] {
  const found: Explanation[] = [];
  for (const doc of view.find('storage', 'unit', unit.name)) {
    if (found.length === shownMax) break;
    if (storageStatus(doc).status !== 'attached' || doc.problem !== undefined)
      found.push(explainStorage(doc, unit));
  }
  return found;
}

function explainStorage(doc: StorageDoc, unit: UnitDoc): Explanation {
  const { id, problem, since } = doc;
  const { text, actor } = whoActs(doc, unit);
  const told = problem === undefined ? text : `${text}: ${problem}`;
  return {
    kind: 'attachment',
    id,
    name: `storage ${id}`,
    text: told,
    actor: problem === undefined ? { ...actor, since } : helper(doc),
    waitsFor: [],
    more: 0,
    above: false,
  };
}

function whoActs(doc: StorageDoc, unit: UnitDoc): { readonly text: string; readonly actor: Actor } {
  const { id, attachment, detachable, made, machine, mounted } = doc;
  if (attachment?.life === 'dying') {
    const task = mounted === undefined ? `lets storage ${id} go` : `runs hook ${doc.name}-storage-detaching`;
    return { text: 'to be detached', actor: does(unit, task) };
  }
  const cloud = (task: string): Actor => ({
    kind: 'provisioner',
    name: `storage ${id}`,
    task,
    commands: [],
  });
  const agent = (task: string): Actor => ({ kind: 'agent', name: `machine ${machine}`, task, commands: [] });
  if (detachable && !made) return { text: 'its volume is not made yet', actor: cloud('makes its volume') };
  if (detachable && !isReady(doc))
    return {
      text: `its volume is not attached to machine ${machine} yet`,
      actor: cloud(`attaches its volume to machine ${machine}`),
    };
  if (!isReady(doc)) return { text: 'not made yet', actor: agent(`makes storage ${id}`) };
  if (mounted !== undefined)
    return { text: 'to be mounted again', actor: agent(`mounts storage ${id} again`) };
  if (doc.type === 'block') return { text: 'its disk is not shown yet', actor: agent(`shows storage ${id}`) };
  return { text: 'not mounted yet', actor: agent(`mounts storage ${id}`) };
}

/** The actor for a storage step: a failed step is repeated, but people have to see whether it can succeed. */
function helper({ id, since, retry }: StorageDoc): Actor {
  return {
    kind: 'operator',
    name: `storage ${id}`,
    task: `see to what its error says; it is tried again ${retry ? `at ${timeOfDay(retry.at)}` : 'from time to time'}`,
    since,
    commands: [
      { line: `show-storage ${id}`, effect: 'shows its state' },
      { line: `remove-storage ${id} --force`, effect: 'gives it up, with its data' },
    ],
  };
}
