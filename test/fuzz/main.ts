/**
 * `npm run test:fuzz [-- --seed N] [-- --calls N] [-- --full]`: sends every method of every facade in every version
 * arguments made from its schema, as eight kinds of callers, to a whole controller: valid ones with names that exist,
 * the same with one value broken, and random ones, at the limits of the schema and over them. No answer may be off its
 * schema, no error internal or in words that are not for people; nothing may hold up the controller or make it keep
 * memory; no caller may have changed what it may not; and all records must fit together.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Connection } from '../../src/client/connection.ts';
import { facades } from '../../src/controller/facades/index.ts';
import { limits } from '../../src/core/limits.ts';
import { argumentsOfSize, pick, wildArguments } from '../../src/testing/fuzz/arguments.ts';
import { errorsIn, wrongWith } from '../../src/testing/fuzz/error-texts.ts';
import { brokenArguments, validArguments } from '../../src/testing/fuzz/valid-arguments.ts';
import { createRandom, type Random } from '../../src/forecast/world/random.ts';
import { schemasAt } from '../../src/wire/facade-spec.ts';
import { versionsOf } from '../../src/testing/versions-of.ts';
import type { Words } from '../../src/testing/fuzz/arguments.ts';
import { createWorld, roles, type Role, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    calls: { type: 'string' },
    full: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const calls = Number(values.calls ?? (values.full ? 1_000_000 : 100_000));
/**
 * Maximum processor time of one turn. The controller reports 200 ms as slow; here each result is also checked against
 * its schema, and requests and answers of 8 MiB are written and read in the same turns.
 */
const turnMsMax = 1_000;
/** Maximum growth of the heap after a garbage collection. */
const heapBytesMax = 256 * 1024 * 1024;
/** Maximum resident memory at any time; beyond it no more calls are sent. */
const residentBytesMax = 2 * 1024 * 1024 * 1024;
const batch = 250;
/** Number of calls below which it may be chance that a method never succeeds. */
const fewCalls = 50_000;
/** Number of calls of which one is as large as a request may be, or larger. */
const largeOneIn = 2_000;

/** This method ends the controller itself. */
const leftOut = new Set(['Controller.DestroyController']);
/** These methods would make a model of 50,000 machines at the largest size; benchmarks have such models. */
const makesMany = new Set(['AddMachines', 'AddUnits', 'Deploy', 'CreateModel']);
/** The client makes large requests in the controller's own thread; that time does not count as the controller's. */
const client = { name: 'the client of this fuzzer', by: 'fuzz' };
/** Methods that wait for changes. */
const waits = new Set(['Next']);

interface Method {
  readonly facade: string;
  readonly name: string;
  readonly version: number;
  readonly on: 'model' | 'controller';
  readonly params: Parameters<typeof wildArguments>[0];
}
const methods: readonly Method[] = facades.flatMap(({ spec }) =>
  Object.entries(spec.methods).flatMap(([name, method]) =>
    leftOut.has(`${spec.name}.${name}`)
      ? []
      : versionsOf(spec, name).map((version) => ({
          facade: spec.name,
          name,
          version,
          on: spec.on === 'controller' ? ('controller' as const) : ('model' as const),
          params: schemasAt(method, version).params,
        })),
  ),
);

/** Methods that only another controller may call, which calls little else. */
const crossing = methods.filter(({ facade, name }) => needsOf(facade, name) === 'anonymous');
function needsOf(facade: string, name: string): string | undefined {
  return facades.find(({ spec }) => spec.name === facade)?.table[name]?.needs;
}

/** Counts of each role. A role tries the methods in turn, so that none is left out by chance. */
const tallies = new Map<Role, { tried: number; sent: number }>(
  roles.map((role) => [role, { tried: 0, sent: 0 }]),
);
/** Methods that were answered without an error. */
const succeeded = new Set<string>();
const problems = new Map<string, number>();
function problem(text: string): void {
  problems.set(text, (problems.get(text) ?? 0) + 1);
}

