/** Zones are the members of a cluster; a single server has none. */
import { zoneOfDirective } from '../../../core/placement.ts';
import type { LxdClient } from './client.ts';

interface Member {
  readonly server_name: string;
  /** Status of a member: `Online`, `Offline`, `Evacuated`. */
  readonly status: string;
}

export async function listZones(
  client: LxdClient,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly available: boolean }[]> {
  const cluster = await client.request<{ enabled: boolean }>({ method: 'GET', path: '/1.0/cluster' }, signal);
  if (!cluster.enabled) return [];
  const members = await client.request<readonly Member[]>(
    { method: 'GET', path: '/1.0/cluster/members', query: { recursion: '1' } },
    signal,
  );
  return members
    .map(({ server_name: name, status }) => ({ name, available: /^online$/i.test(status) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the member that a directive names: `zone=<member>`, or its bare name. */
export function memberOf(placement: string | undefined): string | undefined {
  return placement ? (zoneOfDirective(placement) ?? placement) : undefined;
}
