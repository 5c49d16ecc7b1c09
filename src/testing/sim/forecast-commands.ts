/** What users of a forecast's world do before the forecast: the deployment of a small model, and changes of it. */
import type { Entities } from '../../core/kinds.ts';
import { unitApplication } from '../../core/names.ts';
import type { Random } from '../../forecast/world/random.ts';
import type { HookHelp, SimulatedRun } from '../../forecast/world/behaviour.ts';
import type { Reader } from '../../store/store.ts';
import { zoneNames } from './cloud.ts';
import type { Command, StoragePool, Where } from './script.ts';
import { keepSecret, readSecret } from './secrets.ts';
import type { SimCharm } from './world.ts';

const metadata: Readonly<Record<string, SimCharm['metadata']>> = {
  web: {
    requires: { db: { interface: 'sql' } },
    peers: { ring: { interface: 'ring' } },
    storage: { scratch: { type: 'filesystem' } },
  },
  db: {
    provides: { server: { interface: 'sql' } },
    storage: {
      data: { type: 'filesystem', multiple: { range: '0-3' } },
      disk: { type: 'block', multiple: { range: '0-2' } },
    },
  },
  cache: {},
  logger: { subordinate: true, requires: { host: { interface: 'juju-info', scope: 'container' } } },
};
export const applications = Object.keys(metadata);
const space = 'dmz';

/** Creates a charm. `fails`: whether a hook of a unit fails now. */
export function forecastCharm(
  name: string,
  { peer, fails }: { readonly peer: boolean; readonly fails: (unit: string, hook: string) => boolean },
): SimCharm {
  const own = metadata[name] ?? {};
  const peers = { ...(own['peers'] as object | undefined), ...(peer && { extra: { interface: 'extra' } }) };
  return {
    name,
    metadata: { ...own, peers },
    run: async (run) => {
      if (fails(run.unit, run.name)) return { kind: 'failed', code: 1, message: 'exit status 1' };
      if (run.name === 'start') await run.context.setStatus('workload', 'active', '');
      await shareSecret(name, run);
      return undefined;
    },
  };
}

/** Acts on the password of db, which its leader grants to related applications. */
async function shareSecret(charm: string, { name, context }: SimulatedRun & HookHelp): Promise<void> {
  // What this hook does is no part of a forecast.
  if (name === 'update-status') return;
  await readSecret(name, context);
  if (charm !== 'db' || !(await context.isLeader())) return;
  await keepSecret(name, context, (relation) => {
    const bags = context.changes.relationSettings;
    let bag = bags.get(relation);
    if (!bag) bags.set(relation, (bag = { unit: new Map(), app: new Map() }));
    return bag.app;
  });
}

/** Draws the commands that make the model. */
export function* deployment(random: Random): Iterable<Command> {
  const deployed = ['web', 'db', 'cache'].filter(() => random.chance(0.7));
  const has = (...names: string[]): boolean => names.every((name) => deployed.includes(name));
  if (random.chance(0.3)) {
    yield { do: 'reload-spaces' };
    yield { do: 'add-space', space, subnet: 0 };
  }
  for (const application of deployed) {
    const follows = application === 'web' && has('db');
    yield {
      do: 'deploy',
      application,
      units: random.int(1, 4),
      ...place(random),
      ...(random.chance(0.15) && { wishes: { zones: [random.int(0, 2), 2] } }),
      ...(application === 'db' && random.chance(0.5) && { storage: pool(random) }),
      ...(follows && random.chance(0.3) && { after: { db: 'active' } }),
      ...(follows && random.chance(0.2) && { require: ['db'] }),
    };
  }
  if (has('web', 'db') && random.chance(0.7)) yield { do: 'integrate', ends: ['web:db', 'db:server'] };
  if (!has('web') || !random.chance(0.4)) return;
  yield { do: 'deploy', application: 'logger', units: 0 };
  yield { do: 'integrate', ends: ['logger:host', 'web:juju-info'] };
}

