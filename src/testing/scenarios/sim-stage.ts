/** Stage in the simulated world: the real code of all parts, the command line included, on a virtual clock. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliIo } from '../../cli/io.ts';
import { hasCode } from '../../core/errors.ts';
import { tagKeys } from '../../providers/contract/provider.ts';
import type { FullStatus } from '../../wire/facades/client.ts';
import { testCli, type TestCli } from '../cli.ts';
import type { HookHelp, SimulatedRun } from '../../forecast/world/behaviour.ts';
import { worldBegan, type SimCharm, type World } from '../sim/world.ts';
import { pathOf } from '../../forecast/world/hosts.ts';
import { fingerprintOf } from '../sim/charms.ts';
import { resourceMetadata, storageMetadata, writeCharm } from '../../operate/files/scenario-charm.ts';
import { Outside } from './outside.ts';
import type { ReportingStage } from './play-or-report.ts';
import { everyHook, type Outcome, type ScenarioCharm } from '../../operate/scenario/scenario.ts';
import type { Stage } from '../../operate/scenario/stage.ts';
import { defined } from '../../core/defined.ts';

interface SimStage extends ReportingStage, Disposable {}

/** Timeout for conditions in simulated time, and the interval between checks. */
const patienceMs = 3_600_000;
const lookMs = 1_000;
const withStorage = { patterns: [], 'include-storage': true } as const;

export async function simStage(world: World, model: string): Promise<SimStage> {
  const outside = new Outside(world);
  const cli = testCli();
  await know(cli, world);
  const charms = new Map<string, SimCharm>();
  const told = new Map<string, Outcome>();
  /** Contents of resources by their paths on simulated machines. */
  const contents = new Map<string, string>();
  const ran = new Map<string, string[]>();
  world.onHook(({ phase, unit, name, result }) => {
    if (phase !== 'end' || result !== 'done') return;
    const hooks = ran.get(unit);
    if (hooks) hooks.push(name);
    else ran.set(unit, [name]);
  });

  async function grigri(argv: readonly string[]): ReturnType<Stage['grigri']> {
    const operator = await outside.operator();
    const io: Partial<Omit<CliIo, 'env'>> = {
      clock: {
        now: () => worldBegan + world.now(),
        sleep: (ms, signal) => outside.sleep(operator, ms, signal),
      },
      connect: async ({ modelUuid }) => outside.connection(await outside.wait(operator.connect(modelUuid))),
      uploadCharm: ({ modelUuid, name }) => {
        const charm = charms.get(name);
        if (!charm) throw new Error(`the scenario has no charm ${name}`);
        return outside.wait(operator.addCharm(modelUuid, charm));
      },
      uploadResource: async ({ modelUuid, application, name, pendingId, file }) => {
        const content = readFileSync(file, 'utf8');
        contents.set(pathOf(name, fingerprintOf(content)), content.trim());
        const target = { application, name, ...defined({ pendingId }) };
        await outside.wait(operator.attach(modelUuid, { ...target, content }));
      },
    };
    const { code, stdout, stderr } = await outside.drive(
      cli.run(argv, { env: { JUJU_MODEL: `ctrl:${model}` }, ...io }),
    );
    return { code, output: `${stdout}${stderr}` };
  }

  const added = await grigri(['add-model', model]);
  if (added.code !== 0) throw new Error(added.output);
  const uuid = (await cli.store.models('ctrl'))[`admin/${model}`]?.uuid ?? '';
  const eye = await outside.operator();
  const machineOf = (id: string) => {
    const found = world.machines.filter((one) => one.model === uuid && one.id === id).at(-1);
    if (!found) throw new Error(`there is no machine ${id}`);
    return found;
  };

  async function status(): Promise<FullStatus | undefined> {
    try {
      return await outside.drive(
        outside.wait(eye.call<FullStatus>(uuid, 'Client', 'FullStatus', withStorage)),
      );
    } catch (error) {
      if (hasCode(error, 'model not found')) return undefined;
      throw error;
    }
  }

  return {
    model,
    words: { POOL: 'simulated' },
    grigri,
    charm(charm) {
      charms.set(charm.name, simCharm(charm, told, contents));
      writeCharm(cli.folder, charm);
      return Promise.resolve();
    },
    file(name, content) {
      writeFileSync(join(cli.folder, name), `${content}\n`);
      return Promise.resolve();
    },
    async look() {
      const instances = world.cloud
        .instances()
        .filter(({ modelUuid }) => modelUuid === uuid)
        .map(({ tags }) => tags[tagKeys.machine] ?? '');
      return { status: await status(), instances };
    },
    hooks: (unit) => Promise.resolve(ran.get(unit) ?? []),
    async until(check) {
      const end = world.now() + patienceMs;
      while (world.now() < end) {
        // No condition holds while the controller is down.
        if (await check().catch(() => false)) return true;
        await world.runFor(lookMs);
        const [failure] = world.failures;
        if (failure) throw new Error(`${failure.process}: ${failure.what}`, { cause: failure.error });
      }
      return false;
    },
    let(unit, hook, outcome) {
      told.set(`${unit} ${hook}`, outcome);
      return Promise.resolve();
    },
    async killAgent(id, forGood) {
      const machine = machineOf(id);
      if (forGood) return machine.lose('stays');
      machine.crash();
      await world.runUntil(() => machine.up, patienceMs);
    },
    async killController() {
      world.controller.crash();
      await world.runUntil(() => world.controller.up, patienceMs);
    },
    async cloud(event) {
      switch (event.kind) {
        case 'starts':
          world.cloud.failStarts(event.possible ? undefined : 'the cloud does not answer');
          break;
        case 'room':
          world.cloud.setQuota(event.machines);
          break;
        case 'largest':
          await grigri(['model-config', `mem-max=${event.mem}`]);
          break;
        case 'credential':
          world.cloud.refuseCredential(event.accepted ? undefined : 'the credential has expired');
          break;
        case 'zone':
          world.cloud.setZone(event.zone, event.works ? 'available' : 'unavailable');
          break;
        case 'loses':
          machineOf(event.machine).lose('vanishes');
      }
    },
    report: async () => (await grigri(['status', '--relations'])).output,
    [Symbol.dispose]: () => cli[Symbol.dispose](),
  };
}

