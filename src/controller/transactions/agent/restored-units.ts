/** What agents tell after a restore of their model (backups.md#after-a-restore). */
import { defined } from '../../../core/defined.ts';
import { hasCode, JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { isHeld } from '../../../core/model/restored.ts';
import { isUnitName } from '../../../core/names.ts';
import { committedOf } from '../../../core/restore/plan-restore.ts';
import type { LocalState } from '../../../core/unit/local-state.ts';
import { mustGet, type Tx } from '../tx.ts';
import { enterScope } from './enter-scope.ts';

/**
 * Refuses what an agent wrote while the controller was restored: whether it counts is decided with the restore. Errors:
 * `try again` until it is accepted.
 */
export function refuseWhileHeld(tx: Tx): void {
  if (isHeld(tx.in('').get('model', tx.space)))
    throw new JujuError('try again', 'the model was restored from a backup, and waits for an operator');
}

/**
 * Records the state of a unit's agent that was at work before the restore, unless it is older than what is known:
 * beside the state of the backup until the restore is accepted, in its place when it was accepted with `keep`, and not
 * at all with `rerun`. Errors: `quota limit exceeded`.
 */
export function keepAgentState(
  tx: Tx,
  told: {
    readonly unit: string;
    readonly restore: string;
    readonly agentState: unknown;
    readonly charmState: Readonly<Record<string, string>>;
  },
): void {
  const model = tx.in('').get('model', tx.space);
  // An answer to an earlier restore.
  if (model?.restored?.id !== told.restore) return;
  const { state, accepting = state } = model.restored;
  if (accepting === 'rerun') return;
  const old = tx.get('unit-state', told.unit);
  const newer = { agent: told.agentState, charm: told.charmState };
  const isSame =
    JSON.stringify([old?.agent ?? null, old?.charm ?? {}]) === JSON.stringify([newer.agent, newer.charm]);
  // The agent does not know of a hook whose commit is in the backup, and whose answer was lost; or an agent that was
  // started since has told a newer state.
  const isOlder = committedOf(told.agentState) < committedOf((old?.newer ?? old)?.agent);
  if (isSame || isOlder) return;
  const { newer: _, ...rest } = old ?? { unit: told.unit, lastHook: '', agent: null, charm: {} };
  const isWaiting = accepting === 'held' && isHeld(model);
  tx.put('unit-state', told.unit, isWaiting ? { ...rest, newer } : { ...rest, ...newer });
  // Its removal is told to the charm, which the backup does not know to be there.
  const unit = tx.get('unit', told.unit);
  if (unit?.life === 'alive' && !unit.deployed) tx.put('unit', unit.name, { ...unit, deployed: true });
  if (!isWaiting) enterAgain(tx, told.unit, told.agentState);
}

/**
 * What goes over with an accepted restore: a unit's state that its agent told, the units that a machine told, or a
 * storage whose volume the backup has attached.
 */
export type Told = { readonly kind: 'machine' | 'storage' | 'unit-state'; readonly id: string };

/**
 * Lets some units go on where the acceptance says: with `keep`, the state that the agent told is taken. Volumes are
 * attached again, for they may have been detached since the backup.
 */
export function settleUnits(tx: Tx, told: readonly Told[]): void {
  const accepting = tx.in('').get('model', tx.space)?.restored?.accepting;
  if (accepting === undefined) return;
  for (const { kind, id } of told)
    if (kind === 'storage') {
      const { attached: _, ...storage } = tx.get('storage', id) ?? {};
      if ('id' in storage) tx.put('storage', id, storage);
    } else if (kind === 'machine') {
      const machine = tx.get('machine', id);
      if (machine) tx.put('machine', id, withoutTold(machine));
    } else {
      const { newer, ...rest } = tx.get('unit-state', id) ?? {};
      if (!newer || !('unit' in rest)) continue;
      tx.put('unit-state', id, accepting === 'keep' ? { ...rest, ...newer } : rest);
      if (accepting === 'keep') enterAgain(tx, id, newer.agent);
    }
}

/**
 * Enters a unit again into the relations that it has entered since the backup, as its agent's state tells: others see
 * it there, and its charm hears of nothing twice. A relation that refuses it is left out.
 */
function enterAgain(tx: Tx, name: string, agentState: unknown): void {
  const { relations = {} } = (agentState ?? {}) as Partial<LocalState>;
  for (const [relation, { leaving }] of Object.entries(relations))
    if (!leaving && tx.get('relation', relation))
      try {
        enterScope(tx, { unit: name, relation });
      } catch (error) {
        if (!hasCode(error, 'cannot enter scope') && !hasCode(error, 'cannot enter scope yet')) throw error;
      }
}

/**
 * Records the units with files on a machine that its restored model does not know, and those of the model that have
 * ended there since the backup. Errors: `quota limit exceeded`.
 */
export function recordUnknownUnits(
  tx: Tx,
  told: { readonly machine: string; readonly units: readonly string[]; readonly ended?: readonly string[] },
): void {
  const { units, ended = [] } = told;
  checkLimit(limits.unknownUnits, units.length + ended.length);
  const machine = withoutTold(mustGet(tx, 'machine', told.machine));
  const model = tx.in('').get('model', tx.space);
  const isHeldNow = isHeld(model) && model?.restored?.accepting === undefined;
  const named = (names: readonly string[]): readonly string[] | undefined =>
    isHeldNow && names.length > 0 ? names.filter((unit) => isUnitName(unit)) : undefined;
  tx.put('machine', machine.id, {
    ...machine,
    ...defined({ unknownUnits: named(units), endedUnits: named(ended) }),
  });
}

function withoutTold({ unknownUnits: _unknown, endedUnits: _ended, ...machine }: MachineDoc): MachineDoc {
  return machine;
}
