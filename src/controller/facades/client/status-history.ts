import { JujuError } from '../../../core/errors.ts';
import { initialStatus, statusId, type Status, type StatusKind } from '../../../core/status.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { client as spec } from '../../../wire/facades/client.ts';
import { parseTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { beforeStart } from './status/before-start.ts';
import { detailed } from './status/detailed.ts';

type Request = ParamsOf<typeof spec, 'StatusHistory'>['requests'][number];
type Filter = Request['filter'];

/** Statuses in each history, by Juju's name of the history. */
const histories: Readonly<Record<string, readonly StatusKind[]>> = {
  unit: ['unit-agent', 'workload'],
  'juju-unit': ['unit-agent'],
  workload: ['workload'],
  application: ['application'],
  machine: ['instance'],
  'juju-machine': ['machine-agent'],
  container: ['instance'],
  'juju-container': ['machine-agent'],
  model: ['model'],
};
const kindNames: Partial<Record<StatusKind, string>> = {
  'unit-agent': 'juju-unit',
  instance: 'machine',
  'machine-agent': 'juju-machine',
};

/** Returns each entity's statuses, oldest first. */
export async function statusHistory(
  call: Call,
  params: ParamsOf<typeof spec, 'StatusHistory'>,
): Promise<ResultOf<typeof spec, 'StatusHistory'>> {
  const results = await bulk(call, params.requests, (request) => ({
    history: { statuses: historyOf(call, request) },
  }));
  return { results: results.map((one) => ('error' in one ? { history: { statuses: [] }, ...one } : one)) };
}

function historyOf(call: Call, { historyKind, tag, filter, size }: Request): ReturnType<typeof detailed>[] {
  const kinds = Object.hasOwn(histories, historyKind) ? histories[historyKind] : undefined;
  if (!kinds) throw new JujuError('not valid', `unknown history kind "${historyKind}"`);
  const limit = filter.size || size;
  if (!limit && !filter.date && !filter.delta)
    throw new JujuError(
      'not valid',
      'cannot validate status history filter: missing filter parameters not valid',
    );
  const matchesFilter = filterOf(call, filter);
  const readsAll = filter.date || filter.delta || filter.exclude.length > 0;
  return kinds
    .flatMap((kind) =>
      statuses(call, kind, tag, readsAll ? longest : limit).map((status) => ({ kind, status })),
    )
    .filter(({ status }) => matchesFilter(status))
    .sort((a, b) => (a.status.since < b.status.since ? 1 : a.status.since > b.status.since ? -1 : 0))
    .slice(0, limit || undefined)
    .reverse()
    .map(({ kind, status }) => detailed(status, { kind: kindNames[kind] ?? kind }));
}

/** Statuses that the store still has; the oldest is the initial one, which nobody writes. */
function statuses(call: Call, kind: StatusKind, tag: string, limit: number): Status[] {
  const { name, createdAt, unit } = entityOf(call, tag);
  const documents = [{ space: call.modelUuid, kind: 'status', id: statusId(kind, name) }];
  const written: Status[] = [];
  for (const commit of call.store.past({ documents })) {
    for (const { kind: changedKind, after } of commit.changes(1))
      if (changedKind === 'status' && after) written.push(after);
    if (written.length === limit) break;
  }
  const ofUnit = kind === 'workload' || kind === 'unit-agent';
  const unwritten = ofUnit && unit ? beforeStart(call, kind, unit) : [];
  return [...written, ...(unwritten.length > 0 ? unwritten : [initialStatus(kind, createdAt)])];
}
const longest = 10_000;

function entityOf(call: Call, tag: string): { name: string; createdAt: string; unit?: UnitDoc } {
  const view = call.read();
  const { kind, id } = parseTag(tag);
  if (kind === 'unit') {
    const unit = mustGet(view, 'unit', id);
    return { name: id, createdAt: unit.createdAt, unit };
  }
  if (kind === 'application' || kind === 'machine')
    return { name: id, createdAt: mustGet(view, kind, id).createdAt };
  const model = kind === 'model' && id === call.modelUuid ? view.in('').get('model', id) : undefined;
  if (!model) throw new JujuError('not found', `"${tag}" not found`);
  return { name: '', createdAt: model.createdAt };
}

function filterOf(call: Call, { date, delta, ...filter }: Filter): (status: Status) => boolean {
  const excluded = new Set(filter.exclude);
  const earliest = delta ? new Date(call.services.clock.now() - delta / 1e6).toISOString() : date;
  return (status) => (!earliest || status.since >= earliest) && !excluded.has(status.message);
}
