import { defined } from '../../core/defined.ts';
import type { ShownResource } from '../../core/resource/shown.ts';

/** Upload time of a resource without content, as Go writes a zero time. */
const zeroTime = '0001-01-01T00:00:00Z';

/** A resource as the API shows it. */
export function resourceResult(shown: ShownResource) {
  const { application, name, pendingId = '', timestamp, username } = shown;
  return {
    ...charmResourceResult(shown),
    id: `${application}/${name}`,
    'pending-id': pendingId,
    application,
    username,
    timestamp: shown.fingerprint === '' ? zeroTime : timestamp,
  };
}

function charmResourceResult(shown: ShownResource) {
  const { name, type, path, description, origin, revision, fingerprint, size } = shown;
  return {
    name,
    type,
    path,
    ...defined({ description: description || undefined }),
    origin,
    revision,
    fingerprint: fingerprint === '' ? null : Buffer.from(fingerprint, 'hex').toString('base64'),
    size,
  };
}
