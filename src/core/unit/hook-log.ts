/** Messages of the log about hooks, in Juju's words, which scripts look for (unit-agent.md#log-of-hooks). */

/** The program that ran a hook: the charm's `dispatch`, or a program of the hook's own. */
export type HookHandler = 'dispatch' | 'own';

const handlers: Readonly<Record<HookHandler, string>> = {
  dispatch: 'hook dispatching script: dispatch',
  own: 'explicit, bespoke hook script',
};

export function hookRan(name: string, handler: HookHandler = 'own'): string {
  return `ran "${name}" hook (via ${handlers[handler]})`;
}

export function hookIsMissing(name: string): string {
  return `skipped "${name}" hook (missing)`;
}

export function hookFailed(name: string, why: string, handler: HookHandler = 'own'): string {
  return `hook "${name}" (via ${handlers[handler]}) failed: ${why}`;
}

/** The hook that a message says has run; undefined for other messages. */
export function ranHookOf(message: string): string | undefined {
  return /^ran "([a-z0-9-]+)" hook \(via /.exec(message)?.[1];
}

/** The hook that a message says has failed; undefined for other messages. */
export function failedHookOf(message: string): string | undefined {
  return /^hook "([a-z0-9-]+)" \(via [^)]*\) failed: /.exec(message)?.[1];
}
