import { performance } from 'node:perf_hooks';
import { AccessJudge } from './access.ts';
import { Acknowledged } from './acknowledged.ts';
import { AcrossJudge } from './across.ts';
import { charmOf, simCharm } from './charms.ts';
import { zoneNames } from './cloud.ts';
import { createWorld } from './create-world.ts';
import { modelPlaces } from './generate-script.ts';
import type { Desk } from './give-command.ts';
import { FileJudge } from './file-judge.ts';
import { Harvest } from './harvest.ts';
import { heal } from './heal.ts';
import { Judge } from './judge.ts';
import { leftByMigrations, openMigrations } from './migrations.ts';
import { Operators, type CommandCounts } from './operators.ts';
import { Restores } from './restores.ts';
import type { Blow, Script } from './script.ts';
import { moveQuietly } from './quiet-moves.ts';
import { Starts } from './starts.ts';
import { strayContents } from './secrets.ts';
import { StorageJudge, volumesIn } from './storage.ts';
import { instancesOf, unsettled } from './unsettled.ts';
import type { FaultKind } from '../../forecast/world/faults.ts';
import type { SimMachine, World } from './world.ts';
import { defined } from '../../core/defined.ts';

export interface Outcome {
  readonly seed: number;
  /** First violation; absent = none. */
  readonly violation?: Violation;
  readonly simulatedMs: number;
  readonly realMs: number;
  readonly events: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Failed calls of the cloud: `quota at start group`. */
  readonly calls: Readonly<Record<string, number>>;
  readonly commands: CommandCounts;
  readonly traceHash: string;
  readonly trace: readonly string[];
}
export interface Violation {
  readonly atMs: number;
  /** Phase in which the violation was found: the script, the healing, migrations at rest, or the removal of everything. */
  readonly phase: Phase;
  readonly sentence: string;
}
type Phase = 'acting' | 'healing' | 'moving' | 'destroying';

/** Time after the last fault within which everything must have settled. */
const healMs = 60 * 60_000;

/**
 * Runs a script in a new world, lets it heal, checks that everything settled, and removes everything. Stops at the
 * first violation.
 */
export async function runScript(script: Script, options: { keepTrace?: boolean } = {}): Promise<Outcome> {
  const began = performance.now();
  const world = await createWorld({
    seed: script.seed,
    controllers: script.controllers ?? 1,
    ...options,
  });
  try {
    const violation = await run(world, script);
    return {
      seed: script.seed,
      ...defined({ violation: violation.found }),
      simulatedMs: world.now(),
      realMs: performance.now() - began,
      events: world.events,
      faults: { ...world.faults.counts },
      calls: { ...world.faults.calls },
      commands: violation.commands,
      traceHash: world.traceHash(),
      trace: world.trace,
    };
  } finally {
    await world.stop();
  }
}

async function run(
  world: World,
  script: Script,
): Promise<{ found: Violation | undefined; commands: CommandCounts }> {
  const acknowledged = new Acknowledged(() => world.now());
  world.onCommit((commit) => acknowledged.onCommit(commit));
  world.onRestore((_, madeMs) => acknowledged.restored(madeMs));
  const judge = new Judge(world);
  new AccessJudge(world);
  new AcrossJudge(world);
  const starts = new Starts(world);
  const harvest = new Harvest(world);
  let versions = 0;
  const storage = new StorageJudge(world);
  const files = new FileJudge(world);
  const charmFor: Desk['charmFor'] = (application, { peer, version = versions++ } = { peer: false }) =>
    simCharm(
      charmOf(application),
      { version, peer },
      {
        onLead: (context) => judge.leads(context),
        onUse: (use) => storage.uses(use),
      },
    );
  const operators = new Operators({
    world,
    acknowledged,
    charmFor,
    files,
    onForce: (space, kind, id) => judge.forces(space, kind, id),
    onGiven: (space, what) => storage.gives(space, what),
  });
  const found = await goThrough(world, script, operators, acknowledged, { starts, harvest, files });
  return { found, commands: operators.counts };
}

