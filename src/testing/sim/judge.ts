/** Looks at each durable commit and each hook of a world, and says what must not be. */
import type { Ending, Life } from '../../core/life.ts';
import type { Entities } from '../../core/kinds.ts';
import type { LeaseDoc } from '../../core/lease/document.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { LivingKind } from '../../core/entity-ref.ts';
import { hostOf } from '../../core/names.ts';
import type { HookContext } from '../../hooks/context.ts';
import { tagKeys } from '../../providers/provider.ts';
import type { Change, Commit, Reader } from '../../store/store.ts';
import { seen, violations, type Seen } from '../invariants.ts';
import { areInContainer } from '../references.ts';
import { HookHistory } from './hook-order.ts';
import type { HookEvent, SimMachine, World } from './world.ts';

/** What is-leader promises. */
const leadsMs = 30_000;
/** A change of these may break a rule about lives. */
const living: readonly string[] = [
  'application',
  'machine',
  'model',
  'relation',
  'scope',
  'unit',
] satisfies (keyof Entities)[];

export class Judge {
  readonly #world: World;
  /** By space. */
  readonly #seen = new Map<string, Seen>();
  /** By space and unit. */
  readonly #hooks = new Map<string, HookHistory>();
  /** By space and application. */
  readonly #leases = new Map<string, LeaseDoc>();
  /** Space, kind and id of what was ever removed by force. */
  readonly #forced = new Set<string>();
  readonly #leaders = new Map<string, { readonly unit: string; readonly until: number }>();

