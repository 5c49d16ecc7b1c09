import { JujuError } from '../../../core/errors.ts';
import { describeChange } from '../../../core/history/describe-change.ts';
import type { PastChange } from '../../../core/history/past-change.ts';
import { selectEvents } from '../../../core/history/select-events.ts';
import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { currentModel } from '../shared/model.ts';
import { documentsOf } from './history-documents.ts';
import { findPastEntity } from './past-entities.ts';
import { pastNames } from './past-names.ts';

type Answer = ResultOf<typeof spec, 'History'>;

/** Maximum size of one answer; `next` says where to continue. */
const answerMax = { commits: 1000, events: 10_000, lookedAt: 20_000, changesOfCommit: 500 } as const;
/** Number of changes that are looked at in one turn: some milliseconds. */
const slice = 200;

/**
 * Returns the changes of the model, newest first, with their requesters. The cost depends on what is returned; commits
 * without a visible change (a renewed lease, an agent's own state) are skipped.
 * Errors: `not found` for an entity that never existed, as far as the history goes; `not valid`.
 */
export async function history(call: Call, params: ParamsOf<typeof spec, 'History'>): Promise<Answer> {
  const { uuid } = currentModel(call);
  const { store, services } = call;
  const entity = findPastEntity(call, params.names);
  const names = pastNames(call, uuid);
  const scope = { entity, statuses: params.statuses ?? false };
  const limit = Math.min(params.limit || answerMax.commits, answerMax.commits);
  const since = sinceOf(params.since);
  const horizon = { revision: store.horizon.revision, time: store.horizon.at };
  const newest = Math.min(call.read().revision, (params.before ?? Infinity) - 1);
  const commits: Answer['commits'][number][] = [];
  let events = 0;
  let lookedAt = 0;
  let turn = 0;
  const past = store.past({
    ...documentsOf(call, uuid, entity),
    after: params.after ?? 0,
    upTo: newest,
  });
  for (const { revision, at, by, total, changes } of past) {
    // Clocks may go back, so older commits may follow, but only slightly older ones.
    if (since !== undefined && at < since) break;
    const isFull = commits.length === limit || events >= answerMax.events || lookedAt >= answerMax.lookedAt;
    if (isFull) return { commits, next: revision + 1, newest, horizon };
    lookedAt++;
    turn++;
    if (wasMadeBy(by, params.by)) {
      const found = changes(answerMax.changesOfCommit) as readonly PastChange[];
      const shownEvents = selectEvents(
        found.flatMap((change) => describeChange(change, names)),
        scope,
      ).map(({ subject, what, detail }) => ({ subject, what, detail }));
      if (shownEvents.length > 0)
        commits.push({ revision, time: at, by, events: shownEvents, more: total - found.length });
      events += shownEvents.length;
      turn += found.length;
    }
    if (turn < slice) continue;
    turn = 0;
    await new Promise<void>((resolve) => services.nextTurn(resolve));
  }
  return { commits, newest, horizon };
}

function wasMadeBy(by: string, requester: string | undefined): boolean {
  return !requester || by === requester || by === `user-${requester}`;
}

function sinceOf(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new JujuError('not valid', `"${text}" is not a time`);
  return new Date(ms).toISOString();
}
