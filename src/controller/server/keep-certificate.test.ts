import { X509Certificate } from 'node:crypto';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLog, type LogRecord } from '../../kit/log.ts';
import { startApiServer, type ApiServer } from '../../testing/api-server.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { FacadeSpec } from '../../wire/facade-spec.ts';
import { createAuthority, createServerCertificate, type KeyPair } from '../certificates.ts';
import type { FacadeTable } from '../facade.ts';
import { keepCertificate, renewalReason, type CertificateKeeper } from './keep-certificate.ts';

const dayMs = 86_400_000;
const real = Date.now();
/** Time at which the test's clock starts: OpenSSL uses the host's own clock, at which the test's time ends. */
const longAgo = real - 300 * dayMs;

const spec = {
  name: 'Sample',
  versions: [1],
  on: 'both',
  methods: { Ping: { params: z.object({}), result: z.object({}) } },
} as const satisfies FacadeSpec;
const facades = [
  { spec, table: { Ping: { needs: 'login', run: () => ({}) } } satisfies FacadeTable<typeof spec> },
];

let clock: ManualClock;
let records: LogRecord[];
let addresses: string[];
let keeper: CertificateKeeper | undefined;
let api: ApiServer | undefined;

beforeEach(() => {
  clock = new ManualClock(longAgo);
  records = [];
  addresses = ['10.0.0.5'];
});
afterEach(async () => {
  await keeper?.stop();
  await api?.stop();
  keeper = api = undefined;
});

async function keep(authority: KeyPair): Promise<CertificateKeeper> {
  keeper = await keepCertificate({
    authority,
    addresses: () => addresses,
    clock,
    log: createLog(
      'test',
      (record) => records.push(record),
      () => clock.now(),
    ),
    random: () => 0.5,
  });
  return keeper;
}

describe('the certificate of a server that has connections', () => {
  /** The certificate that a new client gets that trusts the authority. */
  function shown(): Promise<X509Certificate> {
    return new Promise((resolve, reject) => {
      const options = { port: api!.server.port, host: '127.0.0.1', servername: 'juju-apiserver' };
      const socket = tlsConnect({ ...options, ca: api!.caCert }, () => {
        resolve(new X509Certificate(socket.getPeerCertificate().raw));
        socket.destroy();
      });
      socket.on('error', reject);
    });
  }

  beforeEach(async () => {
    api = await startApiServer({ facades });
    const made = await keep(api.authority);
    api.server.setCertificate(made.first);
    made.start((pair) => api!.server.setCertificate(pair));
  });

  it('a certificate with a third of its life left is replaced, connections stay, and new clients trust the same authority', async () => {
    const before = await shown();
    expect(before.validToDate.getTime()).toBeLessThan(real + 66 * dayMs);
    const connected = await api!.open('/api');
    await connected.login('user-admin');
    clock.advance(300 * dayMs);
    await eventually(async () => {
      const after = await shown();
      expect(after.serialNumber).not.toBe(before.serialNumber);
      expect(after.validToDate.getTime()).toBeGreaterThan(real + 364 * dayMs);
    });
    expect(await connected.call('Sample', 1, 'Ping')).toMatchObject({ response: {} });
    const newcomer = await api!.open('/api');
    expect(await newcomer.login('user-admin')).toMatchObject({ response: {} });
  });

  it('a certificate with more than a third of its life left stays', async () => {
    const before = await shown();
    clock.advance(240 * dayMs);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await shown()).serialNumber).toBe(before.serialNumber);
    expect(records).toEqual([]);
  });

  it('a certificate names the addresses that the controller has an hour later', async () => {
    addresses = ['10.0.0.6', 'grigri.example.com'];
    clock.advance(3_600_000);
    await eventually(async () => {
      const after = await shown();
      expect([after.checkIP('10.0.0.6'), after.checkHost('grigri.example.com')]).toEqual([
        '10.0.0.6',
        'grigri.example.com',
      ]);
    });
    expect(records.map(({ message }) => message)).toEqual([
      expect.stringContaining('why="the certificate does not name 10.0.0.6, grigri.example.com"'),
    ]);
  });
});

const authorityOf = (now: number): Promise<KeyPair> =>
  createAuthority({ now, uuid: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' });

it('a certificate that is not valid yet, because the clock was set back, is replaced', async () => {
  const pair = await createServerCertificate({
    authority: await authorityOf(real),
    addresses: [],
    now: real,
  });
  const served = new X509Certificate(pair.certificate);
  const why = (now: number) =>
    renewalReason(served, { now, addresses: [], authorityUntil: real + 3650 * dayMs });
  expect(why(real)).toBeUndefined();
  expect(why(real - 2 * dayMs)).toContain('the clock was set back');
});

describe('near the end of the authority', () => {
  it('the end of the authority is logged once a day in its last year, and certificates are not renewed needlessly', async () => {
    const made = await authorityOf(longAgo);
    const end = new X509Certificate(made.certificate).validToDate.getTime();
    clock = new ManualClock(end - 366 * dayMs);
    await keep(made);
    const used: KeyPair[] = [];
    keeper!.start((pair) => used.push(pair));
    const pass = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await pass(3_600_000);
    expect(records).toEqual([]);
    await pass(dayMs);
    await pass(3_600_000);
    const ends = `until=${new Date(end).toISOString()}`;
    expect(records).toMatchObject([{ level: 'WARNING', message: expect.stringContaining(ends) }]);
    await pass(dayMs);
    expect(records).toHaveLength(2);
    // The last certificate ends with its authority: from there on no longer one can be created.
    await pass(250 * dayMs);
    await eventually(() => expect(used).toHaveLength(1));
    const last = new X509Certificate(used.at(-1)!.certificate).validToDate.getTime();
    expect(last).toBe(end);
    await pass(100 * dayMs);
    expect(used).toHaveLength(1);
  });
});
