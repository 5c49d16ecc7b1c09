import { statusOf } from '../../transactions/tx.ts';
import type { DeltaScope } from './delta.ts';
import { statusInfo } from './status-info.ts';

/**
 * Body of an application. The status is the application's own: clients derive it from the units while it is `unset`.
 */
export function applicationBody({ reader }: DeltaScope, name: string): Record<string, unknown> | undefined {
  const application = reader.get('application', name);
  if (!application) return undefined;
  return {
    name,
    exposed: application.exposed !== undefined,
    'charm-url': application.charmUrl,
    'owner-tag': '',
    life: application.life,
    'min-units': 0,
    constraints: application.constraints,
    config: application.config,
    subordinate: application.subordinate,
    status: statusInfo(statusOf(reader, 'application', name, application.createdAt)),
    'workload-version': application.workloadVersion,
  };
}
