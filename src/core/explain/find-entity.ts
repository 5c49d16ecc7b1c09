import { editDistance } from '../edit-distance.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { EntityRef, LivingKind } from '../entity-ref.ts';
import { JujuError } from '../errors.ts';
import { livingKinds } from '../living.ts';
import type { ModelDoc } from '../model/document.ts';
import type { Refs } from '../impediments.ts';
import { isMachineId, isUnitName, unitApplication } from '../names.ts';

interface EntityView extends Refs {
  readonly model: ModelDoc | undefined;
  /** Whether the view also has entities that are gone, as far back as the history goes. */
  readonly withPast?: true;
}
const kinds: readonly string[] = livingKinds;

/** Maximum number of words in a name, as in `relation wordpress:db mysql:server`; each word costs a lookup. */
const wordsMax = 3;
/** Maximum number of names compared for a suggestion. */
const nearMax = 2000;

/**
 * Finds the entity that a user names: `mysql/0`, `mysql`, `3`, `1/lxd/0`, a relation's two ends (with or without
 * endpoints), the model's name, or no name for the model. A bare number is always a machine; `relation 3` and the like
 * give the kind. Several words are treated as one quoted name. Errors: `not found`, with a suggestion; '' when two ends
 * fit several relations, and for too many words.
 */
export function findEntity(names: readonly string[], view: EntityView): EntityRef {
  const words = names.slice(0, wordsMax + 1).flatMap((name) => name.trim().split(/ +/, wordsMax + 1));
  if (words.length > wordsMax) throw new JujuError('', 'expected at most three words that name one entity');
  const [first, ...rest] = words;
  if (first === undefined) return modelRef(view);
  if (rest.length > 0 && kinds.includes(first) && !view.get('application', first))
    return ofKind(first as LivingKind, rest, view);
  if (first === 'secret' && rest.length === 1 && !view.get('application', first))
    throw missing(`secret "${rest[0]}"`);
  if (first === 'model' && rest.length === 0 && !view.get('application', first)) return modelRef(view);
  if (rest.length > 0 && words.every((word) => isMachineId(word)))
    throw new JujuError('', `expected one machine, got ${words.length}`);
  if (rest.length > 0) return relationBetween(words, view);
  if (isUnitName(first)) return unitRef(first, view);
  if (isMachineId(first)) return machineRef(first, view);
  if (first.includes(':')) return relationBetween([first], view);
  if (view.get('application', first)) return { kind: 'application', id: first };
  const { model } = view;
  if (model && [model.name, `${model.owner}/${model.name}`, model.uuid].includes(first))
    return modelRef(view);
  // An application's sequence document outlives the application.
  if (view.get('sequence', `unit ${first}`))
    throw missing(`application "${first}"`, '', removedHint(first, view));
  throw missing(`"${first}"`, nearest(first, [...applications(view), ...(model ? [model.name] : [])]));
}

function ofKind(kind: LivingKind, words: readonly string[], view: EntityView): EntityRef {
  const [word] = words;
  if (kind === 'relation')
    return words.length === 1 && /^\d+$/.test(word!)
      ? relationRef(word!, view)
      : relationBetween(words, view);
  if (words.length !== 1 || word === undefined)
    throw new JujuError('', `expected one ${kind}, got ${words.length}`);
  switch (kind) {
    case 'unit':
      return unitRef(word, view);
    case 'machine':
      return machineRef(word, view);
    case 'application':
      if (view.get('application', word)) return { kind, id: word };
      throw missing(`application "${word}"`, nearest(word, applications(view)));
    case 'model': {
      const { model } = view;
      if (model && [model.name, `${model.owner}/${model.name}`, model.uuid].includes(word))
        return modelRef(view);
      throw missing(
        `model "${word}"`,
        '',
        `the current model is "${model?.name ?? ''}"; choose another with -m`,
      );
    }
  }
}

function modelRef({ model }: EntityView): EntityRef {
  if (!model) throw new JujuError('model not found', 'model not found');
  return { kind: 'model', id: model.uuid };
}

function unitRef(name: string, view: EntityView): EntityRef {
  if (view.get('unit', name)) return { kind: 'unit', id: name };
  const application = isUnitName(name) ? unitApplication(name) : name;
  if (!view.get('application', application)) {
    const near = nearest(application, applications(view));
    const corrected = near === '' ? '' : name.replace(application, near);
    throw missing(`unit "${name}"`, view.get('unit', corrected) ? corrected : near);
  }
  const units: string[] = [];
  for (const unit of view.find('unit', 'application', application)) {
    if (units.length >= 5) break;
    units.push(unit.name);
  }
  if (hasExisted(name, `unit ${application}`, view))
    throw missing(`unit "${name}"`, '', removedHint(name, view));
  const count = view.count('unit', 'application', application);
  throw missing(`unit "${name}"`, '', `${application} has ${countedNames('unit', units, count)}`);
}

