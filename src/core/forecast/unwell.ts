/** What in a model is not as it should be: under way, broken, or waiting (forecasts.md#stuck). */
import { defined } from '../defined.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { ExplainView } from '../explain/explanation.ts';
import type { Kind } from '../kinds.ts';
import type { MachineDoc } from '../machine/document.ts';
import { statusId, type StatusKind } from '../status.ts';
import type { UnitDoc } from '../unit/document.ts';
import { retriedHook, type RetriedHook } from '../unit/retried-hook.ts';

/** Kinds of documents that unwell looks at. */
export const unwellKinds: ReadonlySet<string> = new Set<Kind>([
  'application',
  'machine',
  'model',
  'relation',
  'status',
  'unit',
]);

export interface Unwell {
  readonly entity: EntityRef;
  /** Whether something is being done about it without anybody's help. */
  readonly busy: boolean;
  /** What its agent does, in the words of its status: `running start hook`. */
  readonly does?: string;
  /** The failed hook that its agent runs again. */
  readonly retried?: RetriedHook;
  /** Starts of machines that are suspended and tried again; `at`: RFC 3339, absent = it is not known when. */
  readonly starts?: { readonly at?: string };
}
type State = Omit<Unwell, 'entity'>;
const stuck: State = { busy: false };
const busy: State = { busy: true };

/** Yields what is unwell: the model, its applications, machines, units and relations. */
export function* unwell(view: ExplainView): Iterable<Unwell> {
  const status = (kind: StatusKind, entity: string): string =>
    view.get('status', statusId(kind, entity))?.status ?? '';
  const suspension = suspended(view);
  if (suspension) yield { entity: { kind: 'model', id: view.model?.uuid ?? '' }, ...suspension };
  for (const { name, life, pending } of view.list('application'))
    if (life !== 'alive' || pending) yield { entity: { kind: 'application', id: name }, busy: false };
  for (const machine of view.list('machine')) {
    const found = ofMachine(machine, view, status);
    // An attempt while starts are suspended is one of many.
    if (found && suspension && !machine.instance)
      yield { entity: { kind: 'machine', id: machine.id }, ...stuck };
    else if (found) yield { entity: { kind: 'machine', id: machine.id }, ...found };
  }
  for (const unit of view.list('unit')) {
    const found = ofUnit(unit, view);
    if (found) yield { entity: { kind: 'unit', id: unit.name }, ...found };
  }
  for (const { id, life } of view.list('relation'))
    if (life !== 'alive') yield { entity: { kind: 'relation', id: String(id) }, busy: false };
}

/** Returns the suspension of the model's starts; undefined = they are not suspended. */
function suspended(view: ExplainView): State | undefined {
  const { status, data } = view.get('status', statusId('model', '')) ?? {};
  if (status !== 'suspended') return undefined;
  const isAwaited = [...view.list('machine')].some(({ life, instance }) => life === 'alive' && !instance);
  const at = data?.['next'];
  const starts = defined({ at: typeof at === 'string' && at >= view.now ? at : undefined });
  return { busy: false, ...(isAwaited && { starts }) };
}

type StatusOf = (kind: StatusKind, entity: string) => string;

function ofMachine(
  { id, life, instance, isController }: MachineDoc,
  view: ExplainView,
  status: StatusOf,
): State | undefined {
  if (life !== 'alive') return stuck;
  if (!instance) return status('instance', id) === 'allocating' ? busy : stuck;
  if (isController || (view.present(id) && status('machine-agent', id) === 'started')) return undefined;
  // An agent may come up yet, but not on an instance that is gone.
  const mayCome = status('machine-agent', id) !== 'started' && status('instance', id) !== 'lost';
  return mayCome ? busy : stuck;
}

function ofUnit(unit: UnitDoc, view: ExplainView): State | undefined {
  const { name, life, machine } = unit;
  const agent = view.get('status', statusId('unit-agent', name));
  const isHeard = machine !== undefined && (view.present(machine) || !unit.deployed);
  const retried = isHeard ? retriedHook(unit, agent, view) : undefined;
  if (retried) return { busy: false, retried };
  if (!isHeard) return stuck;
  if (agent?.status === 'executing' || agent?.status === 'rebooting')
    return { busy: true, does: agent.message };
  if (life !== 'alive' || agent?.status !== 'idle') return stuck;
  const workload = view.get('status', statusId('workload', name))?.status ?? '';
  return ['blocked', 'error'].includes(workload) ? stuck : undefined;
}
