/**
 * Access and blocks in simulated worlds: a guest whose access to models is granted and taken away, sets of commands
 * that are disabled, and the judge of what either must not change.
 */
import { isDeepStrictEqual } from 'node:util';
import { commandSets, type BlockType } from '../../core/block/blocks.ts';
import { accessId } from '../../core/access/document.ts';
import type { Entities } from '../../core/kinds.ts';
import { offerAccessId } from '../../core/offer-access/document.ts';
import { permissionRevoked } from '../../core/remote-application/trouble.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import type { Change, Commit, Reader } from '../../store/store.ts';
import { modelTag, userTag } from '../../wire/tags.ts';
import { wrongChanges } from '../fuzz/authors.ts';
import { onlyResult, type Result, type Results } from './results.ts';
import type { Command } from './script.ts';
import type { SimOperator, World } from './world.ts';

/** User beside the admin; the operator takes the steps of this user in that name. */
export const guest = 'eve';

export type AccessCommand =
  | { readonly do: 'disable-command' | 'enable-command'; readonly set: BlockType }
  /** Gives the guest access to the model, or takes all of it away. */
  | { readonly do: 'grant'; readonly access: 'read' | 'write' | 'admin' }
  | { readonly do: 'revoke' };

export function accessText(command: AccessCommand): string {
  if (command.do === 'grant') return `grant ${guest} ${command.access}`;
  if (command.do === 'revoke') return `revoke ${guest} read`;
  return `${command.do} ${commandSets[command.set]}`;
}

export function isAccessCommand(command: Command): command is AccessCommand {
  return /^((dis|en)able-command|grant|revoke)$/.test(command.do);
}

/** Adds the guest to every controller. */
export async function addGuest(operator: SimOperator, world: World, password: string): Promise<void> {
  const users = [{ username: guest, 'display-name': '', password }];
  for (const { modelUuid } of world.controllers)
    onlyResult(await operator.callController<Results>(modelUuid, 'UserManager', 'AddUser', { users }));
}

/** Gives a command in the model. Errors: those of the controller. */
export async function giveAccessCommand(
  operator: SimOperator,
  model: string,
  command: AccessCommand,
): Promise<void> {
  if (command.do === 'grant' || command.do === 'revoke') {
    const access = command.do === 'grant' ? command.access : 'read';
    const change = { 'user-tag': userTag(guest), action: command.do, access, 'model-tag': modelTag(model) };
    const params = { changes: [change] };
    return void onlyResult(
      await operator.callController<Results>(model, 'ModelManager', 'ModifyModelAccess', params),
    );
  }
  const method = command.do === 'disable-command' ? 'SwitchBlockOn' : 'SwitchBlockOff';
  const params = { type: command.set, message: '' };
  onlyResult({ results: [await operator.call<Result>(model, 'Block', method, params)] });
}

/** Ends the blocks of a model, as an operator does who has to repair the model. */
export async function enableAll({ controller }: World, operator: SimOperator, model: string): Promise<void> {
  for (const { type } of controller.read().in(model).list('block'))
    await giveAccessCommand(operator, model, { do: 'enable-command', set: type }).catch(() => undefined);
}

/** Judges what users change, by the access and the blocks that there were before the change. */
export class AccessJudge {
  readonly #world: World;
  /** Level of the guest by model. */
  readonly #levels = new Map<string, string>();
  /** Types of blocks by model. */
  readonly #blocks = new Map<string, Set<string>>();

