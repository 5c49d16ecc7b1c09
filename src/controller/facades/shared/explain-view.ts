import type { MachineDoc } from '../../../core/machine/document.ts';
import type { ExplainView } from '../../../core/explain/explanation.ts';
import type { View } from '../../transactions/tx.ts';
import type { Call } from '../../facade.ts';
import { now } from './now.ts';

/** View of the connection's model, now, for explanations. */
export function explainViewOf(call: Call): ExplainView {
  const { presence } = call.services;
  return explainView({
    view: call.read(),
    now: now(call),
    present: ({ id, isController }) => isController || presence.isPresent(call.modelUuid, id),
    absentSince: (machine) => presence.absentSince(call.modelUuid, machine),
    heardAt: (machine) => presence.heardAt(call.modelUuid, machine),
  });
}

/** View for explanations; `view` is of the model. */
export function explainView({
  view,
  now: instant,
  present,
  absentSince = () => undefined,
  heardAt = () => undefined,
}: {
  readonly view: View;
  readonly now: string;
  readonly present: (machine: MachineDoc) => boolean;
  readonly absentSince?: (machine: string) => string | undefined;
  readonly heardAt?: (machine: string) => string | undefined;
}): ExplainView {
  return {
    get: (kind, id) => view.get(kind, id),
    list: (kind) => view.list(kind),
    find: (kind, index, value) => view.find(kind, index, value),
    count: (kind, index, value) => view.count(kind, index, value),
    now: instant,
    model: view.in('').get('model', view.space),
    present(id) {
      const machine = view.get('machine', id);
      return machine !== undefined && present(machine);
    },
    absentSince,
    heardAt,
  };
}
