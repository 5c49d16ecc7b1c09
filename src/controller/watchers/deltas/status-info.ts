import type { Status } from '../../../core/status.ts';

/** Status in a delta. `version`: of the agent, '' where there is none. */
export function statusInfo({ status, message, since, data }: Status, version = ''): Record<string, unknown> {
  return { current: status, message, since, version, data: data ?? {} };
}
