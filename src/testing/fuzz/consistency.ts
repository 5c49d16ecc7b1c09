/** Check that all records of a controller fit together, read from the documents alone: references, ids and quotas. */
import { controllerSpace, kinds, type Entities, type Kind } from '../../core/kinds.ts';
import type { KindSpec } from '../../core/kind.ts';
import { specs } from '../../core/specs.ts';
import { usesOf } from '../../core/quotas.ts';
import { isExternal, userId } from '../../core/user/document.ts';
import type { Reader } from '../../store/store.ts';
import { violations } from '../invariants.ts';

type View = Reader<Entities>;

/** Returns a sentence for each record that does not fit. `view`: of any space. */
export function inconsistencies(view: View): string[] {
  const root = view.in(controllerSpace);
  const wrong = [...referencesOf(root)];
  for (const space of view.spaces()) {
    const inSpace = view.in(space);
    if (space !== controllerSpace) {
      if (!root.get('model', space)) wrong.push(`records are left of the removed model ${space}`);
      wrong.push(...violations(inSpace).map((text) => `model ${space}: ${text}`));
      wrong.push(...offersUsedIn(inSpace).map((text) => `model ${space}: ${text}`));
    }
    for (const kind of Object.keys(kinds) as Kind[]) wrong.push(...exceeded(inSpace, kind));
  }
  return wrong;
}

/** Returns the relations that use an offer which does not exist. */
function offersUsedIn(view: View): string[] {
  return [...view.list('relation')].flatMap(({ key, remote }) => {
    const offer = remote?.offered?.offer ?? '';
    return offer === '' || view.get('offer', offer)
      ? []
      : [`relation ${key} uses offer ${offer}, which is gone`];
  });
}

function* referencesOf(root: View): Generator<string> {
  const hasUser = (name: string): boolean => root.get('user', userId(name)) !== undefined;
  const isUser = (name: string): boolean => hasUser(name) && !root.get('user', userId(name))!.removed;
  const mayHaveAccess = (name: string): boolean => isExternal(name) || isUser(name);
  for (const { user, model } of root.list('access')) {
    if (!mayHaveAccess(user)) yield `user ${user} does not exist and has access to model ${model}`;
    if (!root.get('model', model)) yield `user ${user} has access to model ${model}, which does not exist`;
  }
  for (const { user, cloud } of root.list('cloud-access')) {
    if (!mayHaveAccess(user)) yield `user ${user} does not exist and has access to cloud ${cloud}`;
    if (!root.get('cloud', cloud)) yield `user ${user} has access to cloud ${cloud}, which does not exist`;
  }
  for (const { user, offer, model } of root.list('offer-access')) {
    if (!mayHaveAccess(user)) yield `user ${user} does not exist and has access to offer ${offer}`;
    if (root.in(model).count('offer', 'uuid', offer) === 0)
      yield `user ${user} has access to offer ${offer}, which does not exist`;
  }
  for (const { user } of root.list('last-login'))
    if (!isUser(user)) yield `user ${user} does not exist and has logged in`;
  for (const { cloud, owner, name, left } of root.list('credential')) {
    if (!root.get('cloud', cloud)) yield `credential ${name} is for cloud ${cloud}, which does not exist`;
    if (root.get('user', userId(owner))?.name !== owner) yield `credential ${name} is of nobody: ${owner}`;
    if (!left && !isUser(owner)) yield `credential ${name} is of the removed user ${owner}`;
  }
  for (const { name, cloud, credential, owner } of root.list('model')) {
    if (!root.get('cloud', cloud)) yield `model ${name} is on cloud ${cloud}, which does not exist`;
    if (credential !== '' && !root.get('credential', credential))
      yield `model ${name} has credential ${credential}, which does not exist`;
    if (!hasUser(owner)) yield `model ${name} is of ${owner}, who never existed`;
  }
  const controller = root.get('controller', 'self');
  const own = root.get('model', controller?.modelUuid ?? '');
  if (!own) yield 'the controller has no model of its own';
  else if (!isUser(own.owner)) yield `the owner ${own.owner} of the controller does not exist`;
}

/** Yields the limits that documents of a kind exceed, by their size and by their number. */
function* exceeded<P extends Kind>(view: View, kind: P): Generator<string> {
  const counts = new Map<string, number>();
  const { quota = {} } = specs[kind] as KindSpec<Entities[P]>;
  for (const doc of view.list(kind)) {
    for (const { limit, size, max } of usesOf(kind, doc, (of, id) => view.in(controllerSpace).get(of, id)))
      if (size > max) yield `a ${kind} has a ${limit} of ${size}, more than ${max}`;
    for (const { limit, index, value } of quota.counts ?? []) {
      const key = value(doc);
      if (key === undefined) continue;
      const count = (counts.get(`${index} ${key}`) ?? 0) + 1;
      counts.set(`${index} ${key}`, count);
      if (count === limit.max + 1) yield `there are more than ${limit.max} ${limit.of} (${kind} ${key})`;
    }
  }
}
