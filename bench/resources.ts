/**
 * Measures how a unit gets a resource, until the file is whole, checked and in its place, against the same file over
 * bare TLS: `node bench/resources.ts [--quick]`. Both servers are in a process of their own.
 */
import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { provideResource } from '../src/agent/unit/provide-resource.ts';
import { downloadRest, resourcePath, uploadResource } from '../src/client/resources.ts';
import { createAuthority, createServerCertificate } from '../src/controller/certificates.ts';
import { serverName } from '../src/client/connect.ts';
import { systemClock } from '../src/kit/clock.ts';
import { createLocks } from '../src/kit/locks.ts';
import { testController } from '../src/testing/controller.ts';
import { deployed } from '../src/testing/resources.ts';
import { exitCode, pairs, report } from './floor.ts';

const quick = process.argv.includes('--quick');
const sizeMiB = quick ? 16 : 512;

/** Addresses and certificates of the servers. */
interface Served {
  readonly modelUuid: string;
  readonly address: string;
  readonly caCert: string;
  readonly bare: { readonly port: number; readonly caCert: string };
}

if (process.argv[2] === 'serve') await serve(process.argv[3]!);
else process.exitCode = await main();

/** Serves the file by a controller and by a bare server, until the parent disconnects. */
async function serve(file: string): Promise<void> {
  const controller = await testController();
  const modelUuid = await controller.addModel('bench');
  const { store } = controller.running();
  await store.change((tx) => deployed(tx.in(modelUuid), 'app', { blob: { filename: 'blob' } }), 'bench');
  const { addresses, caCert, login } = controller.connectOptions();
  await uploadResource({ addresses, caCert, login, modelUuid, application: 'app', name: 'blob', file });
  const authority = await createAuthority({ now: Date.now(), uuid: modelUuid });
  const { certificate, key } = await createServerCertificate({ authority, addresses: [], now: Date.now() });
  const server = createServer({ cert: certificate, key }, (_request, response) => {
    response.writeHead(200, { 'Content-Length': statSync(file).size });
    createReadStream(file).pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bare = { port: (server.address() as AddressInfo).port, caCert: authority.certificate };
  process.send!({ modelUuid, address: addresses[0]!, caCert, bare } satisfies Served);
  await once(process, 'disconnect');
  server.close();
  server.closeAllConnections();
  await controller[Symbol.asyncDispose]();
}

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-bench-'));
  const file = join(folder, 'blob');
  const hash = createHash('sha384');
  for (let i = 0; i < sizeMiB; i++) {
    const piece = randomBytes(1024 * 1024);
    hash.update(piece);
    writeFileSync(file, piece, { flag: 'a' });
  }
  const fingerprint = hash.digest('hex');
  const server = fork(import.meta.filename, ['serve', file]);
  try {
    const [served] = (await once(server, 'message')) as [Served];
    const product = (): Promise<void> => asUnit(served, folder, fingerprint);
    const comparison = await pairs(() => bareGet(served, folder), product, quick ? 3 : 7);
    // Speeds, as ratios of times are the other way round.
    const { floor, product: taken, ratio, isNoisy } = comparison;
    const speed = ({ q1, median, q3 }: typeof floor) => ({
      q1: sizeMiB / (q3 / 1000),
      median: sizeMiB / (median / 1000),
      q3: sizeMiB / (q1 / 1000),
    });
    const speeds = {
      floor: speed(floor),
      product: speed(taken),
      ratio: { q1: 1 / ratio.q3, median: 1 / ratio.median, q3: 1 / ratio.q1 },
      isNoisy,
    };
    return exitCode([report('resources: resource-get / bare TLS', speeds, { atLeast: 0.6 }, 'MiB/s')]);
  } finally {
    server.disconnect();
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gets the file as any program would, and writes it. */
async function bareGet({ bare }: Served, folder: string): Promise<void> {
  const options = {
    host: '127.0.0.1',
    port: bare.port,
    ca: bare.caCert,
    servername: serverName,
    agent: false,
  };
  const [response] = (await once(get(options), 'response')) as [IncomingMessage];
  await pipeline(response, createWriteStream(join(folder, 'bare')));
}

/** Gets the file as a unit's agent does. */
async function asUnit(served: Served, folder: string, fingerprint: string): Promise<void> {
  const { modelUuid, address, caCert } = served;
  const paths = { resourcesDir: join(folder, 'unit/resources'), stateDir: join(folder, 'unit/state') };
  rmSync(join(folder, 'unit'), { recursive: true, force: true });
  const resource = { name: 'blob', path: 'blob', fingerprint, size: sizeMiB * 1024 * 1024 };
  await provideResource(
    {
      paths,
      unit: 'app/0',
      clock: systemClock,
      random: Math.random,
      locks: createLocks(),
      fetch: ({ size }, part, signal) =>
        downloadRest({
          addresses: [address],
          caCert,
          login: { tag: 'user-admin', password: 'test-password' },
          path: resourcePath(modelUuid, { application: 'app' }, 'blob'),
          ...part,
          size,
          fingerprint,
          signal,
        }),
    },
    resource,
    new AbortController().signal,
  );
}
