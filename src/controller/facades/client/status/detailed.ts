import type { Life } from '../../../../core/life.ts';
import type { Status } from '../../../../core/status.ts';
import type { DetailedStatus } from '../../../../wire/facades/client.ts';

/** Status as FullStatus has it; the life of an alive entity is ''. */
export function detailed(
  status: Status,
  { kind = '', version = '', life = 'alive' as Life } = {},
): DetailedStatus {
  return {
    status: status.status,
    info: status.message,
    data: status.data ?? {},
    since: status.since,
    kind,
    version,
    life: shownLife(life),
  };
}

export function shownLife(life: Life): '' | 'dying' | 'dead' {
  return life === 'alive' ? '' : life;
}
