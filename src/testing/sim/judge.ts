/** Checks each durable commit and each hook of a world, and reports violations. */
import type { Ending, Life } from '../../core/life.ts';
import type { Entities } from '../../core/kinds.ts';
import type { LeaseDoc } from '../../core/lease/document.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { TaskDoc } from '../../core/task/document.ts';
import type { LivingKind } from '../../core/entity-ref.ts';
import { hostOf } from '../../core/names.ts';
import type { HookContext } from '../../hooks/context.ts';
import { tagKeys } from '../../providers/contract/provider.ts';
import type { Change, Commit, Reader } from '../../store/store.ts';
import { seen, violations, type Seen } from '../invariants.ts';
import { GateRules } from '../gate-rules.ts';
import { wrongRolloutSteps } from '../rollout-rules.ts';
import { areInContainer } from '../references.ts';
import { TaskHistory } from './task-history.ts';
import { versionOption } from './charms.ts';
import { HookHistory } from './hook-order.ts';
import { hasContent, tellsContent } from './secrets.ts';
import type { UnitDoc } from '../../core/unit/document.ts';
import type { HookEvent } from '../../forecast/world/behaviour.ts';
import type { SimMachine, World } from './world.ts';

/** Kinds of documents that are written while secrets are read, added and moved. */
const mayTell: ReadonlySet<string> = new Set([
  'secret',
  'secret-revision',
  'secret-backend',
  'status',
  'task',
  'unit-state',
] satisfies (keyof Entities)[]);