  constructor(world: World) {
    this.#world = world;
    world.onCommit((commit, reader) => this.#commit(commit, reader));
    world.onRestore((reader) => this.#restored(reader));
  }

  #restored(root: Reader<Entities>): void {
    this.#levels.clear();
    this.#blocks.clear();
    for (const { user, model, access } of root.list('access'))
      if (user === guest) this.#levels.set(model, access);
    for (const { uuid } of root.list('model'))
      this.#blocks.set(uuid, new Set([...root.in(uuid).list('block')].map(({ type }) => type)));
  }

  #commit(commit: Commit<Entities>, reader: Reader<Entities>): void {
    const levels = new Map([[guest, (model: string) => this.#levels.get(model) ?? '']]);
    for (const sentence of wrongChanges(commit, reader, levels)) this.#world.fail(sentence);
    if (commit.by.startsWith('user-') && !commit.changes.some(isNeverStopped))
      for (const change of commit.changes) {
        const stopped = this.#stopped(change, commit);
        if (stopped && !isOfOffers(change, commit))
          this.#world.fail(`${commit.by} changed ${change.kind} ${change.id} in spite of ${stopped}`);
      }
    for (const change of commit.changes) {
      this.#note(change);
      for (const sentence of carriedWithoutAccess(change, reader)) this.#world.fail(sentence);
    }
  }

  /** Returns the block that should have stopped a user's change. */
  #stopped(change: Change<Entities>, commit: Commit<Entities>): BlockType | undefined {
    const blocks = this.#blocks.get(change.kind === 'model' ? change.id : change.space);
    const effect = effectOf(change);
    const stopping = blocks && stops[effect === 'remove' && isOfRefresh(change, commit) ? 'change' : effect];
    return stopping?.find((type) => blocks!.has(type));
  }

  #note({ space, kind, id, before, after }: Change<Entities>): void {
    if (kind === 'access') {
      const doc = after ?? before;
      if (doc?.user === guest) this.#levels.set(doc.model, after?.access ?? '');
    }
    if (kind !== 'block') return;
    const blocks = this.#blocks.get(space) ?? new Set();
    if (after) blocks.add(id);
    else blocks.delete(id);
    this.#blocks.set(space, blocks);
  }
}

/** Yields sentences about relations by offers that the guest may not consume any more, and that are not suspended. */
function* carriedWithoutAccess(change: Change<Entities>, reader: Reader<Entities>): Iterable<string> {
  const { kind, after, before } = change;
  if (kind === 'relation') {
    if (after?.remote?.offered?.user === guest) yield* carried(reader.in(change.space), after);
  } else if (kind === 'access' || kind === 'offer-access') {
    const doc = after ?? before;
    if (doc?.user !== guest) return;
    const view = reader.in(doc.model);
    for (const relation of view.find('relation', 'user', guest)) yield* carried(view, relation);
  }
}

function* carried(view: Reader<Entities>, { key, life, remote, suspended }: RelationDoc): Iterable<string> {
  if (life !== 'alive' || suspended) return;
  const offer = view.get('offer', remote?.offered?.offer ?? '');
  if (!offer) return;
  const root = view.in('');
  const level = root.get('offer-access', offerAccessId({ user: guest, offer: offer.uuid }))?.access ?? 'read';
  const isAdmin = root.get('access', accessId({ user: guest, model: view.space }))?.access === 'admin';
  if (level === 'read' && !isAdmin)
    yield `relation ${key} is carried for ${guest}, who may not consume its offer`;
}

type Effect = 'destroy' | 'remove' | 'change' | 'none';
const stops: Readonly<Record<Effect, readonly BlockType[]>> = {
  destroy: ['BlockDestroy', 'BlockRemove', 'BlockChange'],
  remove: ['BlockRemove', 'BlockChange'],
  change: ['BlockChange'],
  none: [],
};

/** Returns the effect of a user's change on its model. */
function effectOf(change: Change<Entities>): Effect {
  switch (change.kind) {
    case 'model': {
      const { before, after } = change;
      if (before?.life !== 'alive') return 'none';
      if (after?.life !== 'alive') return 'destroy';
      return isDeepStrictEqual(before.config, after.config) ? 'none' : 'change';
    }
    case 'application':
    case 'machine':
    case 'relation':
    case 'unit': {
      const { before, after } = change;
      // Entities that are dying already may be removed by anyone's change.
      if (before && before.life !== 'alive') return 'none';
      if (after?.life !== 'alive') return 'remove';
      return isUpload(change) ? 'none' : 'change';
    }
    default:
      return 'none';
  }
}

/**
 * Whether a change is part of a refresh of failed units, or of a revocation, which no block stops; or continues a
 * removal that has begun: a forced removal is carried out at its deadline, in the name of the user who asked for it.
 */
function isNeverStopped(change: Change<Entities>): boolean {
  if (change.kind === 'application' && change.after?.forceCharm) return true;
  if (change.kind === 'relation' && change.after?.suspended?.reason === permissionRevoked) return true;
  const { before } = change;
  return before !== undefined && 'life' in before && before.life !== 'alive';
}

/** Whether a relation ends because its application's new charm has no such endpoint: a refresh removes nothing. */
function isOfRefresh({ kind }: Change<Entities>, { changes }: Commit<Entities>): boolean {
  const isRefreshed = ({ kind: of, before, after }: Change<Entities>): boolean =>
    of === 'application' && before !== undefined && after !== undefined && before.charmUrl !== after.charmUrl;
  return kind === 'relation' && changes.some(isRefreshed);
}

/** Whether a relation ends with its offer, or stops with its user's access: blocks stop no such change. */
function isOfOffers({ space, kind, before }: Change<Entities>, { changes }: Commit<Entities>): boolean {
  const offered = kind === 'relation' ? before?.remote?.offered : undefined;
  return (
    offered !== undefined &&
    changes.some((other) => {
      if (other.kind === 'offer') return other.space === space && other.id === offered.offer && !other.after;
      if (other.kind !== 'access' && other.kind !== 'offer-access') return false;
      return (other.after ?? other.before)?.user === offered.user;
    })
  );
}

/** Whether a resource got a content: in this world uploads pass no server. */
function isUpload(change: Change<Entities>): boolean {
  if (change.kind !== 'application' || !change.before || !change.after) return false;
  const { before, after } = change;
  return before.charmUrl === after.charmUrl && before.charmModifiedVersion !== after.charmModifiedVersion;
}
