/** Descriptions of changes of a storage and of the volume or file system that holds its data, for the history. */
import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent } from '../history/event.ts';
import { inBrackets } from '../history/living.ts';
import { unitRef } from '../history/words.ts';
import { showSize } from './directive.ts';
import type { StorageDoc } from './document.ts';

type Words = readonly [what: string, detail?: string];

/** Events of a storage, in the history of the unit that uses it and of the machine that it is on. */
export function describeStorage(
  before: StorageDoc | undefined,
  after: StorageDoc | undefined,
): HistoryEvent[] {
  const unit = after?.attachment?.unit ?? before?.attachment?.unit;
  const machine = after?.machine ?? before?.machine;
  const name = `storage ${(after ?? before)!.id}`;
  const about: EntityRef[] = [
    ...(unit === undefined ? [] : [unitRef(unit)]),
    ...(machine === undefined ? [] : [{ kind: 'machine', id: machine } as const]),
  ];
  return words(before, after).map(([what, detail = '']) =>
    unit === undefined
      ? { subject: name, what, detail, about }
      : { subject: `unit ${unit}`, what: `${name} ${what}`, detail, about },
  );
}

function words(before: StorageDoc | undefined, after: StorageDoc | undefined): Words[] {
  if (!after) return before ? [[before.ending === 'release' ? 'released' : 'removed']] : [];
  if (!before) return [['added', inBrackets([`pool ${after.pool}`, showSize(after.size)])]];
  return [
    ...use(before, after),
    ...removal(before, after),
    ...holder(before, after),
    ...mount(before, after),
  ];
}

function use(before: StorageDoc, after: StorageDoc): Words[] {
  const [was, is] = [before.attachment, after.attachment];
  if (!was) return is ? [['attached']] : [];
  if (!is) return [['detached']];
  return was.life === is.life ? [] : [['detaching']];
}

function removal(before: StorageDoc, { ending }: StorageDoc): Words[] {
  if (ending === before.ending || !ending) return [];
  return [[ending === 'release' ? 'is to be released' : 'is to be destroyed']];
}

/** Words for changes of the volume or file system that holds the data: made, lost, and where it is attached. */
function holder(before: StorageDoc, after: StorageDoc): Words[] {
  const { made, type, detachable } = after;
  const noun = detachable ? 'volume' : type === 'block' ? 'device' : 'file system';
  const found: Words[] = [];
  if (before.instance !== undefined && after.instance !== before.instance)
    found.push([`${noun} detached`, `from instance ${before.instance}`]);
  if (made && !before.made)
    found.push([`${noun} provisioned`, inBrackets([made.providerId, showSize(made.size)])]);
  if (!made && before.made) found.push([`${noun} lost with its instance`]);
  if (after.attached && !before.attached) found.push([`${noun} attached`, `to instance ${after.instance}`]);
  return found;
}

function mount(before: StorageDoc, { mounted, problem, type }: StorageDoc): Words[] {
  const [on, off] = type === 'block' ? ['shown as', 'no longer shown'] : ['mounted at', 'unmounted'];
  return [
    // The path '' says that the storage may be mounted: no agent has said so.
    ...(mounted === before.mounted || mounted === ''
      ? []
      : [[mounted === undefined ? off! : `${on} ${mounted}`] as const]),
    ...(problem === before.problem || problem === undefined ? [] : [[`failed: ${problem}`] as const]),
  ];
}
