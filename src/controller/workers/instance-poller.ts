/**
 * Watches instances after their start (machines.md#polling): asks the provider for those that are due, many in one
 * call, and writes what has changed: status, addresses, zone. An instance that is gone is lost, and replaced where the
 * model says so. A pass costs what is due, not what there is.
 */
import type { Entities } from '../../core/kinds.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import {
  planPoll,
  type LastLook,
  type PolledMachine,
  type PollPlan,
  type Sight,
} from '../../core/machine/plan-poll.ts';
import { irreplaceable, remedyForLoss } from '../../core/machine/reprovision.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { Timetable } from '../../kit/timetable.ts';
import type { Instance } from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { putAddresses } from '../transactions/put-addresses.ts';
import { reprovisionMachine } from '../transactions/reprovision-machine.ts';
import { setStatus, statusOf, type Tx, type View } from '../transactions/tx.ts';
import { DirtyMachines, none } from './dirty-machines.ts';
import { inBatches } from './in-batches.ts';

const by = 'instance-poller';
/** Instances that one call asks for. */
const askedAtOnce = 500;
/** Machines that one change writes. */
const writtenAtOnce = 100;

interface Polled {
  readonly instanceId: string;
  readonly last: LastLook;
}

export function createInstancePoller(needs: {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'clock' | 'dispatch' | 'environ' | 'log' | 'nextTurn' | 'presence'>;
  readonly modelUuid: string;
  readonly wake: () => void;
}): {
  /** Returns milliseconds until the next look is due. */
  pass: (signal: AbortSignal) => Promise<number | undefined>;
  stop: () => void;
} {
  const { store, services, modelUuid, wake } = needs;
  const { clock, presence } = services;
  const log = services.log.module('grigri.instance-poller');
  const polled = new Map<string, Polled>();
  const due = new Timetable();
  const dirty = new DirtyMachines({
    store,
    services,
    modelUuid,
    wake,
    concerns: {
      machine: (machine: MachineDoc, _, other) =>
        isPolled(machine) !== isPolled(other) || machine.instance?.id !== other?.instance?.id
          ? [machine.id]
          : none,
    },
  });
  const ends = [
    presence.watch((model, machine) => {
      const known = model === modelUuid ? polled.get(machine) : undefined;
      // Who comes is worth a look only when it was thought to be lost.
      if (!known || (presence.isPresent(model, machine) && !known.last.missing)) return;
      lookSoon(machine, known);
      wake();
    }),
    services.dispatch.on('', `model ${modelUuid}`, ({ before, after }) => {
      if (!after || policyOf(before) === policyOf(after)) return;
      for (const [machine, { last }] of polled) if (last.missing) due.set(machine, 0, clock.now());
      wake();
    }),
  ];

  function lookSoon(machine: string, { instanceId, last }: Polled): void {
    polled.set(machine, { instanceId, last: { ...last, delayMs: 0 } });
    due.set(machine, 0, clock.now());
  }

  async function pass(signal: AbortSignal): Promise<number | undefined> {
    const view = store.read().in(modelUuid);
    if (!view.in('').get('model', modelUuid)) return undefined;
    await dirty.take((ids) => {
      for (const id of ids) enlist(id, view.get('machine', id));
      return Promise.resolve();
    });
    const ids = due.take(clock.now());
    for (let from = 0; from < ids.length; from += askedAtOnce)
      try {
        await look(ids.slice(from, from + askedAtOnce), signal);
        // A cloud that answers at once leaves others no turn.
        await new Promise<void>((resolve) => services.nextTurn(resolve));
      } catch (error) {
        for (const id of ids.slice(from)) if (polled.has(id)) due.set(id, 0, clock.now());
        throw error;
      }
    return due.untilNext(clock.now());
  }

  function enlist(id: string, machine: MachineDoc | undefined): void {
    const known = polled.get(id);
    if (!machine || !isPolled(machine)) {
      polled.delete(id);
      due.delete(id);
    } else if (known?.instanceId !== machine.instance.id) {
      polled.set(id, { instanceId: machine.instance.id, last: { delayMs: firstLookMs, missing: false } });
      due.set(id, firstLookMs, clock.now());
    }
  }

  async function look(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const asked = ids.flatMap((id) => {
      const known = polled.get(id);
      return known ? [{ id, ...known }] : [];
    });
    if (asked.length === 0) return;
    const environ = services.environ(modelUuid, store.read().in(modelUuid));
    const found = await environ.instances.get(
      asked.map(({ instanceId }) => instanceId),
      signal,
    );
    const looks = asked.map((one, i): Look => ({ ...one, sight: sightOf(found[i]) }));
    const view = store.read().in(modelUuid);
    const replaces = isReplacing(view);
    const news = looks.filter((one) => {
      const plan = planOf(view, one, replaces);
      if (!plan) return false;
      polled.set(one.id, { instanceId: one.instanceId, last: plan.next });
      due.set(one.id, plan.next.delayMs, clock.now());
      return plan.replace || plan.status || plan.addresses || plan.zone !== undefined;
    });
    await inBatches(news, writtenAtOnce, signal, async (some) => {
      const replaced = await store.change((root) => {
        const tx = root.in(modelUuid);
        const isNow = isReplacing(tx);
        return some.filter((one) => write(tx, one, isNow));
      }, by);
      if (replaced.length > 0)
        log.warning('lost machines get other instances, as lost-machines=replace says', {
          machines: replaced.map(({ id }) => id),
        });
    });
  }

  /** Undefined: what was looked at is its instance no longer. */
  function planOf(
    view: View,
    { id, instanceId, sight, last }: Look,
    replaces: boolean,
  ): PollPlan | undefined {
    const machine = view.get('machine', id);
    if (!machine || !isPolled(machine) || machine.instance.id !== instanceId) return undefined;
    const present = presence.isPresent(modelUuid, id);
    return planPoll(polledMachine(view, machine, present), sight, { last, replaces, now: clock.now() });
  }

  /** True: another instance takes its place. */
  function write(tx: Tx, one: Look, replaces: boolean): boolean {
    const plan = planOf(tx, one, replaces);
    const machine = tx.get('machine', one.id);
    if (!plan || !machine?.instance) return false;
    const { status, addresses, zone, replace } = plan;
    if (status) setStatus(tx, 'instance', one.id, status.status, status.message);
    if (replace) reprovisionMachine(tx, { machine: one.id, present: false, force: false });
    else if (addresses || zone !== undefined)
      putAddresses(tx, {
        ...machine,
        ...(addresses ? { addresses } : {}),
        ...(zone === undefined ? {} : { zone, instance: inZone(machine.instance, zone) }),
      });
    return replace;
  }

  return {
    pass,
    stop() {
      for (const end of ends) end();
      dirty.stop();
    },
  };
}

