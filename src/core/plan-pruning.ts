/** Chooses operations to delete, by the model's max-action-results-age and max-action-results-size. */
import { parseDuration } from './duration.ts';
import type { ModelSettings } from './model/config-schema.ts';

/** An operation with its tasks. */
export interface KeptOperation {
  readonly id: string;
  /** Size in bytes of the operation and its tasks. */
  readonly bytes: number;
  /** Milliseconds since 1970; absent while one of its tasks has not ended. */
  readonly ended?: number;
}

interface PruningSettings {
  /** Milliseconds; 0 = kept forever. */
  readonly maxAge: number;
  /** Bytes; 0 = without limit. */
  readonly maxBytes: number;
}

export function pruningSettings(config: ModelSettings): PruningSettings {
  return {
    maxAge: parseDuration(config['max-action-results-age']),
    maxBytes: bytesOf(config['max-action-results-size']),
  };
}

/**
 * Chooses operations that ended longer ago than the maximum age, then the oldest ended ones of the rest until all fit
 * the maximum size. Operations are deleted as a whole, as a part would look like a complete result. `operations`: the
 * oldest first.
 */
export function planPruning(
  operations: readonly KeptOperation[],
  { maxAge, maxBytes }: PruningSettings,
  now: number,
): string[] {
  let keptBytes = operations.reduce((sum, { bytes }) => sum + bytes, 0);
  const forgotten = new Set<string>();
  const forget = ({ id, bytes }: KeptOperation): void => {
    forgotten.add(id);
    keptBytes -= bytes;
  };
  if (maxAge > 0)
    for (const operation of operations)
      if (operation.ended !== undefined && operation.ended < now - maxAge) forget(operation);
  if (maxBytes > 0)
    for (const operation of operations) {
      if (keptBytes <= maxBytes) break;
      if (operation.ended !== undefined && !forgotten.has(operation.id)) forget(operation);
    }
  return [...forgotten];
}

/** A size in bytes: `5G`, `512M`, `512` (MiB). */
function bytesOf(size: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([MGTPEZY]?)$/.exec(size) ?? [];
  return Number(number ?? 0) * 1024 ** (2 + Math.max(0, 'MGTPEZY'.indexOf(unit ?? '')));
}
