import type { CharmFiles, ParsedCharm } from '../../core/charm/parse-charm.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';

/** Charm that the client has and the model may lack: a folder or an archive on disk, or a file in a browser. */
export interface CharmSource {
  readonly charm: ParsedCharm;
  /** The files that the charm was read from. */
  readonly files: CharmFiles;
  /** Number in the charm's `revision` file; 0 without that file. */
  readonly revision: number;
  /**
   * Returns the SHA-256 (hex) of the archive that would be sent if the charm had this version. The same files give the
   * same hash.
   */
  sha256(version: string): Promise<string>;
  /** Sends the archive and resolves with the charm's URL. Errors: the controller's. */
  upload(operator: Operator, session: ModelSession): Promise<string>;
}

/**
 * The parts of a charm that a deploy needs: of a charm that the client has, or of one that the model has, whose upload
 * sends nothing.
 */
export interface DeploySource extends Pick<CharmSource, 'revision' | 'upload'> {
  readonly charm: Pick<ParsedCharm, 'meta' | 'config' | 'bases' | 'lxdProfile'>;
}