async function goThrough(
  world: World,
  script: Script,
  operators: Operators,
  acknowledged: Acknowledged,
  {
    starts,
    harvest,
    files,
  }: { readonly starts: Starts; readonly harvest: Harvest; readonly files: FileJudge },
): Promise<Violation | undefined> {
  const failure = (phase: Phase): Violation | undefined => {
    const [first] = world.failures;
    return first && { atMs: first.at, phase, sentence: sentenceOfFailure(first) };
  };
  const never = (phase: Phase, reasons: Iterable<string>): Violation => ({
    atMs: world.now(),
    phase,
    sentence: `It never settles: ${firstSentences(reasons)}`,
  });

  const restores = new Restores(world, (script) => operators.act(script));
  let isCalm = false;
  operators.start(script.steps, script.places ?? modelPlaces, () => {
    const begin = world.now();
    // What comes late would strike in the calm.
    const at = (ms: number, name: string, act: () => void): void =>
      world.at(begin + ms, name, () => (isCalm ? undefined : act()));
    for (const step of script.steps) {
      if ('blow' in step) at(step.atMs, step.blow, () => strike({ world, restores, operators }, step));
      if (!('trouble' in step)) continue;
      const { trouble, atMs, forMs, rate } = step;
      at(atMs, trouble, () => world.faults.set({ [trouble]: rate }));
      at(atMs + forMs, `${trouble} ends`, () => world.faults.set({ [trouble]: 0 }));
    }
  });
  const actMs = script.hours * 3_600_000;
  await world.runFor(actMs);
  await world.runUntil(() => operators.done, 10 * 60_000);
  if (world.failures.length > 0) return failure('acting');
  const [silent] = starts.silent();
  if (silent !== undefined) return { atMs: world.now(), phase: 'acting', sentence: silent };

  isCalm = true;
  world.calm();
  const skipped = (model: string, unit: string): boolean =>
    acknowledged
      .changes(model, 'unit')
      .some(0, ({ id, after }) => id === unit && after?.resolved === 'no-hooks');
  files.heal();
  const healing = heal(world, operators, skipped);
  function* open(): Iterable<string> {
    yield* unsettled(world, skipped, harvest);
    yield* harvest.overdue();
    yield* files.open();
    yield* openMigrations(world);
  }
  const isSettled = (): boolean => isEmpty(open());
  const settled = await world.runUntil(() => isSettled(), healMs);
  if (world.failures.length > 0) return failure('healing');
  if (!settled) return never('healing', open());
  const [uneven] = starts.uneven();
  if (uneven !== undefined) return { atMs: world.now(), phase: 'healing', sentence: uneven };
  const [broken] = acknowledged.broken();
  if (broken !== undefined)
    return { atMs: world.now(), phase: 'healing', sentence: `Acknowledged and lost: ${broken}` };

  if (world.controllers.length > 1) {
    const wrong = await moveQuietly(world, operators, open);
    if (world.failures.length > 0) return failure('moving');
    if (wrong !== undefined) return { atMs: world.now(), phase: 'moving', sentence: wrong };
  }
  healing.destroy();
  const isGone = (): boolean => isEmpty(leftOver(world));
  const gone = await world.runUntil(isGone, healMs);
  if (world.failures.length > 0) return failure('destroying');
  return gone ? undefined : never('destroying', leftOver(world));
}

/** Yields models, instances, volumes and contents that are left, and what may still become one. */
function* leftOver(world: World): Iterable<string> {
  const root = world.controller.read();
  for (const { uuid, name, life } of root.list('model'))
    if (uuid !== world.controller.modelUuid) {
      const view = root.in(uuid);
      const counts = (['application', 'unit', 'machine', 'relation', 'storage'] as const).map(
        (kind) => `${view.count(kind)} ${kind}${kind === 'storage' ? '' : 's'}`,
      );
      yield `model ${name} is ${life} and has ${counts.join(', ')}`;
    }
  for (const { name } of root.list('removed-model')) yield `the cloud is still looked at for model ${name}`;
  const late = world.cloud.lateCalls();
  if (late > 0) yield `${late} calls of the cloud are to come`;
  yield* instancesOf(world);
  yield* volumesIn(world);
  yield* strayContents(root, world);
  yield* leftByMigrations(world);
}

function strike(
  {
    world,
    restores,
    operators,
  }: { readonly world: World; readonly restores: Restores; readonly operators: Operators },
  blow: Blow,
): void {
  const { cloud } = world;
  const later = (ms: number, act: () => void): void => world.at(world.now() + ms, `${blow.blow} ends`, act);
  switch (blow.blow) {
    case 'crash-controller': {
      const struck = world.controllers[blow.which ?? 0];
      if (struck?.up) struck.crashAtStep(struck.steps + blow.step);
      return;
    }
    case 'cut-controllers':
      return world.cut(blow.forMs, blow.which);
    case 'zone-down': {
      const zone = zoneNames[blow.zone] ?? zoneNames[0];
      cloud.setZone(zone, 'unavailable');
      return later(blow.forMs, () => cloud.setZone(zone, 'available'));
    }
    case 'quota':
      // Quotas are at least 1: a quota of 0 would mean no limit.
      cloud.setQuota(Math.max(1, cloud.instances().length + blow.spare));
      return later(blow.forMs, () => cloud.setQuota(0));
    case 'credential':
      cloud.refuseCredential('the token has expired');
      return later(blow.forMs, () => cloud.refuseCredential(undefined));
    case 'stray':
      return appear(world, operators.models[blow.place] ?? '', blow.machine);
    case 'backup':
    case 'restore':
      return restores.strike(blow);
    default:
      return strikeMachine(world, blow);
  }
}

/** Adds a stray in a model that is alive. */
function appear({ controller, cloud }: World, model: string, number: number | 'none'): void {
  const root = controller.read();
  if (root.get('model', model)?.life !== 'alive') return;
  const machines = [...root.in(model).list('machine')];
  const machine = number === 'none' ? undefined : machines[number % machines.length];
  cloud.plant(model, machine?.id ?? '');
}

function strikeMachine(world: World, blow: Extract<Blow, { pick: number }>): void {
  const machine = pick(
    world.machines.filter(({ state }) => state === 'running'),
    blow.pick,
  );
  if (!machine) return;
  switch (blow.blow) {
    case 'crash-agent':
      return machine.crashAtStep(machine.steps + blow.step);
    case 'reboot':
      return machine.reboot();
    case 'lose':
      return machine.lose(blow.instance);
    case 'cut-off':
      return machine.partition(blow.forMs);
    case 'halt':
      return machine.halt();
  }
}

function pick(machines: readonly SimMachine[], number: number): SimMachine | undefined {
  return machines[number % machines.length];
}

function isEmpty(all: Iterable<string>): boolean {
  for (const _ of all) return false;
  return true;
}

function firstSentences(all: Iterable<string>): string {
  const sentences = [...all];
  const more = sentences.length > 4 ? `; and ${sentences.length - 4} more` : '';
  return `${sentences.slice(0, 4).join('; ')}${more}`;
}

function sentenceOfFailure({ process, what, error }: World['failures'][number]): string {
  const cause = error instanceof Error ? `: ${error.stack ?? error.message}` : '';
  return `${process}: ${what}${cause}`;
}
