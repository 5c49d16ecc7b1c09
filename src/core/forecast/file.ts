/** A model file that an event of a forecast applies, as a client has read it (forecasts.md#applies). All of it is JSON. */
import { notValid } from '../errors.ts';
import { jsonLength } from '../json-bytes.ts';
import { checkLimit, limits } from '../limits.ts';
import type { ForecastEvent } from './events.ts';

export interface ForecastFile {
  /** The file as the event names it. */
  readonly name: string;
  /** The file as JSON, with variables in place and overlays merged in. */
  readonly text: string;
  /** Charms that the client has. */
  readonly charms: ForecastCharm[];
  readonly resources: ForecastResource[];
  readonly prune: boolean;
  readonly force: boolean;
  /** Applications that others may take the place of. */
  readonly replace: string[];
  /** As `--map-machines` has it; '' = no machine of the file is one that the model has. */
  readonly 'map-machines': string;
}

export interface ForecastCharm {
  /** The charm as the file names it. */
  readonly path: string;
  /** The files that describe it, parsed. */
  readonly files: Record<string, unknown>;
  readonly revision: number;
  /** SHA-256 of its archive, by the versions that the model's charms of its name have. */
  readonly hashes: Record<string, string>;
}

export interface ForecastResource {
  readonly name: string;
  /** The content as the file names it. */
  readonly value: string;
  readonly bytes: number;
  /** SHA-384 of the content, in hex. */
  readonly fingerprint: string;
}

/** Checks that each event that applies a file has it. Errors: `not valid`; `quota limit exceeded`. */
export function checkFiles(files: readonly ForecastFile[], events: readonly ForecastEvent[]): void {
  checkLimit(limits.forecastFiles, jsonLength(files, limits.forecastFiles.max));
  const names = new Set(files.map(({ name }) => name));
  for (const { text, what } of events)
    if (what.kind === 'apply' && !names.has(what.file))
      throw notValid(`event "${text}": the request has no file "${what.file}"`);
}