  constructor(world: World) {
    this.#world = world;
    world.onCommit((commit, reader) => this.#commit(commit, reader));
    world.onHook((event) => this.#hook(event));
  }

  /** Somebody asks for the end of this by force, and may not be answered. */
  forces(space: string, kind: LivingKind, id: string): void {
    this.#forced.add(`${space} ${kind} ${id}`);
  }

  /** A hook was told that its unit leads, and may act on it for a while. */
  leads({ unit, application, model }: HookContext): void {
    const { counts } = this.#world.faults;
    // A lease is a promise about time: whose clock jumps cannot keep it. What such a leader writes is fenced.
    if (counts['clock-forward'] + counts['clock-back'] > 0) return;
    // The machine of a unit that was forced away may run on and not have heard of it: what the unit writes is refused.
    if (!this.#isThere(model.uuid, unit)) return;
    const key = `${model.uuid} ${application}`;
    const now = this.#world.now();
    const other = this.#leaders.get(key);
    if (other && other.unit !== unit && now < other.until && this.#isThere(model.uuid, other.unit))
      this.#wrong(`${unit} leads ${application} while ${other.unit} may rely on leading it`);
    this.#leaders.set(key, { unit, until: now + leadsMs });
  }

  /** Who was forced away leads nobody, and cannot keep anybody from leading. */
  #isThere(model: string, unit: string): boolean {
    const doc = this.#world.controller.read().in(model).get('unit', unit);
    return doc !== undefined && doc.life !== 'dead' && !doc.force;
  }

  #commit(commit: Commit<Entities>, root: Reader<Entities>): void {
    this.#begunAnew(commit);
    const spaces = new Set<string>();
    for (const change of commit.changes) {
      const { space, kind, after } = change;
      if (space !== '' && living.includes(kind)) spaces.add(space);
      if (kind === 'machine') this.#nonce(change);
      // Who waits depends on what the model says.
      if (kind === 'model' && after) spaces.add(change.id);
      if (kind === 'lease') this.#lease(change);
      if (kind === 'unit-state' && after) this.#state(root.in(space), after as Entities['unit-state']);
      if ((after as Ending | undefined)?.force) this.#forced.add(`${space} ${kind} ${change.id}`);
    }
    for (const change of commit.changes)
      if (change.kind === 'unit') {
        this.#goneUnit(change);
        this.#endingUnit(change, commit.by, root.in(change.space));
      }
    for (const change of commit.changes) this.#fence(change, commit.at);
    for (const space of spaces) {
      const view = root.in(space);
      for (const sentence of violations(view, this.#seen.get(space))) this.#wrong(sentence);
      this.#seen.set(space, seen(view));
    }
    if (commit.changes.some(({ kind }) => kind === 'machine')) this.#instances();
  }

  /** A start that is tried again keeps its nonce, by which the instance of the one before is found. */
  #nonce({ id, before, after }: Change<Entities>): void {
    const [was, is] = [before, after] as (MachineDoc | undefined)[];
    if (was?.nonce === undefined || is?.nonce === undefined || was.nonce === is.nonce) return;
    // Nobody can log in with what was given up.
    if (is.passwordHash !== undefined) this.#wrong(`machine ${id} was started again by another nonce`);
  }

  /** With its instance, all that was on a machine has been given up: its units begin anew, or go untold. */
  #begunAnew({ changes }: Commit<Entities>): void {
    const anew = new Set<string>();
    for (const { space, kind, id, before, after } of changes) {
      if (kind !== 'machine' || !before) continue;
      const [was, is] = [before, after] as [MachineDoc, MachineDoc | undefined];
      // It goes itself with the last that was to go from it.
      const givenUp = was.instance && (!is?.instance || is.life === 'dead');
      const isAnother = was.nonce !== undefined && is?.nonce !== undefined && is.nonce !== was.nonce;
      if (was.life === 'alive' && (givenUp || isAnother)) anew.add(`${space} ${id}`);
    }
    if (anew.size === 0) return;
    for (const { space, kind, id, before } of changes)
      if (kind === 'unit' && before && anew.has(`${space} ${(before as Entities['unit']).machine}`))
        this.#hooks.delete(`${space} ${id}`);
  }

  /** Who has been installed and is not forced hears of its end before it goes. */
  #goneUnit({ space, before, after }: Change<Entities>): void {
    if (!before || after) return;
    const { name, application, machine, principal } = before as Entities['unit'];
    const history = this.#hooks.get(`${space} ${name}`);
    if (!history?.isOpen) return;
    const holders = [
      `${space} unit ${name}`,
      `${space} unit ${principal}`,
      `${space} application ${application}`,
      // What is forced away takes along the containers on it.
      ...(machine === undefined ? [] : [machine, hostOf(machine)].map((id) => `${space} machine ${id}`)),
    ];
    const forced = [...holders, ` model ${space}`].some((one) => this.#forced.has(one));
    const ofPrincipal =
      principal !== undefined && this.#forced.has(`${space} application ${principal.split('/')[0]}`);
    if (!forced && !ofPrincipal) this.#wrong(`unit ${name} is gone and its charm was never told`);
  }

  /** Whom no operator names goes with its application, its principal, its machine, or the last relation that held it. */
  #endingUnit({ space, before, after }: Change<Entities>, by: string, view: Reader<Entities>): void {
    const unit = before as Entities['unit'] | undefined;
    if (unit?.life !== 'alive' || (after as Ending & { life?: Life })?.life === 'alive') return;
    if (by.startsWith('user-') || this.#forced.has(` model ${space}`)) return;
    const { name, application, principal, machine } = unit;
    const isThere = (kind: 'application' | 'machine' | 'unit', id: string | undefined): boolean =>
      id === undefined || view.get(kind, id)?.life === 'alive';
    const isHeld =
      isThere('application', application) &&
      isThere('unit', principal) &&
      isThere('machine', machine) &&
      isThere('machine', machine && hostOf(machine)) &&
      (principal === undefined || areInContainer(view, application, principal.split('/')[0]!));
    if (isHeld) this.#wrong(`${by} ends unit ${name}, and nobody asked for that`);
  }

  #lease({ space, id, after }: Change<Entities>): void {
    if (after) this.#leases.set(`${space} ${id}`, after as LeaseDoc);
    else this.#leases.delete(`${space} ${id}`);
  }

  #state(view: Reader<Entities>, state: Entities['unit-state']): void {
    const tasks = [...view.find('task', 'receiver', state.unit)];
    const wrong = this.#history(view.space, state.unit).saved(state, {
      // Actions are committed as hooks are.
      mayBeTask: tasks.some(({ status }) => status === 'running'),
    });
    if (wrong !== undefined) this.#wrong(wrong);
  }

  /** Charms write their unit's name where only a leader may write. */
  #fence({ space, kind, before, after }: Change<Entities>, at: string): void {
    if (!after || (kind !== 'settings' && kind !== 'leader-settings')) return;
    const { values } = after as Entities['settings'] | Entities['leader-settings'];
    const { by } = values;
    const application = 'application' in after ? after.application : (after as Entities['settings']).owner;
    if (by === undefined || (before as Entities['settings'] | undefined)?.values['by'] === by) return;
    const lease = this.#leases.get(`${space} ${application}`);
    if (lease?.holder === by && lease.expiresAt > at) return;
    this.#wrong(
      `${by} wrote as the leader of ${application}, which ${lease ? `${lease.holder} leads` : 'nobody leads'}`,
    );
  }

  /** One for a machine, at most, beside those of attempts that it has given up. */
  #instances(): void {
    const found = new Map<string, string>();
    for (const { id, modelUuid, tags } of this.#world.cloud.instances()) {
      const machine = `${modelUuid} ${tags[tagKeys.machine]} ${tags[tagKeys.nonce]}`;
      const other = found.get(machine);
      if (other !== undefined)
        this.#wrong(`machine ${tags[tagKeys.machine]} has two instances: ${other} and ${id}`);
      found.set(machine, id);
    }
  }

  #hook({ phase, instance, unit, name, relation, remoteUnit }: HookEvent): void {
    if (phase !== 'begin') return;
    const machine = this.#world.machines.find((one) => one.instance === instance);
    if (!machine || this.#isFormer(machine)) return;
    const doc = this.#world.controller.read().in(machine.model).get('unit', unit);
    if (doc?.unplaced) this.#wrong(`unit ${unit} runs ${name} and is unplaced`);
    const wrong = this.#history(machine.model, unit).begins(name, relation, remoteUnit);
    if (wrong !== undefined) this.#wrong(wrong);
  }

  /** The machine has been given another instance: what still runs on this one is nobody's. */
  #isFormer({ model, id, instance }: SimMachine): boolean {
    const record = this.#world.controller.read().in(model).get('machine', id);
    const own = this.#world.cloud.instances().find((one) => one.id === instance);
    return record !== undefined && own !== undefined && record.nonce !== own.nonce;
  }

  #history(space: string, unit: string): HookHistory {
    const key = `${space} ${unit}`;
    let history = this.#hooks.get(key);
    if (!history) this.#hooks.set(key, (history = new HookHistory(unit)));
    return history;
  }

  #wrong(sentence: string): void {
    this.#world.fail(sentence);
  }
}
