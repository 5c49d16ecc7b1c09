/** Choices among the entities that a command may be about. */
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { statusId } from '../../core/status.ts';
import type { Reader } from '../../store/store.ts';

/** Returns the elements that satisfy `isSo`, or all when there are none. */
export function rather<T>(all: readonly T[], isSo: (onlyResult: T) => boolean): readonly T[] {
  const some = all.filter(isSo);
  return some.length > 0 ? some : all;
}

/** Returns the item of this number; numbers begin anew behind the last item. Errors: `not found`. */
export function pick<T>(all: readonly T[], number: number): T {
  const found = all[number % all.length];
  if (found === undefined) throw new JujuError('not found', 'there is none to choose from');
  return found;
}

/** Returns the units whose hook has failed; of any application when this one has no such unit. */
export function failed(view: Reader<Entities>, application: string): readonly Entities['unit'][] {
  const all = [...view.list('unit')].filter(
    ({ name }) => view.get('status', statusId('unit-agent', name))?.status === 'error',
  );
  return rather(all, (unit) => unit.application === application);
}
