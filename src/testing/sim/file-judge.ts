/** Checks what applies of model files and reverts do, at each commit: by marks and plans of its own. */
import { isDeepStrictEqual } from 'node:util';
import type { ApplicationDoc } from '../../core/application/document.ts';
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Change, Commit, Reader } from '../../store/store.ts';
import { differences, summaryOf, type SimFile } from '../file-rules.ts';
import type { FileCommand } from './file-commands.ts';
import type { World } from './world.ts';

/** What a client is about to carry out. */
export interface FilePlan {
  /** Name of the file; `-revert` for a revert. */
  readonly file: string;
  readonly command: FileCommand;
  /** The revision at which the model was read. */
  readonly revision: number;
}

/** What is known of a model. */
class Model {
  /** The newest plan of each file. */
  readonly plans = new Map<string, FilePlan>();
  /** The apply that has begun last, until it says that it has ended. */
  current: FilePlan | undefined;
  /** The apply that has begun last. */
  last: FilePlan | undefined;
  /** What is wrong if the current apply changes something: its plan was old when it began. */
  stale: string | undefined;
  /** Revisions at which applies began, and at which they ended well. */
  readonly begun: number[] = [];
  readonly ended: number[] = [];
  /** Things and values that files have made or set → the name of the file. */
  readonly owners = new Map<string, string>();
  /** The newest change of what is declared, by any user; and the newest by anybody who applied nothing. */
  userRevision = 0;
  otherRevision = 0;
  /**
   * What the model was, from the revision on, with whose things were whose. summary: undefined while something was
   * ending, which nobody declared.
   */
  readonly past: {
    readonly revision: number;
    readonly summary: string | undefined;
    readonly owners: ReadonlyMap<string, string>;
  }[] = [];
  /** Whether the plan of the last apply was empty afterwards. */
  isFinished = false;
}

type View = Reader<Entities>;
const admin = 'user-admin';

export class FileJudge {
  readonly #world: World;
  readonly #models = new Map<string, Model>();

