/** What a forecast and the world that it was made of must tell alike: sentences about a model. */
import { explain } from '../../core/explain/explain.ts';
import { nameOf, type ExplainView, type Explanation } from '../../core/explain/explanation.ts';
import type { ApplicationDoc } from '../../core/application/document.ts';
import { networkOf } from '../../core/cidr.ts';
import { unwell } from '../../core/forecast/unwell.ts';
import type { Entities } from '../../core/kinds.ts';
import { statusId } from '../../core/status.ts';
import type { StatusDoc } from '../../core/status/document.ts';
import type { StorageDoc } from '../../core/storage/document.ts';
import type { Reader } from '../../store/store.ts';

type View = Reader<Entities>;
/** A sentence, and since when it is so in ms since 1970 where that is known. */
export type Fact = readonly [sentence: string, at: number];
export type Facts = ReadonlyMap<string, number>;

/** Returns what is told of the model. `explained`: the same, with the agents that are connected. */
export function factsOf(view: View, explained: ExplainView | undefined): Fact[] {
  const facts = [
    ...[...view.list('application')].map(applicationFact),
    ...[...view.list('unit')].map(
      ({ name, life, machine = 'none', charmUrl }) =>
        `unit ${name}: ${life} on ${machine} with charm ${charmUrl}`,
    ),
    ...[...view.list('machine')].map((machine) => machineFact(machine)),
    ...[...view.list('relation')].map(({ key, life }) => `relation ${key}: ${life}`),
    ...[...view.list('scope')].map(
      ({ relation, unit }) => `scope of ${view.get('relation', relation)?.key}: ${unit}`,
    ),
    ...[...view.list('storage')].map(storageFact),
  ];
  // A model is available as long as no status says otherwise.
  const isUsual = ({ kind, status }: StatusDoc): boolean => kind === 'model' && status === 'available';
  const statuses = [...view.list('status')].flatMap((doc): Fact[] => {
    const { kind, entity, status, message, since } = doc;
    const said = isInterrupted(doc, view, explained) ? 'the last word' : `${status} ${message}`.trim();
    return isUsual(doc) ? [] : [[`${kind} of ${entity}: ${said}`, Date.parse(since)]];
  });
  return [...facts.map((fact) => [fact, 0] as const), ...statuses].map(([fact, at]) => [
    plain(fact, view),
    at,
  ]);
}

/** Whether the status is of a unit whose machine has gone, maybe within a hook that the copy began anew. */
function isInterrupted({ kind, entity }: StatusDoc, view: View, explained: ExplainView | undefined): boolean {
  const { machine } =
    (kind.startsWith('unit') || kind === 'workload' ? view.get('unit', entity) : undefined) ?? {};
  if (machine === undefined) return false;
  return (
    explained?.present(machine) === false ||
    ['lost', 'stopped'].includes(view.get('status', statusId('instance', machine))?.status ?? '')
  );
}

function applicationFact({ name, life, charmUrl, pending, after = {}, rollout }: ApplicationDoc): string {
  const gates = Object.entries(after).map(([of, { opened }]) => `, ${opened ? 'open' : 'closed'} gate ${of}`);
  return [
    `application ${name}: ${life} with charm ${charmUrl}`,
    pending ? `, pending ${JSON.stringify(pending.missing)}` : '',
    ...gates,
    rollout
      ? `, ${rollout.kind} ${rollout.state} in batch ${rollout.batch}, problem ${rollout.problem?.unit}`
      : '',
  ].join('');
}

function machineFact({ id, life, instance, zone, addresses }: Entities['machine']): string {
  const networks = new Set(addresses.map(({ cidr = '' }) => networkOf(cidr) ?? 'no network'));
  const has = instance ? ` with an instance in ${zone} and ${[...networks].sort().join(' ')}` : '';
  return `${id.includes('/') ? 'container' : 'machine'} ${id}: ${life}${has}`;
}

function storageFact({
  id,
  pool,
  ending,
  attachment,
  machine,
  made,
  attached,
  mounted,
  problem,
}: StorageDoc): string {
  const use = attachment ? `${attachment.life} at ${attachment.unit}` : 'detached';
  const parts = { ending, machine, made: made !== undefined, attached, mounted, problem };
  return `storage ${id} of pool ${pool}: ${use} ${JSON.stringify(parts)}`;
}

/** Returns what is stuck in the model. */
export function stuckIn(explained: ExplainView, view: View): Fact[] {
  return [...unwell(explained)].map(({ entity }) =>
    stuckFact(nameOf(entity, explained), explain(entity, explained), view),
  );
}

/** What is stuck, with the causes at the roots and who must act. */
export function stuckFact(entity: string, explanation: Explanation, view: View): Fact {
  const roots = (one: Explanation): string[] =>
    one.waitsFor.length > 0
      ? one.waitsFor.flatMap(roots)
      : [`${one.name}: ${one.text}${one.actor ? `, ${one.actor.kind} ${one.actor.task}` : ''}`];
  const causes = [...new Set(roots(explanation))].sort().join('; ');
  return [plain(`stuck ${entity}: ${causes}`, view), 0];
}

/**
 * Leaves out what chance makes: ids of instances, times, numbers of loop devices after a reboot, and numbers of
 * subordinates, which are given in the order in which their principals' agents come.
 */
function plain(fact: string, view: Pick<View, 'get'>): string {
  return fact
    .replaceAll(/\bi-[0-9a-f]+/g, 'i-…')
    .replaceAll(/\bloop\d+/g, 'loop…')
    .replaceAll(/(\d{4}-\d{2}-\d{2}T)?\d{2}:\d{2}:[\d.]+Z/g, 'TIME')
    .replaceAll(/\b(\d+h)?(\d+m)?\d+(\.\d+)?s\b/g, 'TIME')
    .replaceAll(/\blogger\/\d+/g, (name) => {
      const principal = view.get('unit', name)?.principal;
      return principal === undefined ? 'logger of a unit that is gone' : `logger of ${principal}`;
    });
}
