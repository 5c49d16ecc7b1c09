import type { SecretDoc } from '../../../core/secret/document.ts';
import { applicationTag, modelTag, relationTag, unitTag } from '../../../wire/tags.ts';
import type { View } from '../../transactions/tx.ts';

/** Subjects that may read the secret, by tags. */
export function accessOf(view: View, { id }: SecretDoc): { target: string; scope: string; role: string }[] {
  return [...view.find('secret-grant', 'secret', id)].map(({ subject, relation }) => {
    const key = relation === '' ? undefined : view.get('relation', relation)?.key;
    return {
      target: subject.kind === 'unit' ? unitTag(subject.id) : applicationTag(subject.id),
      scope: key === undefined ? modelTag(view.space) : relationTag(key),
      role: 'view',
    };
  });
}