  constructor(world: World) {
    this.#world = world;
    world.onCommit((commit, reader) => this.#commit(commit, reader));
  }

  /** Records what a client is about to begin. */
  applies(model: string, plan: FilePlan): void {
    this.#of(model).plans.set(plan.file, plan);
  }

  /** Whether nobody has changed the model since the revision, and no more than this number of applies. */
  isQuiet(model: string, revision: number, applies: number): boolean {
    const { otherRevision, begun } = this.#of(model);
    return otherRevision <= revision && begun.filter((one) => one > revision).length <= applies;
  }

  /** Checks a model for which nothing is left to do by the plan, and by no other since. */
  finished(space: string, plan: FilePlan): void {
    const model = this.#of(space);
    if (model.last?.file === plan.file) model.isFinished = true;
    for (const sentence of wrongEnd(model, plan, this.#world.controller.read().in(space)))
      this.#world.fail(sentence);
  }

  /** Returns the revision of a revert. Errors: `not found` when there were not as many applies. */
  revisionOf(model: string, to: Extract<FileCommand, { do: 'revert' }>['to']): number {
    const revision = 'revision' in to ? to.revision : this.#of(model).ended.at(-1 - to.back);
    if (revision === undefined) throw new JujuError('not found', 'nothing was applied as long ago');
    return revision;
  }

  /** Returns the command that continues the last apply of the model, unless that has nothing left to do. */
  unfinished(model: string): FileCommand | undefined {
    const { last, isFinished } = this.#of(model);
    if (!last || isFinished) return undefined;
    const { killMs: _, ...command } = last.command;
    return command;
  }

  /** Forgets, once nothing goes wrong any more, that applies were finished: each has to be found so again. */
  heal(): void {
    for (const model of this.#models.values()) model.isFinished = false;
  }

  /** Yields sentences about models whose last apply is not finished. */
  *open(): Iterable<string> {
    for (const [uuid, { last, isFinished }] of this.#models)
      if (last && !isFinished && this.#world.controller.read().get('model', uuid)?.life === 'alive')
        yield `the ${last.command.do} of ${last.file} does not come to its end`;
  }

  #of(model: string): Model {
    const known = this.#models.get(model) ?? new Model();
    this.#models.set(model, known);
    return known;
  }

  #commit(commit: Commit<Entities>, root: View): void {
    for (const space of new Set(commit.changes.map((change) => change.space))) {
      if (space === '' || root.get('model', space)?.life !== 'alive') continue;
      const changes = commit.changes.filter((change) => change.space === space);
      const view = root.in(space);
      const model = this.#of(space);
      const applier = commit.by === admin ? model.current : undefined;
      for (const change of changes) this.#judge(model, change, { applier, view });
      if (applier && model.stale !== undefined && changes.some(declares)) this.#world.fail(model.stale);
      if (changes.some((change) => isInSummary(change) || thingOf(change) !== undefined))
        model.past.push({
          revision: commit.revision,
          summary: isEnding(view) ? undefined : summaryOf(view),
          owners: new Map(model.owners),
        });
      for (const change of changes)
        if (change.kind === 'model-file') this.#applies(model, change, commit.revision, view);
      if (!commit.by.startsWith('user-')) continue;
      if (changes.some(declares)) model.userRevision = commit.revision;
      if (!applier && changes.some(({ kind }) => kind !== 'model-file' && kind !== 'charm'))
        model.otherRevision = commit.revision;
    }
  }

  #applies(model: Model, { id, after }: Change<Entities>, revision: number, view: View): void {
    const doc = after as Entities['model-file'] | undefined;
    if (!doc) return;
    if (!doc.ended) {
      const plan = model.plans.get(id)!;
      // The controller looks once more for changes that were written meanwhile, and refuses then.
      const isOld = model.userRevision > plan.revision;
      model.stale = isOld
        ? `The ${plan.command.do} of ${id} goes by a plan of revision ${plan.revision}, and the model was changed at ${model.userRevision}`
        : undefined;
      model.current = model.last = plan;
      model.begun.push(revision);
      model.isFinished = false;
      return;
    }
    const { current } = model;
    model.current = undefined;
    if (doc.ended.failure !== '' || !current) return;
    model.ended.push(revision);
    if (model.otherRevision > current.revision) return;
    for (const sentence of wrongEnd(model, current, view)) this.#world.fail(sentence);
  }

  /** Checks a change by its author, and notes whose the thing is. */
  #judge(
    model: Model,
    change: Change<Entities>,
    { applier, view }: { readonly applier: FilePlan | undefined; readonly view: View },
  ): void {
    const { kind, id, before, after } = change;
    const thing = thingOf(change);
    const file = thing === undefined ? undefined : ownerBy(model, thing, applier);
    if (thing !== undefined && !before && after) {
      const { madeBy } = after as { readonly madeBy?: string };
      if (madeBy !== file)
        this.#world.fail(
          `${thing} is made by ${file ?? 'no file'} and is marked as of ${madeBy ?? 'no file'}`,
        );
      this.#own(model, thing, file);
      if (kind === 'application') this.#deployed(model, after as ApplicationDoc, applier);
    }
    if (thing !== undefined && ends(change)) {
      if (applier && !isTakenAlong(change, view)) this.#taken(model, thing, applier);
      for (const one of model.owners.keys())
        if (one === thing || (kind === 'application' && one.startsWith(optionOf(id, ''))))
          model.owners.delete(one);
    }
    if (kind === 'application' && before && after)
      this.#options(model, id, [before as ApplicationDoc, after as ApplicationDoc], applier);
  }

  #own(model: Model, thing: string, file: string | undefined): void {
    if (file === undefined) model.owners.delete(thing);
    else model.owners.set(thing, file);
  }

  /** An application that a file deploys has the file's gates from the beginning. */
  #deployed(model: Model, { name, config, after = {} }: ApplicationDoc, applier: FilePlan | undefined): void {
    for (const option of Object.keys(config)) {
      const value = optionOf(name, option);
      this.#own(model, value, ownerBy(model, value, applier));
    }
    if (applier?.command.do !== 'apply') return;
    for (const other of Object.keys(applier.command.file.applications[name]?.after ?? {}))
      if (!after[other]) this.#world.fail(`${name} is deployed without its gate on ${other}`);
  }

  /** What a file takes away was made by it, is no longer named by it, and is to be pruned. */
  #taken(model: Model, thing: string, { file, command }: FilePlan): void {
    if (command.do !== 'apply') return;
    const owner = model.owners.get(thing);
    if (owner !== file)
      this.#world.fail(`the apply of ${file} takes ${thing} of ${owner ?? 'somebody else'}`);
    else if (!command.prune) this.#world.fail(`the apply of ${file} without --prune takes ${thing}`);
    else if (thingsOf(command.file).has(thing))
      this.#world.fail(`the apply of ${file} takes ${thing}, which the file names`);
  }

  #options(
    model: Model,
    name: string,
    [before, after]: readonly [ApplicationDoc, ApplicationDoc],
    applier: FilePlan | undefined,
  ): void {
    for (const option of new Set([...Object.keys(before.config), ...Object.keys(after.config)])) {
      if (before.config[option] === after.config[option]) continue;
      const value = optionOf(name, option);
      const isReset = after.config[option] === undefined;
      if (applier && isReset) this.#taken(model, value, applier);
      this.#own(model, value, isReset ? undefined : ownerBy(model, value, applier));
    }
  }
}