/** Interval at which waiting hooks look for a new outcome: the longest delay after `let`. */
const peekMs = 200;

function simCharm(
  { name, subordinate, endpoints, storage, resources, hooks }: ScenarioCharm,
  told: ReadonlyMap<string, Outcome>,
  contents: ReadonlyMap<string, string>,
): SimCharm {
  const started = new Set<string>();
  const metadata: Record<string, unknown> = subordinate ? { subordinate: true } : {};
  for (const { role, name: endpoint, interface: kind, container, required } of endpoints)
    metadata[role] = {
      ...(metadata[role] as object | undefined),
      [endpoint]: {
        interface: kind,
        ...defined({ scope: container ? 'container' : undefined, optional: required ? false : undefined }),
      },
    };
  if (storage.length > 0) metadata['storage'] = storageMetadata(storage);
  if (resources.length > 0) metadata['resources'] = resourceMetadata(resources);
  return {
    name,
    metadata,
    async run({ unit, name: hook, context, ...machine }) {
      const behaviour = hooks[hook];
      if (behaviour?.kind === 'takes') await machine.sleep(behaviour.seconds * 1000);
      if (behaviour?.kind === 'led') {
        const said = (): Outcome =>
          told.get(`${unit} ${hook}`) ?? told.get(`${unit} ${everyHook}`) ?? behaviour.first;
        while (said() === 'wait') await machine.sleep(peekMs);
        if (said() === 'fail') return { kind: 'failed', code: 1 };
      }
      const shown = hook === 'start' || hook === 'upgrade-charm' ? resources : [];
      const read = await Promise.all(shown.map((one) => readResource(context, one, contents)));
      await useStorage({ unit, name: hook, context, ...machine }, started, read.flat());
      return undefined;
    },
  };
}

/** Returns what a unit shows of a resource; nothing while the resource has no content. */
async function readResource(
  context: SimulatedRun['context'],
  name: string,
  contents: ReadonlyMap<string, string>,
): Promise<string[]> {
  try {
    return [`${name}: ${contents.get(await context.resource(name, new AbortController().signal))}`];
  } catch {
    return [];
  }
}

/** Keeps in each storage the names of the units that got it, as the dispatch script of such a charm does. */
async function useStorage(
  run: SimulatedRun & HookHelp,
  started: Set<string>,
  shown: readonly string[],
): Promise<void> {
  const { unit, name: hook, context } = run;
  if (hook === 'start') started.add(unit);
  const isAttached = hook.endsWith('-storage-attached');
  const kept = [...shown];
  for (const { id, location } of context.storages()) {
    const contents = location === undefined ? undefined : run.storage(id, location);
    if (!contents) continue;
    if (isAttached && id === context.event.storage) contents.text = `${contents.text} ${unit}`.trim();
    kept.push(`${id}: ${contents.text}`);
  }
  if (!started.has(unit) || (hook !== 'start' && hook !== 'upgrade-charm' && !isAttached)) return;
  await context.setStatus('workload', 'active', kept.join('; '));
}

/** Registers the controller in the client's files, as bootstrap does. */
async function know({ store }: TestCli, { controller }: World): Promise<void> {
  await store.addController(
    'ctrl',
    { uuid: controller.uuid, 'api-endpoints': ['sim'], 'ca-cert': '', cloud: 'sim', type: 'simulated' },
    { user: 'admin', password: 'sim' },
  );
  await store.addModel('ctrl', 'admin/controller', { uuid: controller.modelUuid, type: 'iaas' });
  await store.setCurrentController('ctrl');
}
