import { notFound, permissionDenied } from '../../../core/errors.ts';
import type { SecretDoc } from '../../../core/secret/document.ts';
import { parseSecretUri } from '../../../core/secret/secret-id.ts';
import type { View } from '../../transactions/tx.ts';
import { secretNotFound } from '../../transactions/shared/secrets.ts';

/** The secret of a URI, or of the model's with that name. Errors: `not found`; `unauthorized access` for a charm's. */
export function userSecret(view: View, { uri, label }: { uri: string; label: string }): SecretDoc {
  if (uri !== '') {
    const { id, model = view.space } = parseSecretUri(uri);
    const secret = model === view.space ? view.get('secret', id) : undefined;
    if (!secret) throw secretNotFound(id);
    if (secret.owner.kind !== 'model') throw permissionDenied();
    return secret;
  }
  const [secret] = label === '' ? [] : view.find('secret', 'label', `model  ${label}`);
  if (!secret) throw notFound('secret', label);
  return secret;
}