/** The file whose a thing or value is that the applier makes: a revert makes what was a file's for that file. */
function ownerBy(model: Model, thing: string, applier: FilePlan | undefined): string | undefined {
  if (applier?.command.do !== 'revert') return applier?.file;
  return stateAt(model, applier)?.owners.get(thing);
}

/** What the model was at the revision of a revert. */
function stateAt({ past }: Model, { command }: FilePlan): Model['past'][number] | undefined {
  const to = command.do === 'revert' && 'revision' in command.to ? command.to.revision : 0;
  return past.findLast(({ revision }) => revision <= to);
}

function isInSummary({ kind }: Change<Entities>): boolean {
  return kind === 'application' || kind === 'unit' || kind === 'relation';
}

function isEnding(view: View): boolean {
  return (['application', 'unit', 'relation'] as const).some((kind) =>
    [...view.list(kind)].some(({ life }) => life !== 'alive'),
  );
}

/** Yields sentences about a model in which an apply or a revert has ended well, and nobody else did anything. */
function* wrongEnd(model: Model, plan: FilePlan, view: View): Iterable<string> {
  const { file, command } = plan;
  if (command.do === 'revert') {
    const to = stateAt(model, plan);
    const is = summaryOf(view);
    if (to?.summary !== undefined && is !== to.summary)
      yield `the revert is done, and the model is ${is} and not ${to.summary}`;
    return;
  }
  for (const sentence of differences(command.file, view)) yield `the apply of ${file} is done: ${sentence}`;
  if (!command.prune) return;
  const named = thingsOf(command.file);
  for (const [thing, owner] of model.owners)
    if (owner === file && !named.has(thing)) yield `the apply of ${file} is done, and leaves ${thing}`;
}

/** Whether the change makes, ends, or configures something that a user declares. */
function declares(change: Change<Entities>): boolean {
  const { kind, before, after } = change;
  if (kind === 'unit' || thingOf(change) !== undefined) {
    if (!before || ends(change)) return true;
    return (
      kind === 'application' &&
      after !== undefined &&
      !isDeepStrictEqual((before as ApplicationDoc).config, (after as ApplicationDoc).config)
    );
  }
  return false;
}

/** Names what a file may own: `application db`. */
function thingOf({ kind, before, after }: Change<Entities>): string | undefined {
  const doc = after ?? before;
  switch (kind) {
    case 'application':
      return `application ${(doc as ApplicationDoc).name}`;
    case 'relation': {
      const { endpoints } = doc as Entities['relation'];
      return endpoints.length === 2
        ? relationThing(endpoints.map((end) => `${end.application}:${end.name}`))
        : undefined;
    }
    case 'secret': {
      const { owner, label } = doc as Entities['secret'];
      return owner.kind === 'model' ? `secret ${label}` : undefined;
    }
    case 'storage-pool':
      return `storage-pool ${(doc as Entities['storage-pool']).name}`;
    default:
      return undefined;
  }
}

function relationThing(ends: readonly string[]): string {
  return `relation ${[...ends].sort().join(' ')}`;
}

function optionOf(application: string, option: string): string {
  return `option ${application} ${option}`;
}

/** The things and values that the file names. */
function thingsOf(file: SimFile): ReadonlySet<string> {
  return new Set([
    ...Object.entries(file.applications).flatMap(([name, { options = {} }]) => [
      `application ${name}`,
      ...Object.keys(options).map((option) => optionOf(name, option)),
    ]),
    ...(file.relations ?? []).map(relationThing),
    ...Object.keys(file.secrets ?? {}).map((name) => `secret ${name}`),
    ...Object.keys(file['storage-pools'] ?? {}).map((name) => `storage-pool ${name}`),
  ]);
}

/** Whether the thing begins to end, or goes at once. */
function ends({ before, after }: Change<Entities>): boolean {
  const [was, is] = [before, after] as ({ readonly life?: string } | undefined)[];
  return (
    was !== undefined && (was.life ?? 'alive') === 'alive' && (is ? (is.life ?? 'alive') !== 'alive' : true)
  );
}

/** Whether a relation ends with one of its applications. */
function isTakenAlong({ kind, before }: Change<Entities>, view: View): boolean {
  if (kind !== 'relation') return false;
  return (before as Entities['relation']).endpoints.some(
    ({ application }) => view.get('application', application)?.life !== 'alive',
  );
}
