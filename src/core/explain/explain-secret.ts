/** Explanation of a secret: who may read it and why, which revisions stay for whom, what its owner has to do. */
import { ownerName } from '../secret/history.ts';
import { readSecretUri } from '../secret/secret-id.ts';
import { ownerKey, type SecretDoc } from '../secret/document.ts';
import { secretRevisionId, type SecretRevisionDoc } from '../secret-revision/document.ts';
import type { SecretGrantDoc } from '../secret-grant/document.ts';
import type { Actor, Explanation, ExplainView, Removal } from './explanation.ts';

/** Maximum number of readers, and of units that read older revisions, that are listed. */
const shownMax = 10;
const leaf = { waitsFor: [], more: 0, above: false };

/**
 * Finds a secret by `secret <ID>`, or by `secret <name>` for a user's secret; undefined when the words name something
 * else: an application has that name, or the word `secret` is absent.
 */
export function secretNamed(names: readonly string[], view: ExplainView): SecretDoc | undefined {
  const [kind, word, ...more] = names.flatMap((name) => name.split(' ', 3));
  if (kind !== 'secret' || word === undefined || more.length > 0 || view.get('application', 'secret'))
    return undefined;
  const uri = readSecretUri(word);
  const byId = uri && view.get('secret', uri.id);
  if (byId) return byId;
  for (const found of view.find('secret', 'label', `${ownerKey({ kind: 'model', id: '' })} ${word}`))
    return found;
  return undefined;
}

export function explainSecret(secret: SecretDoc, view: ExplainView): Explanation {
  const { id, owner, latest, label } = secret;
  const grants = first(view.find('secret-grant', 'secret', id));
  const revisions = [...view.find('secret-revision', 'secret', id)].sort((a, b) => a.revision - b.revision);
  const readers: Explanation[] = [
    ...(owner.kind === 'model'
      ? []
      : [
          entry(
            'secret-grant',
            ownerName(owner),
            owner.kind === 'unit' ? 'owns it' : 'owns it, and its units read it',
          ),
        ]),
    ...grants.map((grant) =>
      entry('secret-grant', `${grant.subject.kind} ${grant.subject.id}`, reasonOf(grant, view)),
    ),
  ];
  const older = revisions.filter(({ revision }) => revision !== revisions.at(-1)?.revision);
  const waitsFor = [
    ...readers,
    ...older.slice(0, shownMax).map((one) => olderRevision(secret, one, view)),
    ...dueOf(secret, revisions.at(-1)),
  ];
  const listed = grants.length + Math.min(older.length, shownMax);
  return {
    kind: 'secret',
    id,
    name: `secret ${id}${label === '' ? '' : ` (${label})`}`,
    text: `of ${ownerName(owner)}, revision ${latest}${readers.length === 0 ? ', which nobody may read' : ''}`,
    removal: removalOf(secret),
    waitsFor,
    more: view.count('secret-grant', 'secret', id) + older.length - listed,
    above: false,
  };
}

function reasonOf({ relation }: SecretGrantDoc, view: ExplainView): string {
  if (relation === '') return 'may read it, until revoke-secret';
  return `may read it, as long as relation ${view.get('relation', relation)?.key ?? relation} lasts`;
}

/** A revision that a newer one has followed: it stays for units that read it, then until its owner removes it. */
function olderRevision(
  secret: SecretDoc,
  { revision, obsolete }: SecretRevisionDoc,
  view: ExplainView,
): Explanation {
  const key = secretRevisionId({ secret: secret.id, revision });
  const name = `revision ${revision}`;
  if (obsolete)
    return {
      ...entry('secret-revision', name, 'no unit reads it'),
      actor: ownerActs(secret, `removes revision ${revision}`, [
        { line: `remove-secret ${secret.id} --revision ${revision}`, effect: 'erases its content' },
      ]),
    };
  const consumers = first(view.find('secret-consumer', 'tracks', key));
  return {
    ...entry('secret-revision', name, 'stays while units read it'),
    waitsFor: consumers.map(({ unit }) => ({
      ...entry('secret-revision', `unit ${unit}`, 'reads it'),
      actor: {
        kind: 'charm',
        name: `unit ${unit}`,
        task: `reads the newest revision of secret ${secret.id} (secret-get --refresh)`,
        commands: [],
      } as const,
    })),
    more: view.count('secret-consumer', 'tracks', key) - consumers.length,
  };
}

function dueOf(secret: SecretDoc, newest: SecretRevisionDoc | undefined): Explanation[] {
  const due = (text: string, since: string): Explanation => ({
    ...entry('secret', `secret ${secret.id}`, text),
    actor: { ...ownerActs(secret, `adds a revision of secret ${secret.id}`, []), since },
  });
  return [
    ...(secret.rotating === undefined ? [] : [due('is to be rotated', secret.rotating)]),
    ...(newest?.expiring === undefined
      ? []
      : [due(`revision ${newest.revision} has expired`, newest.expiring)]),
  ];
}

function ownerActs({ owner }: SecretDoc, task: string, commands: Actor['commands']): Actor {
  return owner.kind === 'model'
    ? { kind: 'operator', name: 'the model', task, commands }
    : { kind: 'charm', name: ownerName(owner), task, commands: [] };
}

function removalOf({ id, owner }: SecretDoc): Removal {
  if (owner.kind !== 'model')
    return { refused: `its charm removes it, or it goes with ${ownerName(owner)}`, commands: [] };
  const effect = 'erases all revisions; who reads it gets "not found"';
  return { refused: '', commands: [{ line: `remove-secret ${id}`, effect }] };
}

function entry(kind: 'secret' | 'secret-grant' | 'secret-revision', name: string, text: string): Explanation {
  return { kind, id: name, name, text, ...leaf };
}

function first<T>(found: Iterable<T>): T[] {
  const list: T[] = [];
  for (const one of found) if (list.push(one) === shownMax) break;
  return list;
}
