/** Restores of backups in simulated worlds: the operator who accepts them, and what must hold meanwhile. */
import { isHeld } from '../../core/model/restored.ts';
import { hookName, type LocalState } from '../../core/unit/local-state.ts';
import type { Entities } from '../../core/kinds.ts';
import { storageTag } from '../../core/storage/orphans.ts';
import type { HookEvent } from '../../forecast/world/behaviour.ts';
import { tagKeys } from '../../providers/contract/provider.ts';
import type { VolumeEvent } from './found-volumes.ts';
import type { SimMachine, SimOperator, World } from './world.ts';

export type RestoreBlow =
  /** A backup is made, in the place of the last one. */
  | { readonly blow: 'backup' }
  /**
   * The controller is killed, and comes back with the backup; without one, with what it had at that moment. An operator
   * looks at what is newer after `lookMs`, and accepts.
   */
  | { readonly blow: 'restore'; readonly hooks: 'keep' | 'rerun'; readonly lookMs: number };

export function restoreText(blow: RestoreBlow): string {
  if (blow.blow === 'backup') return 'a backup is made';
  return `the controller is restored; accepted with --hooks ${blow.hooks} after ${blow.lookMs / 1000} s`;
}

const lookAgainMs = 5_000;
/** Time for which the operator waits for the cloud's list, and for agents to come back. */
const patienceMs = 120_000;

/** Carries out restores, and reports what happens to what is newer than a backup before an operator has accepted it. */
export class Restores {
  readonly #world: World;
  readonly #act: (script: (operator: SimOperator) => Promise<void>) => void;
  /** Nonce of the attempt of each instance. */
  readonly #nonces = new Map<string, { readonly machine: string; readonly nonce: string }>();
  /** Hook that each unit's agent has said to begin, by model and unit. */
  readonly #begun = new Map<string, string>();
  /** Those that may still begin after the last restore. */
  #mayBegin = new Map<string, string>();
  /** Units with files on each machine at the last restore. */
  #units = new Map<SimMachine, readonly string[]>();

  constructor(world: World, act: (script: (operator: SimOperator) => Promise<void>) => void) {
    this.#world = world;
    this.#act = act;
    world.onCommit(({ changes }) => {
      this.#unitsStay();
      for (const { space, kind, id, after } of changes)
        if (kind === 'unit-state') this.#saved(`${space} ${id}`, after as Entities['unit-state'] | undefined);
    });
    world.onHook((event) => this.#hook(event));
    world.onInstance(({ id, tags }) => {
      this.#nonces.set(id, { machine: tags[tagKeys.machine] ?? '', nonce: tags[tagKeys.nonce] ?? '' });
    });
    world.onInstanceEnd((id, model) => this.#instanceEnds(id, model));
    world.onVolume((event) => this.#volumeEnds(event));
  }

  strike(blow: RestoreBlow): void {
    const { controller } = this.#world;
    if (blow.blow === 'backup') return controller.backup();
    controller.restore();
    this.#mayBegin = new Map(this.#begun);
    this.#units = new Map(this.#world.machines.map((machine) => [machine, machine.units()]));
    this.#act((operator) => acceptRestore(this.#world, operator, blow));
  }

  #saved(key: string, state: Entities['unit-state'] | undefined): void {
    const op = (state?.agent as Partial<LocalState> | null | undefined)?.op;
    if (op?.kind === 'hook' && op.step === 'pending') this.#begun.set(key, hookName(op.hook));
    else this.#begun.delete(key);
  }

  #isHeld(model: string): boolean {
    return isHeld(this.#world.controller.read().get('model', model));
  }

  /** Checks that no hook begins while its model waits, apart from those that were about to. */
  #hook({ phase, instance, unit, name, task }: HookEvent): void {
    const machine = this.#world.machines.find((one) => one.instance === instance);
    if (phase !== 'begin' || task !== undefined || !machine || !this.#isHeld(machine.model)) return;
    if (!isHookName(name)) return;
    const key = `${machine.model} ${unit}`;
    const mayBegin = this.#mayBegin.get(key) === name;
    this.#mayBegin.delete(key);
    if (!mayBegin) this.#world.fail(`unit ${unit} begins ${name} before its restore was accepted`);
  }

  /** Checks that machines keep the files of units that the backup does not know. */
  #unitsStay(): void {
    for (const [machine, before] of this.#units) {
      const { id, model, state } = machine;
      const isWaiting = state !== 'released' && this.#isHeld(model);
      const view = this.#world.controller.read().in(model);
      const gone = before.find((unit) => !machine.units().includes(unit) && !view.get('unit', unit));
      if (isWaiting && gone !== undefined)
        this.#world.fail(`unit ${gone} was removed from machine ${id} before its restore was accepted`);
    }
  }

  #instanceEnds(id: string, model: string): void {
    if (!this.#isHeld(model)) return;
    const { machine = '', nonce } = this.#nonces.get(id) ?? {};
    const record = this.#world.controller.read().in(model).get('machine', machine);
    const nonces = [record?.nonce, ...(record?.givenUp ?? [])];
    if (record?.instance?.id !== id && (nonce === undefined || !nonces.includes(nonce)))
      this.#world.fail(`instance ${id} of machine ${machine} was stopped before the restore was accepted`);
  }

  #volumeEnds({ volume: { id, modelUuid, tags }, how }: VolumeEvent): void {
    if (how === 'detached' || !this.#isHeld(modelUuid)) return;
    if (
      !this.#world.controller
        .read()
        .in(modelUuid)
        .get('storage', tags[storageTag] ?? '')
    )
      this.#world.fail(`volume ${id} was ${how} before the restore was accepted`);
  }
}

/** Hooks of the charms here; a script of `exec` has another name. */
function isHookName(name: string): boolean {
  return /^(install|start|stop|remove|config-changed|update-status|upgrade-charm|leader-.*)$|-(relation|storage)-|^secret-/.test(
    name,
  );
}

/** Acts as the operator of a restored controller: looks at what is newer in each model, and accepts. */
export async function acceptRestore(
  world: World,
  operator: SimOperator,
  { hooks, lookMs }: Extract<RestoreBlow, { blow: 'restore' }>,
): Promise<void> {
  await operator.sleep(lookMs);
  const began = world.now();
  while (world.controller.restoring || heldModels(world).length > 0) {
    for (const { uuid, restored } of heldModels(world)) {
      const call = <R>(method: string, params: object): Promise<R | undefined> =>
        operator.call<R>(uuid, 'Provisioning', method, params).catch(() => undefined);
      const plan = await call<Plan>('RestorePlan', { hooks });
      const isPatient = world.now() - began < patienceMs;
      if (!plan || (isPatient && plan.differences.some(isUnknown))) continue;
      await call('AcceptRestore', { restore: restored?.id, hooks: restored?.accepting ?? hooks });
    }
    await operator.sleep(lookAgainMs);
  }
}

interface Plan {
  readonly differences: readonly { readonly kind: string; readonly name: string; readonly text: string }[];
}

/** Whether the difference is that something is not known yet. */
function isUnknown({ kind, name, text }: Plan['differences'][number]): boolean {
  return (kind === 'instance' && name === '…') || text.includes('has not come back');
}

function heldModels({ controller }: World): Entities['model'][] {
  return [...controller.read().list('model')].filter((model) => isHeld(model));
}
