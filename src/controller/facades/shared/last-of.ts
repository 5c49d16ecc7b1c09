import type { Entities, Kind } from '../../../core/kinds.ts';
import type { Call } from '../../facade.ts';

/** Returns a document, or the last state of a removed one. */
export function lastOf<P extends Kind>(
  call: Call,
  uuid: string,
  kind: P,
  id: string,
): Entities[P] | undefined {
  const current = call.store.read().in(uuid).get(kind, id);
  if (current) return current;
  const [removal] = call.store.past({ documents: [{ space: uuid, kind, id }] });
  return removal?.changes(1)[0]?.before as Entities[P] | undefined;
}
