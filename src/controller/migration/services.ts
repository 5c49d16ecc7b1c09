import type { Services } from '../services.ts';
import { ArrivingFiles } from './arriving-files.ts';
import { TextPieces } from './pieces.ts';
import { Trials } from './trials.ts';

/** Services of a controller's process that migrations need. */
export function migrationServices({
  uploadsDir,
  blobs,
}: Pick<Services, 'blobs' | 'uploadsDir'>): Pick<Services, 'arrivingContents' | 'arrivingTexts' | 'trials'> {
  return {
    trials: new Trials(),
    arrivingTexts: new TextPieces(),
    arrivingContents: new ArrivingFiles(uploadsDir, blobs),
  };
}
