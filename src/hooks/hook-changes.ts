import type { HookChanges } from './context.ts';

/** What one hook, action or exec has asked for so far: nothing. */
export function newHookChanges(): HookChanges {
  return {
    relationSettings: new Map(),
    openPorts: [],
    closePorts: [],
    charmState: { set: new Map(), delete: new Set() },
    reboot: '',
    action: { results: {}, failed: false, message: '' },
  };
}