/** Duration that is-leader guarantees. */
const leadsMs = 30_000;
/** Kinds whose changes may violate a rule about lives. */
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
  /** Last seen state by space. */
  readonly #seen = new Map<string, Seen>();
  /** Hooks by space and unit. */
  readonly #hooks = new Map<string, HookHistory>();
  readonly #tasks = new TaskHistory();
  /** Gates by space. */
  readonly #gates = new Map<string, GateRules>();
  /** Leases by space and application. */
  readonly #leases = new Map<string, LeaseDoc>();
  /** Space, kind and id of everything that was removed by force. */
  readonly #forced = new Set<string>();
  /** Model, unit and charm of each upgrade that was begun. */
  readonly #upgrades = new Set<string>();
  readonly #leaders = new Map<string, { readonly unit: string; readonly until: number }>();

  constructor(world: World) {
    this.#world = world;
    world.onCommit((commit, reader) => this.#commit(commit, reader));
    world.onHook((event) => this.#hook(event));
    world.onRestore((root) => this.#restored(root));
  }

  /** Goes on with the documents of a backup; what charms were told stays. */
  #restored(root: Reader<Entities>): void {
    for (const all of [this.#seen, this.#gates, this.#leases, this.#leaders]) all.clear();
    for (const { uuid } of root.list('model')) {
      const view = root.in(uuid);
      this.#seen.set(uuid, seen(view));
      for (const lease of view.list('lease')) this.#leases.set(`${uuid} ${lease.application}`, lease);
      for (const [key, history] of this.#hooks) {
        const [space, unit = ''] = key.split(' ');
        if (space === uuid) history.restored(view.get('unit-state', unit)?.lastHook ?? '');
      }
    }
  }

  /** Records that an operator asks for a forced removal, whose answer may be lost. */
  forces(space: string, kind: LivingKind, id: string): void {
    this.#forced.add(`${space} ${kind} ${id}`);
  }

  /** Records that a hook was told that its unit leads, which it may rely on for a while. */
  leads({ unit, application, model }: HookContext): void {
    const { counts } = this.#world.faults;
    // Leases are promises about time, which a host whose clock jumps cannot keep. Writes of such a leader are refused.
    if (counts['clock-forward'] + counts['clock-back'] > 0) return;
    // The machine of a unit that was removed by force may go on without knowing it: what the unit writes is refused.
    if (!this.#isThere(model.uuid, unit)) return;
    const key = `${model.uuid} ${application}`;
    const now = this.#world.now();
    const other = this.#leaders.get(key);
    if (other && other.unit !== unit && now < other.until && this.#isThere(model.uuid, other.unit))
      this.#report(`${unit} leads ${application} while ${other.unit} may rely on leading it`);
    this.#leaders.set(key, { unit, until: now + leadsMs });
  }

  /** Whether the unit exists: a unit that was removed by force does not lead, nor keep others from leading. */
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
      if (kind === 'secret-revision') this.#content(change);
      if (kind === 'relation') this.#relation(change, commit.by, root.in(space));
      this.#clear(change);
      // Changes of the model's document change which applications are pending.
      if (kind === 'model' && after) spaces.add(change.id);
      if (kind === 'lease') this.#lease(change);
      if (kind === 'task') this.#task(change);
      if (kind === 'unit-state' && after) this.#state(root.in(space), after as Entities['unit-state']);
      if ((after as Ending | undefined)?.force) this.#forced.add(`${space} ${kind} ${change.id}`);
    }
    for (const change of commit.changes)
      if (change.kind === 'unit') {
        this.#goneUnit(change);
        this.#endingUnit(change, commit.by, root.in(change.space));
      }
    for (const change of commit.changes) this.#fence(change, commit.at, root.in(change.space));
    for (const space of new Set(commit.changes.map((change) => change.space))) {
      const gates = this.#gates.get(space) ?? new GateRules();
      this.#gates.set(space, gates);
      for (const sentence of gates.judge(commit.changes, root.in(space))) this.#report(sentence);
    }
    for (const space of spaces) {
      const view = root.in(space);
      for (const sentence of wrongRolloutSteps(commit, view)) this.#report(sentence);
      for (const sentence of violations(view, this.#seen.get(space))) this.#report(sentence);
      this.#seen.set(space, seen(view));
    }
    if (commit.changes.some(({ kind }) => kind === 'machine')) this.#instances();
  }

  /** Notes a relation that units may enter anew; when a relation is gone, its other side has been told, or will be. */
  #relation({ space, id, before, after }: Change<Entities>, by: string, view: Reader<Entities>): void {
    const [was, is] = [before, after] as (Entities['relation'] | undefined)[];
    if (was?.suspended && is && !is.suspended)
      for (const [key, history] of this.#hooks) if (key.startsWith(`${space} `)) history.resumed(Number(id));
    const { consumed, token = '' } = was?.remote ?? {};
    if (is || !consumed || consumed.state === 'told' || by === 'remote-relations') return;
    if (!view.get('relation-end', token))
      this.#report(`relation ${was?.key} is gone, and the offering model is not told`);
  }

  /** Checks that a content is where it is to be before anything refers to it. */
  #content({ id, before, after }: Change<Entities>): void {
    const [was, is] = [before, after] as (Entities['secret-revision'] | undefined)[];
    if (is && is.content !== was?.content && !hasContent(this.#world, is.content))
      this.#report(`revision ${id} of a secret has no content`);
  }

  /** Checks that no document has a content in clear. */
  #clear({ kind, id, after }: Change<Entities>): void {
    if (after && mayTell.has(kind) && tellsContent(JSON.stringify(after)))
      this.#report(`${kind} ${id} has the content of a secret in clear`);
  }

  /** Checks that a retried start keeps its nonce, by which the instance of the previous attempt is found. */
  #nonce({ id, before, after }: Change<Entities>): void {
    const [was, is] = [before, after] as (MachineDoc | undefined)[];
    if (was?.nonce === undefined || is?.nonce === undefined || was.nonce === is.nonce) return;
    // No agent can log in for an abandoned attempt.
    if (is.passwordHash !== undefined) this.#report(`machine ${id} was started again by another nonce`);
  }

  /** Forgets the hooks of units whose machine lost its instance: they start anew, or are removed without hooks. */
  #begunAnew({ changes }: Commit<Entities>): void {
    const anew = new Set<string>();
    for (const { space, kind, id, before, after } of changes) {
      if (kind !== 'machine' || !before) continue;
      const [was, is] = [before, after] as [MachineDoc, MachineDoc | undefined];
      // Machines may themselves be removed with their last unit.
      const givenUp = was.instance && (!is?.instance || is.life === 'dead');
      const isAnother = was.nonce !== undefined && is?.nonce !== undefined && is.nonce !== was.nonce;
      if (was.life === 'alive' && (givenUp || isAnother)) anew.add(`${space} ${id}`);
    }
    if (anew.size === 0) return;
    for (const { space, kind, id, before } of changes)
      if (kind === 'unit' && before && anew.has(`${space} ${(before as Entities['unit']).machine}`))
        this.#hooks.delete(`${space} ${id}`);
  }

  /** Checks that an installed unit that was not forced runs its last hooks before it is removed. */
  #goneUnit({ space, before, after }: Change<Entities>): void {
    if (!before || after) return;
    const { name, application, machine, principal } = before as Entities['unit'];
    const history = this.#hooks.get(`${space} ${name}`);
    if (!history?.isOpen) return;
    const holders = [
      `${space} unit ${name}`,
      `${space} unit ${principal}`,
      `${space} application ${application}`,
      // Forced removals include the containers on the machine.
      ...(machine === undefined ? [] : [machine, hostOf(machine)].map((id) => `${space} machine ${id}`)),
    ];
    const forced = [...holders, ` model ${space}`].some((key) => this.#forced.has(key));
    const ofPrincipal =
      principal !== undefined && this.#forced.has(`${space} application ${principal.split('/')[0]}`);
    if (!forced && !ofPrincipal) this.#report(`unit ${name} is gone and its charm was never told`);
  }

  /**
   * Checks that a unit that no operator named is removed with its application, its principal, its machine, or the
   * last relation that held it.
   */
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
    if (isHeld) this.#report(`${by} ends unit ${name}, and nobody asked for that`);
  }

  #lease({ space, id, after }: Change<Entities>): void {
    if (after) this.#leases.set(`${space} ${id}`, after as LeaseDoc);
    else this.#leases.delete(`${space} ${id}`);
  }

  #state(view: Reader<Entities>, state: Entities['unit-state']): void {
    const tasks = [...view.find('task', 'receiver', state.unit)];
    const { restored } = view.in('').get('model', view.space) ?? {};
    const wrong = this.#history(view.space, state.unit).saved(state, {
      // Actions are committed as hooks are.
      mayBeTask: tasks.some(({ status }) => status === 'running' || status === 'aborting'),
      // An agent that was killed may not know that its last hook was committed.
      mayForget: (restored?.accepting ?? restored?.state) === 'rerun' ? Infinity : 1,
    });
    if (wrong !== undefined) this.#report(wrong);
  }

  /** Checks leaders' writes: charms write their unit's name where only a leader may write. */
  #fence({ space, kind, before, after }: Change<Entities>, at: string, view: Reader<Entities>): void {
    if (!after || (kind !== 'settings' && kind !== 'leader-settings')) return;
    const { values } = after as Entities['settings'] | Entities['leader-settings'];
    const { by } = values;
    const application = 'application' in after ? after.application : (after as Entities['settings']).owner;
    if (by === undefined || (before as Entities['settings'] | undefined)?.values['by'] === by) return;
    // Writes of another model's leader were judged in that model.
    if (view.get('remote-application', application)) return;
    const lease = this.#leases.get(`${space} ${application}`);
    if (lease?.holder === by && lease.expiresAt > at) return;
    this.#report(
      `${by} wrote as the leader of ${application}, which ${lease ? `${lease.holder} leads` : 'nobody leads'}`,
    );
  }

  /** Checks that each machine has at most one running instance, apart from those of abandoned attempts. */
  #instances(): void {
    const found = new Map<string, string>();
    for (const { id, modelUuid, tags } of this.#world.cloud.instances()) {
      const machine = `${modelUuid} ${tags[tagKeys.machine]} ${tags[tagKeys.nonce]}`;
      const other = found.get(machine);
      if (other !== undefined)
        this.#report(`machine ${tags[tagKeys.machine]} has two instances: ${other} and ${id}`);
      found.set(machine, id);
    }
  }

  #task({ before, after }: Change<Entities>): void {
    const wrong = this.#tasks.changes(before as TaskDoc | undefined, after as TaskDoc | undefined);
    if (wrong !== undefined) this.#report(wrong);
  }

  #hook({ phase, instance, unit, name, relation, remoteUnit, task, charmUrl, options }: HookEvent): void {
    if (phase !== 'begin') return;
    const machine = this.#world.machines.find((candidate) => candidate.instance === instance);
    if (!machine || this.#isFormer(machine)) return;
    const view = this.#world.controller.read().in(machine.model);
    if (task !== undefined) {
      const wrong = this.#tasks.begins(machine.model, task, view.get('task', task));
      if (wrong !== undefined) this.#report(wrong);
    }
    const doc = view.get('unit', unit);
    if (doc && !this.#forced.has(`${machine.model} unit ${unit}`)) {
      const charm = view.get('charm', charmUrl);
      if (!charm) this.#report(`unit ${unit} runs ${name} of ${charmUrl}, which is gone`);
      else if (charm.config[versionOption]?.default !== options[versionOption]?.default)
        this.#report(`unit ${unit} runs ${name} of ${charmUrl} with the options of another charm`);
    }
    if (doc && name === 'upgrade-charm') this.#upgrade(machine, doc, charmUrl);
    if (doc?.unplaced) this.#report(`unit ${unit} runs ${name} and is unplaced`);
    const wrong = this.#history(machine.model, unit).begins(name, relation, remoteUnit);
    if (wrong !== undefined) this.#report(wrong);
  }

  /**
   * Checks that a charm is told of its upgrade only when its machine has the charm's LXD profile, or that of a later
   * revision. A hook that runs again may find the profile of the next charm.
   */
  #upgrade({ model, instance }: SimMachine, { name, application }: UnitDoc, charmUrl: string): void {
    const key = `${model} ${name} ${charmUrl}`;
    if (this.#upgrades.has(key)) return;
    this.#upgrades.add(key);
    const view = this.#world.controller.read().in(model);
    const has = this.#world.cloud.instances().find(({ id }) => id === instance)?.profiles;
    if (!has || !view.get('charm', charmUrl)?.lxdProfile) return;
    const revisionOf = (text = ''): number => Number(/\d+$/.exec(text)?.[0]);
    const revisions = has.filter((one) => one.includes(`-${application}-`)).map(revisionOf);
    const now = revisionOf(view.get('application', application)?.charmUrl);
    if (!revisions.some((one) => one >= revisionOf(charmUrl) || one === now))
      this.#report(`unit ${name} runs upgrade-charm of ${charmUrl} on an instance with ${has.join(', ')}`);
  }

  /** Whether the machine has another instance by now, so that this one belongs to no machine. */
  #isFormer({ model, id, instance }: SimMachine): boolean {
    const record = this.#world.controller.read().in(model).get('machine', id);
    const listed = this.#world.cloud.instances().find((candidate) => candidate.id === instance);
    return record !== undefined && listed !== undefined && record.nonce !== listed.nonce;
  }

  #history(space: string, unit: string): HookHistory {
    const key = `${space} ${unit}`;
    let history = this.#hooks.get(key);
    if (!history) this.#hooks.set(key, (history = new HookHistory(unit)));
    return history;
  }

  #report(sentence: string): void {
    this.#world.fail(sentence);
  }
}
