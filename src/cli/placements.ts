import { parseMachineMap } from '../core/bundle/map-machines.ts';
import type { MachineMap } from '../core/bundle/bundle-model.ts';
import { parsePlacement } from '../core/placement.ts';
import { UsageError } from './errors.ts';

/** Parses the values of `--to` into the form of the wire. Errors: UsageError. */
export function parsePlacements(
  directives: readonly string[],
  modelUuid: string,
): { scope: string; directive: string }[] {
  return directives.map((text) => {
    try {
      return { ...parsePlacement(text, modelUuid) };
    } catch (error) {
      throw new UsageError(`invalid --to parameter "${text}": ${(error as Error).message}`);
    }
  });
}

/** Parses the value of `--map-machines`. Errors: UsageError. */
export function readMachineMap(text: string): MachineMap {
  try {
    return parseMachineMap(text);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
