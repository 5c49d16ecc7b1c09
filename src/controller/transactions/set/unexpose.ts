import { JujuError } from '../../../core/errors.ts';
import { mustGet, type Tx } from '../tx.ts';

/** unexpose: all of the application, or the endpoints named ('' = the wildcard). Errors: `not found`. */
export function unexpose(tx: Tx, args: { application: string; endpoints: readonly string[] }): void {
  const application = mustGet(tx, 'application', args.application);
  const { exposed, ...closed } = application;
  const remaining = { ...exposed };
  for (const endpoint of args.endpoints) {
    if (!Object.hasOwn(remaining, endpoint))
      throw new JujuError('not found', `endpoint "${endpoint}" is not exposed`);
    delete remaining[endpoint];
  }
  const open = args.endpoints.length > 0 && Object.keys(remaining).length > 0;
  tx.put('application', application.name, open ? { ...closed, exposed: remaining } : closed);
}
