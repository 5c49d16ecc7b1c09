import type { UnitDoc } from '../../../core/unit/document.ts';
import { JujuError, withoutStacks } from '../../../core/errors.ts';
import { leaseMs } from '../../../core/lease/document.ts';
import { mustGet, type Tx, type View } from '../tx.ts';

/** Longest lease: a leader that disappeared blocks its application for at most this time. */
const longestLeaseMs = 5 * 60_000;

/**
 * Grants or renews the application's lease if it is free, expired, or already held by this unit. Instants are the
 * controller's. `holds`: the unit's agent relies on a lease that has not ended by its own clock; after a restore, only
 * such a unit gets one until those have ended that the backup does not know. Errors: `leadership claim denied`.
 */
export function claimLeadership(
  tx: Tx,
  args: { readonly unit: string; readonly durationMs: number; readonly holds?: boolean },
): void {
  const unit = mustGet(tx, 'unit', args.unit);
  if (unit.life === 'dead' || unit.unplaced) throw denied();
  const holder = leaderOf(tx, unit.application, tx.now);
  if (holder !== '' && holder !== unit.name) throw denied();
  if (!args.holds && mayBeLed(tx)) throw denied();
  const durationMs = Math.min(Math.max(args.durationMs, 1000), longestLeaseMs);
  tx.put('lease', unit.application, {
    application: unit.application,
    holder: unit.name,
    expiresAt: new Date(Date.parse(tx.now) + durationMs).toISOString(),
  });
}

/**
 * Whether units may hold leases that were granted between the model's backup and its restore: also where the backup
 * has a valid one, whose holder may have been removed since.
 */
function mayBeLed(tx: Tx): boolean {
  const { at } = tx.in('').get('model', tx.space)?.restored ?? {};
  return at !== undefined && Date.parse(tx.now) < Date.parse(at) + leaseMs;
}

/** The usual answer: all units but the leader claim again and again, and none reads the stack. */
function denied(): JujuError {
  return withoutStacks(() => new JujuError('leadership claim denied', 'leadership claim denied'));
}

/** Name of the unit that leads the application at an instant; '' when no lease is valid. */
export function leaderOf(view: View, application: string, now: string): string {
  const lease = view.get('lease', application);
  return lease && lease.expiresAt > now ? lease.holder : '';
}

/** Removes expired leases, so that agents learn of the vacancy; a lease that was renewed in the meantime stays. */
export function endLeases(tx: Tx, applications: readonly string[]): void {
  for (const application of applications) {
    const lease = tx.get('lease', application);
    if (lease && lease.expiresAt <= tx.now) tx.remove('lease', application);
  }
}

/** Lease fence: a write in the leader's name is refused unless the unit holds the lease now. Errors: `not leader`. */
export function assertLeader(tx: Tx, unit: UnitDoc, action: string): void {
  if (leaderOf(tx, unit.application, tx.now) !== unit.name)
    throw new JujuError('not leader', `${action}: "${unit.name}" is not leader of "${unit.application}"`);
}

export function setLeaderSettings(
  tx: Tx,
  args: { unit: string; values: Readonly<Record<string, string>> },
): void {
  const unit = mustGet(tx, 'unit', args.unit);
  assertLeader(tx, unit, 'cannot write leadership settings');
  const old = tx.get('leader-settings', unit.application);
  const values: Record<string, string> = { ...old?.values, ...args.values };
  for (const [key, value] of Object.entries(args.values)) if (value === '') delete values[key];
  if (JSON.stringify(values) === JSON.stringify(old?.values ?? {})) return;
  tx.put('leader-settings', unit.application, {
    application: unit.application,
    values,
    version: (old?.version ?? 0) + 1,
  });
}
