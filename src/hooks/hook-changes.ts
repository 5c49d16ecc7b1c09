import type { HookChanges } from './context.ts';
import { newSecretEdits } from './secrets.ts';

/** Returns empty changes for a new hook, action or exec. */
export function newHookChanges(): HookChanges {
  return {
    relationSettings: new Map(),
    openPorts: [],
    closePorts: [],
    addStorage: new Map(),
    charmState: { set: new Map(), delete: new Set() },
    secrets: newSecretEdits(),
    reboot: '',
    action: { results: {}, failed: false, message: '' },
  };
}