async function fuzz(world: World, random: Random): Promise<void> {
  for (let done = 0; done < calls; done += batch) {
    if (done % 10_000 === 0)
      console.log(
        `${done} calls, ${Math.round(process.cpuUsage().user / 1e6)} s of processor, ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
      );
    await world.refresh();
    const role = roles[(done / batch) % roles.length]!;
    const tally = tallies.get(role)!;
    const open = new Map<string, Connection | undefined>();
    const sent: Promise<void>[] = [];
    for (let n = 0; n < batch; n++) {
      const own = role === 'other controller' && random.chance(0.9) ? crossing : methods;
      const method = own[tally.tried++ % own.length]!;
      if (!open.has(method.on)) open.set(method.on, await world.open(role, method.on).catch(() => undefined));
      const connection = open.get(method.on);
      const { turns } = world.controller.running().services;
      const answered = connection && turns.run(client, () => send(connection, method, role, world, random));
      if (answered) tally.sent++;
      if (answered && !waits.has(method.name)) sent.push(answered);
      if (sent.length % 50 === 49) await Promise.all(sent.splice(0));
    }
    await Promise.all(sent);
    for (const connection of open.values()) await connection?.close();
    const { rss } = process.memoryUsage();
    if (rss > residentBytesMax) return problem(`${rss} bytes are resident after ${done + batch} calls`);
  }
}

async function send(
  connection: Connection,
  { facade, name, version, params }: Method,
  role: Role,
  world: World,
  random: Random,
): Promise<void> {
  const words = world.words({ facade, method: name });
  const large = random.int(0, largeOneIn) === 0 && !makesMany.has(name);
  const bytes = limits.request.max + pick(random, [-2_000, -2_000, 2_000]);
  const some = large ? argumentsOfSize(params, { bytes }, words) : someArguments(params, random, words);
  const args = facade === 'CrossModelRelations' && !large ? world.other.fill(some, random) : some;
  if (large) console.log(`${facade}(${version}).${name} as ${role}: ${bytes} bytes`);
  const told = (text: string): void =>
    problem(`${facade}(${version}).${name} as ${role}: ${text} for ${JSON.stringify(args)?.slice(0, 300)}`);
  const watcher = facade.endsWith('Watcher') ? { id: pick(random, ['1', '2', '', 'x']) } : {};
  try {
    const answer = await connection.call(facade, name, args, { version, ...watcher });
    const errors = [...errorsIn(answer)];
    for (const error of errors) check(error, world, told);
    if (errors.length === 0) succeeded.add(`${facade}.${name}`);
  } catch (error) {
    const { message = String(error), code } = error as { message?: string; code?: string };
    check({ message, code }, world, told);
  }
}

function check(
  error: Parameters<typeof wrongWith>[0],
  { controller }: World,
  told: (text: string) => void,
): void {
  const wrong = wrongWith(error, [controller.dataDir, import.meta.dirname]);
  if (wrong !== undefined) told(`${wrong}: ${error.message.slice(0, 300)}`);
}

function someArguments(params: Method['params'], random: Random, words: Words): unknown {
  if (random.chance(0.3)) return wildArguments(params, random, words);
  const args = validArguments(params, random, words);
  return random.chance(0.5) ? args : brokenArguments(args, random);
}

const revoked = /^worker failed .*error=ProviderError: credential .* is (?:revoked: update it|invalid)/;

/** Reads the controller's log for errors. */
function readLog({ controller }: World): void {
  const longest = new Map<string, number>();
  for (const { message, level } of controller.logged) {
    const said = /^work held up the controller work="?([^"=]+?)"? by=.*processorMs=(\d+)/.exec(message);
    if (said) {
      const [, work = '', processorMs] = said;
      const ms = Number(processorMs);
      longest.set(work, Math.max(longest.get(work) ?? 0, ms));
    } else if (revoked.test(message)) {
      // Workers log errors about a credential that a call has revoked or invalidated until it is updated.
    } else if (level === 'ERROR' && /request failed|worker failed|watcher failed/.test(message)) {
      problem(`the log has an error: ${message.slice(0, 1_000)}`);
    }
  }
  for (const [work, ms] of longest) {
    console.log(`${ms} ms in one turn: ${work}`);
    if (ms > turnMsMax && work !== client.name)
      problem(`${work} held up the controller for more than ${turnMsMax} ms`);
  }
}

/** Checks that each role, except the one that may not log in, has sent calls. */
function checkSent(): void {
  for (const [role, { tried, sent }] of tallies) {
    console.log(`${sent} of ${tried} calls were sent as ${role}`);
    if (tried > 0 && (sent === 0) !== (role === 'nobody')) problem(`${sent} calls were sent as ${role}`);
  }
}

function heap(): number {
  if (!globalThis.gc) throw new Error('run with --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

console.log(`seed ${seed}: ${calls} calls of ${methods.length} methods`);
await using world = await createWorld();
await world.refresh();
const before = heap();
await fuzz(world, createRandom(seed, 'fuzz'));
readLog(world);
checkSent();
const grown = heap() - before;
console.log(`${Math.round(grown / 1024 / 1024)} MiB more heap than at the beginning`);
if (grown > heapBytesMax) problem(`the heap has grown by more than ${heapBytesMax} bytes`);
for (const text of world.problems()) problem(text);
const without = new Set(
  methods.map(({ facade, name }) => `${facade}.${name}`).filter((name) => !succeeded.has(name)),
);
console.log(
  `${succeeded.size} methods were answered without an error; these were not: ${[...without].join(', ')}`,
);
// Methods are called hundreds of times: one that never succeeds is not really tested.
for (const { facade, name } of calls >= fewCalls ? crossing : [])
  if (facade === 'CrossModelRelations' && !succeeded.has(`${facade}.${name}`))
    problem(`${facade}.${name} has never succeeded`);
for (const [text, count] of problems) console.log(`${count} × ${text}`);
const failed = [...problems.values()].reduce((sum, count) => sum + count, 0);
console.log(`${calls - failed} passed, ${failed} failed`);
if (failed > 0) console.log(`again with: npm run test:fuzz -- --seed ${seed} --calls ${calls}`);
process.exitCode = failed > 0 ? 1 : 0;