/** The name of the sequence that the number of a machine or container is from. */
export function sequenceOfMachine(id: string): string {
  const place = id.slice(0, Math.max(0, id.lastIndexOf('/')));
  return place === '' ? 'machine' : `container ${place}`;
}

function machineRef(id: string, view: EntityView): EntityRef {
  if (view.get('machine', id)) return { kind: 'machine', id };
  if (hasExisted(id, sequenceOfMachine(id), view)) throw missing(`machine ${id}`, '', removedHint(id, view));
  const machines: string[] = [];
  for (const machine of view.list('machine')) {
    if (machines.length >= 5) break;
    machines.push(machine.id);
  }
  const model = `model ${view.model?.name ?? ''}`;
  throw missing(
    `machine ${id}`,
    '',
    `${model} has ${countedNames('machine', machines, view.count('machine'))}`,
  );
}

/** Phrase for a set of entities: `no units`, `unit mysql/0`, `machines 0, 1 and 7 more`. */
function countedNames(kind: LivingKind, names: readonly string[], count: number): string {
  if (count === 0) return `no ${kind}s`;
  const more = count - names.length;
  return `${kind}${count === 1 ? '' : 's'} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function relationRef(id: string, view: EntityView): EntityRef {
  if (!view.get('relation', id))
    throw missing(
      `relation ${id}`,
      '',
      hasExisted(id, 'relation', view) ? removedHint(`relation ${id}`, view) : '',
    );
  return { kind: 'relation', id };
}

/** Whether a unit or machine of that number existed: numbers are never reused, so one below the sequence is gone. */
function hasExisted(name: string, sequence: string, view: EntityView): boolean {
  return numberOf(name) < (view.get('sequence', sequence)?.next ?? 0);
}

function removedHint(name: string, { withPast }: EntityView): string {
  return withPast
    ? 'it was removed, and the history does not go back to it'
    : `it was removed: see "history ${name}"`;
}

/** The number at the end of a name; NaN when there is none. */
export function numberOf(name: string): number {
  return Number(/(?<!\d)\d+$/.exec(name)?.[0]);
}

/** Finds a relation by one or two ends, each with or without its endpoint. */
function relationBetween(texts: readonly string[], view: EntityView): EntityRef {
  const ends = texts.map((text) => {
    const [application = '', endpoint] = text.split(':');
    return { text, application, endpoint };
  });
  for (const { application } of ends)
    if (!view.get('application', application) && !view.get('remote-application', application))
      throw missing(`application "${application}"`, nearest(application, applications(view)));
  const [firstEnd] = ends;
  const relations = firstEnd ? [...view.find('relation', 'application', firstEnd.application)] : [];
  const fits = relations.filter(
    (relation) =>
      ends.length <= 2 &&
      (ends.length === 1 || relation.endpoints.length === 2) &&
      ends.every(({ application, endpoint }) =>
        relation.endpoints.some(
          (end) => end.application === application && (endpoint === undefined || end.name === endpoint),
        ),
      ),
  );
  const [found, ...others] = fits;
  if (!found)
    throw missing(`relation "${texts.join(' ')}"`, '', relationsText(firstEnd?.application ?? '', relations));
  if (others.length > 0)
    throw new JujuError(
      '',
      `"${texts.join(' ')}" may be ${fits.map(({ id, key }) => `relation ${id} (${key})`).join(' or ')}`,
    );
  return { kind: 'relation', id: String(found.id) };
}

function relationsText(application: string, relations: readonly RelationDoc[]): string {
  if (relations.length === 0) return `${application} has no relations`;
  const shown = relations.slice(0, 5).map(({ id, key }) => `${id} (${key})`);
  const more = relations.length > 5 ? ` and ${relations.length - 5} more` : '';
  return `${application} has ${shown.join(', ')}${more}`;
}

function* applications(view: EntityView): Iterable<string> {
  let left = nearMax;
  for (const { name } of view.list('application')) if (left-- > 0) yield name;
}

/** The most similar name; '' when none is similar enough. */
function nearest(word: string, names: Iterable<string>): string {
  let nearestName = '';
  let leastDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    // The length check comes first because a word may be as long as a whole request.
    if (Math.abs(name.length - word.length) >= leastDistance) continue;
    const distance = editDistance(word, name);
    if (distance < leastDistance) [nearestName, leastDistance] = [name, distance];
  }
  return nearestName;
}

function missing(subject: string, near = '', hint = ''): JujuError {
  const more = near !== '' ? `; did you mean "${near}"?` : hint !== '' ? `; ${hint}` : '';
  return new JujuError('not found', `${subject} not found${more}`);
}