/** An agent takes a while to come, also back to a controller that has just started. */
const firstLookMs = 3_000;

interface Look extends Polled {
  readonly id: string;
  readonly sight: Sight | undefined;
}

type Provisioned = MachineDoc & { readonly instance: NonNullable<MachineDoc['instance']> };

/** Containers are known to their hosts; what no provider started, to nobody; the dead are the provisioner's. */
function isPolled(machine: MachineDoc | undefined): machine is Provisioned {
  return (
    machine?.instance !== undefined &&
    !machine.instance.unmanaged &&
    machine.parent === undefined &&
    machine.life !== 'dead'
  );
}

function polledMachine(view: View, machine: Provisioned, present: boolean): PolledMachine {
  const { id, createdAt, addresses, instance } = machine;
  const zone = instance.hardware.availabilityZone;
  return {
    instanceStatus: statusOf(view, 'instance', id, createdAt),
    started: statusOf(view, 'machine-agent', id, createdAt).status === 'started',
    present,
    addresses,
    ...(zone === undefined ? {} : { zone }),
    remedy: remedyForLoss(machine, view),
    replaceable: irreplaceable(machine, view) === undefined,
  };
}

function sightOf(instance: Instance | undefined): Sight | undefined {
  if (!instance) return undefined;
  const { status, message, addresses, zone } = instance;
  return { status, message, addresses, ...(zone === undefined ? {} : { zone }) };
}

function inZone(instance: Provisioned['instance'], availabilityZone: string): Provisioned['instance'] {
  return { ...instance, hardware: { ...instance.hardware, availabilityZone } };
}

function isReplacing(view: View): boolean {
  return policyOf(view.in('').get('model', view.space)) === 'replace';
}

function policyOf(model: ModelDoc | undefined): unknown {
  return mergedModelConfig(model?.config ?? {})['lost-machines'];
}
