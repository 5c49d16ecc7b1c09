/**
 * `node bench/requirements.ts [--n 9900] [--small 100] [--pairs 11]`: adds one relation on a required endpoint to a
 * model of N applications, against the same in a model of 100 (goal ≤ 1.5). Measured once for the whole change, through
 * the transaction and the store, in processor time of this thread without the disk; and once for settling alone. Exits
 * 1 when a goal is missed.
 */
import { parseArgs } from 'node:util';
import { addRelation } from '../src/controller/transactions/begin/add-relation.ts';
import { destroyRelation } from '../src/controller/transactions/end/destroy-relation.ts';
import { settleRequirements } from '../src/controller/transactions/shared/requirements.ts';
import { takeNumbers, type Tx } from '../src/controller/transactions/tx.ts';
import { relationKey } from '../src/core/relation/key.ts';
import { settle } from '../src/core/requirements/settle.ts';
import { modelFixture, type ModelFixture } from '../src/testing/model-fixture.ts';
import { ModelOfRequirements, required } from '../src/testing/requirement-model.ts';
import { upload } from '../src/testing/upload.ts';
import { exitCode, pairs, report, type Verdict } from './floor.ts';
import { defined } from '../src/core/defined.ts';

const { values } = parseArgs({
  options: {
    // Together with the added ones, the number of applications is close to the maximum of a model.
    n: { type: 'string', default: '9900' },
    small: { type: 'string', default: '100' },
    pairs: { type: 'string', default: '11' },
  },
});
const [many, few] = [Number(values.n), Number(values.small)];

const charms = {
  link: { requires: { below: required('link') }, provides: { above: 'link' } },
  end: { provides: { above: 'link' } },
};
const base = { name: 'ubuntu', channel: '24.04/stable' };
/** Number of relations added in one measurement, each by a change of its own. */
const added = 50;
/** Number of times each relation is settled when settling is measured alone. */
const times = 20;

interface Shape {
  readonly name: string;
  /** Returns the charm of application `i`, and the number of the application that it requires. */
  readonly application: (i: number) => readonly [charm: 'link' | 'end', below?: number];
  /** Returns which of n applications the measured applications are related to. */
  readonly to: (i: number, n: number) => number;
}

const shapes: readonly Shape[] = [
  {
    name: 'pairs',
    application: (i) => (i % 2 === 0 ? ['end'] : ['link', i - 1]),
    to: (i) => (i % 2 === 0 ? i : i - 1),
  },
  {
    name: 'the top of one chain',
    application: (i) => (i === 0 ? ['end'] : ['link', i - 1]),
    to: (_, n) => n - 1,
  },
  {
    name: 'the top of one chain that waits',
    application: (i) => ['link', i - 1],
    to: (_, n) => n - 1,
  },
  { name: 'a hub', application: (i) => (i === 0 ? ['end'] : ['link', 0]), to: () => 0 },
];

const verdicts: Verdict[] = [];
for (const shape of shapes) {
  const names = `a relation with ${shape.name}, ${many} applications / ${few}`;
  {
    await using small = await storeOf(shape, few);
    await using big = await storeOf(shape, many);
    const compared = await pairs(
      () => changes(small, shape, few),
      () => changes(big, shape, many),
      Number(values.pairs),
    );
    verdicts.push(report(names, compared, { atMost: 1.5 }, 'µs'));
  }
  const [small, big] = [memoryOf(shape, few), memoryOf(shape, many)];
  const compared = await pairs(
    () => settling(small, shape, few),
    () => settling(big, shape, many),
    Number(values.pairs),
  );
  verdicts.push(report(`${names}, settling alone`, compared, { atMost: 1.5 }, 'µs'));
}
process.exitCode = exitCode(verdicts);

/** Yields the applications: those related and settled beforehand, and those to be related by the measurement. */
function* applicationsOf(
  { application }: Shape,
  n: number,
): Iterable<{ name: string; charm: string; below?: string }> {
  for (let i = 0; i < n; i++) {
    const [charm, below] = application(i);
    yield {
      name: `a${i}`,
      charm,
      ...defined({ below: below === undefined || below < 0 ? undefined : `a${below}` }),
    };
  }
  for (let i = 0; i < added; i++) yield { name: `free${i}`, charm: 'link' };
}

async function storeOf(shape: Shape, n: number): Promise<ModelFixture> {
  const model = await modelFixture();
  await model.change((tx) => {
    for (const [name, meta] of Object.entries(charms)) upload(tx, name, meta);
    for (const { name, charm } of applicationsOf(shape, n)) putApplication(tx, name, charm);
  });
  await model.change((tx) => {
    for (const { name, below } of applicationsOf(shape, n))
      if (below !== undefined) putRelation(tx, name, below);
    settleRequirements(
      tx,
      [...tx.list('application')].map(({ name }) => name),
    );
  });
  return model;
}

/** Returns the processor time of a change in µs. The additions are removed afterwards. */
async function changes(model: ModelFixture, { to }: Shape, n: number): Promise<number> {
  globalThis.gc?.();
  const ends = Array.from({ length: added }, (_, i) => [`free${i}:below`, `a${to(i, n)}:above`]);
  const start = process.threadCpuUsage();
  for (const endpoints of ends) await model.change((tx) => void addRelation(tx, { endpoints }));
  const { user, system } = process.threadCpuUsage(start);
  for (const endpoints of ends) await model.change((tx) => void destroyRelation(tx, { endpoints }));
  return (user + system) / added;
}

function memoryOf(shape: Shape, n: number): ModelOfRequirements {
  const model = new ModelOfRequirements(charms);
  for (const { name, charm } of applicationsOf(shape, n)) model.add(charm, name);
  for (const { name, below } of applicationsOf(shape, n))
    if (below !== undefined) model.relate(`${name}:below`, `${below}:above`);
  model.settle(model.applications.keys());
  return model;
}

/** Returns the processor time of settling alone, repeated for each relation, since it takes microseconds. */
function settling(model: ModelOfRequirements, { to }: Shape, n: number): number {
  globalThis.gc?.();
  let micros = 0;
  for (let i = 0; i < added; i++) {
    const ends = [`free${i}:below`, `a${to(i, n)}:above`] as const;
    const touched = model.relate(...ends);
    // A warm-up call loads the list of relations, just rebuilt by this test's own model, into the processor's cache.
    settle(model, touched);
    const start = process.threadCpuUsage();
    for (let time = 0; time < times; time++) settle(model, touched);
    const { user, system } = process.threadCpuUsage(start);
    micros += user + system;
    model.removeRelation(...ends);
  }
  return micros / added / times;
}

function putApplication(tx: Tx, name: string, charm: string): void {
  tx.put('application', name, {
    name,
    life: 'alive',
    charmUrl: `local:${charm}-0`,
    charmOrigin: {},
    base,
    subordinate: false,
    constraints: {},
    config: {},
    trust: false,
    endpointBindings: {},
    workloadVersion: '',
    createdAt: tx.now,
  });
}

/** Adds a relation as addRelation does, without settling. */
function putRelation(tx: Tx, requirer: string, provider: string): void {
  const common = { interface: 'link', scope: 'global', limit: 0, optional: false } as const;
  const endpoints = [
    { ...common, application: requirer, name: 'below', role: 'requirer' as const },
    { ...common, application: provider, name: 'above', role: 'provider' as const },
  ];
  const id = takeNumbers(tx, 'relation');
  const key = relationKey(endpoints);
  tx.put('relation', String(id), { id, key, endpoints, life: 'alive', createdAt: tx.now });
}