/** Draws a change of the model. */
export function change(view: Reader<Entities>, random: Random): Command | undefined {
  const all = [...view.list('application')].filter(({ subordinate }) => !subordinate);
  const application = one(all, random)?.name;
  if (application === undefined) return undefined;
  const pick = random.int(0, 6);
  const refresh = { do: 'refresh', application, forceUnits: false, peer: random.chance(0.3) } as const;
  const draws: (() => Command)[] = [
    () => ({ do: 'add-unit', application, units: random.int(1, 3), ...place(random) }),
    () => ({ do: 'remove-unit', application, pick, fresh: false, destroyStorage: random.chance(0.5) }),
    () => ({ do: 'add-machine', where: { container: true, onMachine: pick } }),
    () => ({ do: 'add-storage', application: 'db', pick, pool: pool(random) }),
    () => ({ do: 'attach-storage', application: 'db', pick, storage: pick }),
    () => ({ do: 'detach-storage', pick, forced: false }),
    () => ({ do: 'remove-storage', pick, forced: random.chance(0.5), release: random.chance(0.3) }),
    () => ({ ...refresh, rolling: { maxUnavailable: '1', canary: random.chance(0.3) } }),
    () => ({ ...refresh, rolling: { maxUnavailable: '50%', canary: false } }),
    () => refresh,
    () => ({ do: 'rollout', application, act: one(['Resume', 'Abort', 'Rollback'], random)! }),
    () => ({ do: 'bind', application: 'web', endpoint: 'db', space, forced: random.chance(0.5) }),
    () => ({ do: 'remove-relation', ends: ['web:db', 'db:server'] }),
  ];
  return one(draws, random)!();
}

/** Draws the principal unit of one of the model's applications. */
export function drawUnit(view: Reader<Entities>, random: Random): string | undefined {
  const units = [...view.list('unit')].filter(({ principal }) => principal === undefined);
  return one(units, random)?.name;
}

/**
 * Draws events, `90s: machine 3 is lost`, about what the model has. The first may be a minute after the copy: until
 * then a forecast does again what was under way. They are half a minute apart, so that chance does not decide which is
 * first.
 */
export function eventsFor(view: Reader<Entities>, random: Random): string[] {
  const machines = [...view.list('machine')].map(({ id }) => id);
  if (view.count('unit') === 0 || machines.length === 0) return [];
  const draw = (): string => {
    const machine = one(machines, random)!;
    const unit = drawUnit(view, random)!;
    const application = unitApplication(unit);
    return one(
      [
        `machine ${machine} is lost`,
        `machine ${machine} stops`,
        `machine ${machine} reboots`,
        `machine ${machine} is cut off for 10m`,
        `agent of machine ${machine} is killed`,
        'controller is killed',
        `zone ${one(zoneNames, random)} fails`,
        `zone ${one(zoneNames, random)} recovers`,
        'cloud says quota',
        'cloud refuses the credential',
        'cloud recovers',
        `unit ${unit} fails stop`,
        `application ${application} fails start`,
        `add-unit ${application} ${random.int(1, 3)}`,
        `remove-unit ${unit}`,
        `remove-unit ${unit} --force`,
        `remove-application ${application}`,
        `remove-machine ${machine} --force`,
        `reprovision-machine ${machine}`,
        `resolved ${unit}`,
      ],
      random,
    )!;
  };
  let seconds = 30;
  return Array.from({ length: random.int(0, 4) }, () => {
    seconds += random.int(30, 300);
    return `${seconds}s: ${draw()}`;
  });
}

function place(random: Random): { where?: Where } {
  if (!random.chance(0.3)) return {};
  const onMachine = random.int(0, 6);
  return one<() => { where: Where }>(
    [
      () => ({ where: { zone: random.int(0, zoneNames.length) } }),
      () => ({ where: { onMachine } }),
      () => ({ where: { container: true } }),
      () => ({ where: { container: true, onMachine } }),
    ],
    random,
  )!();
}

function pool(random: Random): StoragePool {
  return one(['simulated', 'simulated', 'rootfs', 'loop'], random)!;
}

function one<T>(all: readonly T[], random: Random): T | undefined {
  return all[random.int(0, all.length)];
}
