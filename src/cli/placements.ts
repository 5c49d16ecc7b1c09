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
