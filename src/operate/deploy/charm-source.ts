import type { ParsedCharm } from '../../core/charm/parse-charm.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';

/** A charm that the client has and the model may not have: a folder or an archive on disk, or a file in a browser. */
export interface CharmSource {
  readonly charm: ParsedCharm;
  /** What its `revision` file says, 0 without one. */
  readonly revision: number;
  /** SHA-256 (hex) of the archive that would be sent if the charm had this version. The same for the same files. */
  sha256(version: string): Promise<string>;
  /** Sends the archive. Resolves with the charm's URL. Errors: the controller's. */
  upload(operator: Operator, session: ModelSession): Promise<string>;
}
