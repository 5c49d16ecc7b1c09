import { UsageError } from './errors.ts';

/** Parses gates: `db`, `db=active`, `db=workload-message=="up"`. Errors: UsageError. */
export function parseAfter(texts: readonly string[]): Record<string, string> {
  const gates = new Map<string, string>();
  for (const text of texts) {
    const [, application = '', health = ''] = /^([^=]*)=?([^]*)$/.exec(text) ?? [];
    if (application === '')
      throw new UsageError(`expected an application, or <application>=<health>, got ${JSON.stringify(text)}`);
    if (gates.has(application)) throw new UsageError(`application ${application} is waited for twice`);
    gates.set(application, health);
  }
  return Object.fromEntries(gates);
}
