import { JujuError } from '../../../core/errors.ts';
import type { SecretContent } from '../../../core/secret/content.ts';
import type { Call } from '../../facade.ts';
import {
  findForOther,
  scopeOfReading,
  trackForOther,
  type OtherReading,
} from '../../transactions/remote/other-models-readings.ts';
import { contentOf } from './secret-contents.ts';

/** A secret as a unit of another model reads it. */
export interface OtherRead {
  readonly content: SecretContent;
  /** The newest revision. */
  readonly latest: number;
  /** Token of the relation by which it is read. */
  readonly token: string;
}

/**
 * Reads a secret of a model of this controller for a unit of another model; only a reading that changes what the unit
 * tracks is a transaction. Errors: those of findForOther; those of the secret backend.
 */
export async function readForOther(
  { store, services, by }: Pick<Call, 'store' | 'services' | 'by'>,
  model: string,
  reading: OtherReading,
): Promise<OtherRead> {
  const read = () => store.read().in(model);
  const found = findForOther(read(), reading);
  const { revision, latest } = found.tracked
    ? await store.change((root) => trackForOther(root.in(model), reading), by)
    : found;
  const content = await contentOf({ read, services }, { secret: reading.id, revision });
  if (!content) throw new JujuError('not found', `secret "${reading.id}/${revision}" not found`);
  // While the content was read, the grant may have been taken back.
  const { remote } = scopeOfReading(read(), reading);
  return { content, latest, token: remote.token };
}
