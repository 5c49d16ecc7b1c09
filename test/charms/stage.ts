/** Model on real machines for the story of a charm, with an operator's commands and views. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { packCharm } from '../interop/pack-charm.ts';
import { staying, type ModelWorld, type World } from '../world.ts';
import { opsLibraries } from './install.ts';

export interface Story {
  /** Name of the stage's model. */
  readonly name: string;
  readonly title: string;
  play(stage: Stage): Promise<void>;
}

interface TaskShown {
  readonly status: string;
  readonly message?: string;
  readonly results?: Readonly<Record<string, unknown>>;
  readonly log?: readonly string[];
}

interface RelationShown {
  readonly endpoint: string;
  readonly 'application-data': Settings;
  readonly 'local-unit': { readonly data: Settings };
  readonly 'related-units'?: Readonly<Record<string, { readonly data: Settings }>>;
}
type Settings = Readonly<Record<string, string>>;

interface Stage extends ModelWorld {
  readonly world: World;
  readonly modelUuid: string;
  /** Returns the pid of the agent of a machine of this model. */
  agentPid(machine: string): number | undefined;
  /**
   * Returns the path of a charm of this folder, as `deploy` takes it: a folder, or an archive for a charm written with
   * ops. `changes`: files by their paths in the charm that are replaced (executable), or removed (null).
   */
  charm(name: string, changes?: Readonly<Record<string, string | null>>): string;
  /** Waits until this many units exist, all idle, with the status. Returns their names. */
  settled(application: string, count: number, workload: string, message?: string): Promise<string[]>;
  leader(application: string): Promise<string>;
  /** Runs an action. Returns its task, also when it has failed. */
  act(unit: string, action: string, ...parameters: string[]): Promise<TaskShown>;
  /** Returns the output of a command on the unit's machine, outside of hooks. */
  inside(unit: string, command: string): Promise<string>;
  /** Returns the output of a command in a hook's environment. */
  exec(unit: string, command: string): Promise<string>;
  /** Returns a unit's view of its relation on an endpoint. Errors: when the unit has no such relation. */
  relation(unit: string, endpoint: string): Promise<RelationShown>;
  /** Refreshes an application, unit by unit, to a charm whose upgrade-charm fails, and rolls it back. */
  rolledBack(application: string, broken: string): Promise<void>;
  /** Writes a file for the operator. Returns its path. */
  file(name: string, content: string): string;
  /** Removes all applications, as an operator would, and the model. Nothing of the model is left on the host. */
  end(): Promise<void>;
}

/** Hook that fails, for charms that are refreshed to. */
export const fails = '#!/bin/sh\nexit 1\n';

/** Makes the model of a story. */
export async function setStage(world: World, story: Pick<Story, 'name'>): Promise<Stage> {
  const modelUuid = await world.addModel(story.name);
  const model = world.inModel(story.name);
  const json = async <T>(...args: string[]): Promise<T> =>
    JSON.parse(await model.grigri(...args, '--format', 'json')) as T;

  const stage: Stage = {
    ...model,
    world,
    modelUuid,
    agentPid: (machine) => world.agentPid(machine, modelUuid),
    charm: (name, changes) => charmOf(world.dir, name, changes),
    async settled(application, count, workload, message) {
      let names: string[] = [];
      const stays = staying();
      await model.until(`${count} of ${application} to be ${workload}: ${message ?? '…'}`, async () => {
        const { units = {} } = (await model.status()).applications[application]!;
        names = Object.keys(units);
        return stays(
          names.length === count &&
            Object.values(units).every(
              (unit) =>
                unit['workload-status'].current === workload &&
                unit['juju-status'].current === 'idle' &&
                (message === undefined || unit['workload-status'].message === message),
            ),
        );
      });
      return names;
    },
    async leader(application) {
      const { units = {} } = (await model.status()).applications[application]!;
      const found = Object.keys(units).find((unit) => units[unit]!.leader);
      if (found === undefined) throw new Error(`${application} has no leader`);
      return found;
    },
    async act(unit, action, ...parameters) {
      const { stdout, stderr } = await model.attempt('run', unit, action, ...parameters, '--format', 'json');
      try {
        return Object.values(JSON.parse(stdout) as Record<string, TaskShown>)[0]!;
      } catch (error) {
        throw new Error(`run ${unit} ${action}: ${stdout}${stderr}`, { cause: error });
      }
    },
    inside: async (unit, command) => (await model.grigri('ssh', unit, command)).trim(),
    exec: async (unit, command) => (await model.grigri('exec', '--unit', unit, '--', command)).trim(),
    async relation(unit, endpoint) {
      const shown = await json<Record<string, { readonly 'relation-info'?: readonly RelationShown[] }>>(
        'show-unit',
        unit,
      );
      const found = shown[unit]?.['relation-info']?.find((each) => each.endpoint === endpoint);
      if (!found) throw new Error(`${unit} has no relation on ${endpoint}`);
      return found;
    },
    async rolledBack(application, broken) {
      const charmNow = async (): Promise<unknown> => (await model.status()).applications[application]!.charm;
      const before = await charmNow();
      await model.grigri('model-config', 'automatically-retry-hooks=false');
      const stopped = await model.attempt('refresh', application, '--path', broken, '--rolling');
      expect(stopped.stderr).toMatch(/refresh stopped: batch 1: .*hook failed: "upgrade-charm"/);
      await model.grigri('refresh', application, '--rollback');
      expect(await charmNow()).toBe(before);
    },
    file(name, content) {
      const path = join(mkdtempSync(join(world.dir, 'file-')), name);
      writeFileSync(path, content);
      return path;
    },
    async end() {
      const applications = Object.keys((await model.status()).applications);
      if (applications.length > 0)
        await model.grigri('remove-application', ...applications, '--no-prompt', '--destroy-storage');
      await model.until('everything to be gone', async () => {
        const now = await model.status();
        return Object.keys(now.applications).length + Object.keys(now.machines).length === 0;
      });
      await model.grigri('destroy-model', story.name, '--no-prompt');
      // Stories run side by side, where expect.poll cannot be used.
      await world.within(() => Promise.resolve(world.traces(modelUuid).length === 0));
      expect(world.traces(modelUuid)).toEqual([]);
    },
  };
  return stage;
}

function charmOf(dir: string, name: string, changes: Readonly<Record<string, string | null>> = {}): string {
  const folder = join(mkdtempSync(join(dir, 'charm-')), name);
  cpSync(join(import.meta.dirname, name), folder, { recursive: true, verbatimSymlinks: true });
  for (const [path, content] of Object.entries(changes)) {
    const file = join(folder, path);
    rmSync(file, { force: true });
    if (content === null) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o755 });
  }
  if (!existsSync(join(folder, 'charmcraft.yaml'))) return folder;
  return packCharm(folder, opsLibraries(opsOf(folder)), `${folder}-packed`);
}

/** Returns the beginning of the version of ops in a charm's requirements: `ops~=2.19.0` is 2.19, `ops~=3.0` is 3. */
function opsOf(folder: string): string {
  const requirements = readFileSync(join(folder, 'requirements.txt'), 'utf8');
  return /^ops~=([\d.]+)\.\d+$/m.exec(requirements)?.[1] ?? '';
}
