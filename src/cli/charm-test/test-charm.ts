/** Tests a charm: a controller of its own, each scenario in a model, reports. */
import { stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { parseBase } from '../../core/base.ts';
import { limits } from '../../core/limits.ts';
import { readGiven, type GivenFiles } from '../../kit/given-file.ts';
import { readCharm } from '../../operate/files/read-charm.ts';
import { parseScenario } from '../../operate/scenario/parse.ts';
import { isForSimulationOnly } from '../../operate/scenario/scenario.ts';
import { localPath } from '../charm/local-path.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { render } from '../format/render.ts';
import { defaultScenario } from './default-scenario.ts';
import { toJunit } from './junit.ts';
import type { ScenarioReport, TestReport } from './report.ts';
import { ScenarioRun, type RunOptions, type ScenarioFile } from './run-scenario.ts';
import { scenarioText, summaryText } from './text-report.ts';
import { Throwaway } from './throwaway.ts';
import { changesOf, charmDigest, digestsOf, refreshUnits, type Watched } from './watch.ts';

interface TestFlags {
  readonly scenario: readonly string[];
  readonly config: readonly string[];
  /** Root file systems for machines: `base`, or `base=archive`. */
  readonly images: readonly string[];
  readonly junit: string;
  readonly format: string;
  readonly keep: boolean;
  readonly watch: boolean;
  readonly timeoutMs: number;
}

/** Tests the charm at the path. Returns the exit code. Errors: UsageError for a scenario that cannot be played. */
export async function testCharm(context: CommandContext, path: string, flags: TestFlags): Promise<number> {
  await checkFlags(context, flags);
  const charmPath = await localPath(context, path);
  const { charm } = await readCharm(charmPath);
  const paths = flags.scenario.map((file) => resolve(context.io.cwd, file));
  const known = await digestsOf(paths);
  const files = await Promise.all(paths.map((path) => readScenario(context.io, path)));
  const scenarios = files.length > 0 ? files : [{ scenario: defaultScenario(charm) }];
  const session = new Session(context, { charmPath, charmName: charm.meta.name, known, flags });
  try {
    await session.start(scenarios);
    if (flags.watch) await session.watch();
    return session.passed ? 0 : 1;
  } finally {
    await session.end();
  }
}

/** Refuses now what would end a test later, or lose its results. Errors: UsageError. */
async function checkFlags({ io }: CommandContext, { images, junit, scenario }: TestFlags): Promise<void> {
  for (const file of scenario) await checkScenario(resolve(io.cwd, file));
  for (const image of images)
    try {
      parseBase(image.split('=')[0]!);
    } catch (error) {
      throw new UsageError(`--local-image ${image}: ${(error as Error).message}`);
    }
  if (junit === '') return;
  const folder = dirname(resolve(io.cwd, junit));
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new UsageError(`--junit ${junit}: there is no folder ${folder}`);
}

/** Refuses what is no file: a scenario is read again when it may have changed. Errors: UsageError. */
async function checkScenario(file: string): Promise<void> {
  const found = await stat(file).catch((error: Error) => {
    throw new UsageError(`no scenario can be read: ${error.message}`);
  });
  if (found.isFile()) return;
  throw new UsageError(
    `${file} is ${found.isDirectory() ? 'a folder' : 'no file'}: a scenario is a text file`,
  );
}

async function readScenario(given: GivenFiles, file: string): Promise<ScenarioFile> {
  try {
    const content = await readGiven(given, file, limits.scenarioBytes.max);
    const scenario = parseScenario(basename(file, extname(file)), content.toString(), file);
    if (isForSimulationOnly(scenario))
      throw new Error(`${file}: this host has no account and no sizes of machines that could be used up`);
    return { scenario, file };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

interface Subject {
  readonly charmPath: string;
  readonly charmName: string;
  /** Digest of each scenario file before it was read. */
  readonly known: Watched['scenarios'];
  readonly flags: TestFlags;
}

/** Controller with a model for each scenario. */
class Session {
  readonly #context: CommandContext;
  readonly #subject: Subject;
  #controller: Throwaway | undefined;
  #runs: ScenarioRun[] = [];
  #passed = false;
  /** Digest of the charm before it was deployed. */
  #digest = '';
  /** Whether units lack the current charm because their refresh was refused. */
  #isBehind = false;
  /** Scenario files that have changed, and could not be followed yet. */
  readonly #changed = new Set<string>();

  constructor(context: CommandContext, subject: Subject) {
    this.#context = context;
    this.#subject = subject;
  }

  /** Whether all scenarios have passed in their last run. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Plays each scenario from its beginning. */
  async start(scenarios: readonly ScenarioFile[]): Promise<void> {
    const { io } = this.#context;
    const startedAt = io.clock.now();
    const controller = (this.#controller = await this.#context.progress(
      'Creating a controller',
      Throwaway.create(this.#context, this.#subject.flags),
    ));
    this.#context.info(`Controller ready (${((io.clock.now() - startedAt) / 1000).toFixed(1)} s)`);
    for (const image of this.#subject.flags.images)
      await this.#context.progress(`Adding ${image}`, controller.addImage(image));
    if (this.#subject.flags.watch)
      this.#digest = await charmDigest(this.#subject.charmPath, controller.dir, this.#junit);
    for (const [n, one] of scenarios.entries()) this.#runs.push(await this.#begin(`scenario-${n + 1}`, one));
    await this.#play(startedAt);
  }

  /** Checks each change of the charm and of the scenarios until ^C. */
  async watch(): Promise<void> {
    const { clock, signal } = this.#context.io;
    const { charmPath, known } = this.#subject;
    this.#context.info(`Watching ${[charmPath, ...known.keys()].join(', ')}; ^C ends`);
    for await (const change of changesOf(charmPath, {
      since: { charm: this.#digest, scenarios: known },
      folder: this.#controller!.dir,
      // A report in the charm's folder would otherwise count as a change of the charm after each run.
      except: this.#junit,
      isBehind: () => this.#isBehind,
      clock,
      signal,
    })) {
      const startedAt = clock.now();
      try {
        for (const file of change.scenarios) this.#changed.add(file);
        if (change.error) throw change.error;
        // A scenario that begins anew needs no refresh. Units get the charm also when a scenario cannot be read.
        const unread = await this.#follow().catch((error: Error) => error);
        if (change.archive !== undefined) await this.#refresh(change.archive);
        if (unread) throw unread;
      } catch (error) {
        signal.throwIfAborted();
        this.#context.info(`ERROR ${(error as Error).message}`);
        this.#passed = false;
        continue;
      }
      await this.#play(startedAt);
    }
  }

  /** Removes the controller, or says where it is kept. */
  async end(): Promise<void> {
    const controller = this.#controller;
    if (!controller) return;
    this.#context.showTransient('');
    await Promise.all(this.#runs.map((run) => run.close().catch(() => undefined)));
    if (!this.#subject.flags.keep)
      return controller.end().catch((error: Error) => {
        // After ^C, no other error is printed.
        if (this.#context.io.signal.aborted) this.#context.info(`ERROR ${error.message}`);
        throw error;
      });
    const models = this.#runs.map(({ model }) => model).join(', ');
    this.#context.info(
      `The controller is kept, with ${models}. To look at it, and to remove it:
  export JUJU_DATA=${controller.clientDir}
  grigri status -m test:scenario-1
  grigri kill-controller test --no-prompt && rm -r ${controller.dir}`,
    );
  }

  /** Adds the model of a scenario. */
  #begin(modelName: string, from: ScenarioFile): Promise<ScenarioRun> {
    const options: RunOptions = {
      charm: this.#subject.charmPath,
      config: this.#subject.flags.config,
      timeoutMs: this.#subject.flags.timeoutMs,
      onStep: ({ line, text }) => {
        this.#context.showTransient(`${line}: ${text}`);
        this.#context.verbose(`  ${line}: ${text}`);
      },
    };
    return ScenarioRun.create(
      { context: this.#context, controller: this.#controller!, options, modelName },
      from,
    );
  }

  /** Reads changed scenarios again. A scenario whose played steps have changed begins anew, in a new model. */
  async #follow(): Promise<undefined> {
    for (const file of this.#changed) {
      const from = await readScenario(this.#context.io, file);
      for (const [n, run] of this.#runs.entries()) {
        if (run.file !== file || run.follow(from.scenario)) continue;
        this.#context.info(`${from.scenario.name} begins anew: steps that it has played are others now`);
        await run.close().catch(() => undefined);
        await this.#controller!.removeModel(run.model);
        this.#runs[n] = await this.#begin(run.model, from);
      }
      this.#changed.delete(file);
    }
  }

  async #refresh(archive: string): Promise<void> {
    this.#isBehind = true;
    // Errors of the archive would name a file that is gone.
    await readCharm(this.#subject.charmPath);
    const { clock, signal } = this.#context.io;
    const { charmName, flags } = this.#subject;
    const refreshed = this.#runs.map((run) =>
      refreshUnits(
        {
          stage: run.stage,
          run: (argv) => run.run(argv),
          clock,
          signal,
          timeoutMs: flags.timeoutMs,
        },
        charmName,
        archive,
      ),
    );
    const [failed] = (await Promise.allSettled(refreshed)).filter((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    this.#isBehind = false;
  }

  /** Plays the remaining steps of each scenario, or its checks, and reports. */
  async #play(startedAt: number): Promise<void> {
    const { clock } = this.#context.io;
    const { flags, charmName } = this.#subject;
    const scenarios: ScenarioReport[] = [];
    for (const run of this.#runs) {
      const report = await run.play();
      this.#context.showTransient('');
      scenarios.push(report);
      if (flags.format === 'tabular') await this.#context.write(scenarioText(report));
    }
    this.#passed = scenarios.every(({ passed }) => passed);
    const seconds = (clock.now() - startedAt) / 1000;
    const report: TestReport = { charm: charmName, passed: this.#passed, seconds, scenarios };
    await this.#context.write(render(flags.format, report, { tabular: () => summaryText(report) }));
    if (this.#junit !== undefined) await writeFile(this.#junit, toJunit(report));
  }

  /** Absolute path of the JUnit file, if one is wanted. */
  get #junit(): string | undefined {
    const { junit } = this.#subject.flags;
    return junit === '' ? undefined : resolve(this.#context.io.cwd, junit);
  }
}
