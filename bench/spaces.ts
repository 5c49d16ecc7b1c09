/**
 * `node --expose-gc bench/spaces.ts [--n 10000]`: moves subnets to a space, renames it, reloads spaces and removes it
 * in a model with N machines, whose constraints name the space, and 10 N units; N / 5 more wait for a machine. Goal: no
 * turn of the controller over 100 ms of processor time. Exits 1 when a goal is missed.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { call } from '../src/client/calls.ts';
import { createSpace } from '../src/controller/transactions/begin/create-space.ts';
import { deployApplication } from '../src/controller/transactions/begin/deploy-application.ts';
import type { Tx } from '../src/controller/transactions/tx.ts';
import { upload } from '../src/testing/upload.ts';
import { spaceTag, subnetTag } from '../src/wire/tags.ts';
import { benchCloud, benchController, provisioned } from './controller.ts';
import { exitCode, machine, quartiles, type Result, type Verdict } from './floor.ts';
import { settled, watchTurns } from './turn-meter.ts';

const turnMsMax = 100;
const { values } = parseArgs({ options: { n: { type: 'string', default: '10000' } } });
const machines = Number(values.n);
/** Machines of one application. */
const share = 100;
/** Units that wait for a machine (beside those that have one). */
const waiting = 20;
const subnets = 100;

await using controller = await benchController(benchCloud());
const model = await controller.addModel('bench');
const { store } = controller.running();
const change = (fn: (tx: Tx) => void): Promise<void> => store.change((root) => fn(root.in(model)), 'bench');
const view = () => store.read().in(model);
await fill();
const connection = await controller.connect(model);
const ids = [...view().list('subnet')].map(({ id }) => id);

const verdicts: Verdict[] = [];
await measure('move-to-space', () => move('db', ids));
await measure('move-to-space, forced', () => move('web', ids, true));
await move('db', ids, true);
await measure('rename-space', async () => {
  const changes = [{ 'from-space-tag': spaceTag('db'), 'to-space-tag': spaceTag('data') }];
  refuse((await call(connection, 'Spaces', 'RenameSpace', { changes })).results[0]?.error);
});
await measure('reload-spaces', () => call(connection, 'Spaces', 'ReloadSpaces', {}));
await measure('remove-space, forced', async () => {
  const params = [{ space: { tag: spaceTag('data') }, force: true }];
  refuse((await call(connection, 'Spaces', 'RemoveSpace', { 'space-param': params })).results[0]?.error);
});
process.exitCode = exitCode(verdicts);

async function fill(): Promise<void> {
  await change((tx) => {
    for (const name of ['db', 'web']) createSpace(tx, { name, cidrs: [] });
    upload(tx, 'plain', {});
    upload(tx, 'waiting', { requires: { db: 'mysql' } });
  });
  for (let n = 0; n < machines / share; n++)
    await change((tx) =>
      deploy(
        tx,
        `own${n}`,
        'plain',
        Array.from({ length: share }, () => undefined),
      ),
    );
  await provisioned(controller, model);
  const all = [...view().list('machine')];
  for (let n = 0; n < all.length; n += share)
    await change((tx) => {
      const some = all.slice(n, n + share);
      for (const { id } of some) addAddress(tx, id);
      const hosts = some.flatMap(({ id }) => Array.from({ length: 9 }, () => id));
      deploy(tx, `beside${n / share}`, 'plain', hosts);
      deploy(
        tx,
        `late${n / share}`,
        'waiting',
        some.slice(0, waiting).map(() => undefined),
      );
    });
  console.log(`a model of ${view().count('unit')} units on ${view().count('machine')} machines`);
}

function deploy(tx: Tx, name: string, charm: string, hosts: readonly (string | undefined)[]): void {
  deployApplication(tx, {
    name,
    charmUrl: `local:${charm}-0`,
    charmOrigin: { source: 'local', type: 'charm' },
    base: { name: 'ubuntu', channel: '24.04/stable' },
    numUnits: hosts.length,
    // A machine starts before its space has a subnet only when the application does not ask for the space yet.
    constraints: charm === 'waiting' ? { spaces: ['db'] } : {},
    placement: hosts.flatMap((id) => (id === undefined ? [] : [{ scope: '#', directive: id }])),
    config: {},
    trust: false,
    endpointBindings: {},
    require: charm === 'waiting' ? ['db'] : [],
  });
}

function addAddress(tx: Tx, id: string): void {
  const one = tx.get('machine', id)!;
  const n = Number(id);
  const net = `10.${n % subnets}`;
  const cidr = `${net}.0.0/16`;
  const value = `${net}.${(n >> 8) & 255}.${n & 255}`;
  tx.put('machine', id, {
    ...one,
    constraints: { ...one.constraints, spaces: ['db'] },
    addresses: [{ value, type: 'ipv4', scope: 'local-cloud', cidr, interfaceName: 'eth0' }],
  });
  if (!tx.get('subnet', cidr))
    tx.put('subnet', cidr, { id: String((n % subnets) + 1), cidr, space: 'alpha', zones: [] });
}

async function move(space: string, numbers: readonly string[], force = false): Promise<void> {
  const args = [{ 'space-tag': spaceTag(space), subnets: numbers.map(subnetTag), force }];
  refuse((await call(connection, 'Spaces', 'MoveSubnets', { args })).results[0]?.error);
}

function refuse(error: { readonly message: string } | undefined): void {
  if (error) throw new Error(error.message);
}

async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  await settled();
  const turns = watchTurns();
  await work();
  // The work of watchers and workers after a change counts as well.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { cpuMs, totalCpuMs } = turns.stop();
  const verdict = cpuMs <= turnMsMax ? 'met' : 'missed';
  verdicts.push(verdict);
  const name = `${what}, ${machines} machines, ${10 * machines} units: longest turn`;
  console.log(
    `${name} ${cpuMs.toFixed(0)} ms, in all ${totalCpuMs.toFixed(0)} ms, goal <= ${turnMsMax}: ${verdict}`,
  );
  const result: Result = {
    name,
    goal: `<= ${turnMsMax}`,
    verdict,
    floor: quartiles([turnMsMax]),
    product: quartiles([cpuMs]),
    ratio: quartiles([cpuMs / turnMsMax]),
    unit: 'ms',
    machine: machine(),
  };
  const file = process.env['BENCH_RESULTS'];
  if (file) appendFileSync(file, `${JSON.stringify(result)}\n`);
}
