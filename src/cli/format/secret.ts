import type { ResultOf } from '../../client/calls.ts';
import { parseTag } from '../../wire/tags.ts';

export type ListedSecret = ResultOf<'Secrets', 'ListSecrets'>['results'][number];

/** Returns the bare id of a listed secret. */
export function secretId({ uri }: ListedSecret): string {
  return uri.slice(uri.lastIndexOf(':') + 1);
}

/** Returns the owner as shown: `<model>`, an application or a unit. */
export function secretOwner(secret: ListedSecret): string {
  const { kind, id } = parseTag(secret['owner-tag']);
  return kind === 'model' ? '<model>' : id;
}

/** Describes a secret as `--format json` and `yaml` show it. */
export function describeSecret(
  secret: ListedSecret,
  { withRevisions, asJson }: { readonly withRevisions: boolean; readonly asJson: boolean },
): Record<string, unknown> {
  const isUsers = parseTag(secret['owner-tag']).kind === 'model';
  return {
    revision: secret['latest-revision'],
    checksum: secret['latest-revision-checksum'] || undefined,
    expires: shownTime(secret['latest-expire-time']),
    rotation: secret['rotate-policy'] || undefined,
    rotates: shownTime(secret['next-rotate-time']),
    owner: secretOwner(secret),
    description: secret.description,
    name: isUsers ? secret.label : undefined,
    label: isUsers ? undefined : secret.label,
    created: shownTime(secret['create-time']),
    updated: shownTime(secret['update-time']),
    error: secret.value?.error?.message,
    content: secret.value?.data && contentOf(secret.value.data, asJson),
    revisions: withRevisions
      ? secret.revisions.map((revision) => ({
          revision: revision.revision,
          backend: revision['backend-name'],
          created: shownTime(revision['create-time']),
          updated: shownTime(revision['update-time']),
          expires: shownTime(revision['expire-time']),
        }))
      : undefined,
    access:
      secret.access.length > 0
        ? secret.access.map((access) => ({
            target: access['target-tag'],
            scope: access['scope-tag'],
            role: access.role,
          }))
        : undefined,
  };
}

/** Returns the values in clear; in JSON they are one level deeper, where clients look for them. */
function contentOf(data: Readonly<Record<string, string>>, asJson: boolean): unknown {
  const keys = Object.keys(data).sort();
  const texts = Object.fromEntries(keys.map((key) => [key, Buffer.from(data[key]!, 'base64').toString()]));
  return asJson ? { Data: texts } : texts;
}

function shownTime(time: string | undefined): string | undefined {
  return time?.replace(/\.\d+Z$/, 'Z');
}
