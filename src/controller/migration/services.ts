import type { Services } from '../services.ts';
import { TextPieces } from './pieces.ts';
import { Trials } from './trials.ts';

/** Services of a controller's process that migrations need. */
export function migrationServices(): Pick<Services, 'arrivingTexts' | 'trials'> {
  return { trials: new Trials(), arrivingTexts: new TextPieces() };
}
