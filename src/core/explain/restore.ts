/** Explanation of a model that was restored from a backup (backups.md#after-a-restore). */
import type { ModelDoc } from '../model/document.ts';
import { isHeld } from '../model/restored.ts';
import type { Explanation } from './explanation.ts';

/** The wait for an operator, as one entry; nothing for a model that does not wait. */
export function explainRestore(model: ModelDoc): Explanation[] {
  const { name, restored } = model;
  if (!restored || !isHeld(model)) return [];
  return [
    {
      kind: 'restore',
      id: '',
      name: 'hooks of units',
      text: restoreRemark(restored.backup),
      actor: {
        kind: 'operator',
        name: `model ${name}`,
        task: 'look at what is newer than the backup, and accept the restore',
        since: restored.at,
        commands: [
          { line: `show-restore -m ${name}`, effect: 'shows what is newer, and what becomes of it' },
          { line: `accept-restore -m ${name}`, effect: 'lets hooks run again' },
        ],
      },
      waitsFor: [],
      more: 0,
      above: false,
    },
  ];
}

/** What a model says that waits; `backup`: the time of the backup. */
export function restoreRemark(backup: string): string {
  return `wait: the model was restored from the backup of ${backup}`;
}
