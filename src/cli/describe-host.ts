import { formatBase } from '../core/base.ts';
import type { HostFacts } from '../providers/contract/provider.ts';

/** Describes a host: `ubuntu@24.04, amd64, 2 cores, 7954 MiB of memory`. */
export function describeHost({ base, hardware: { arch, cores, mem } }: HostFacts): string {
  return [formatBase(base), arch, cores && `${cores} cores`, mem && `${mem} MiB of memory`]
    .filter(Boolean)
    .join(', ');
}
