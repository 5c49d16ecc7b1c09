/**
 * LXD for tests of failures: a real server on a real socket that answers, delays and refuses as LXD 5.0 does, in its
 * words, but has no containers. Tests with a real LXD are in test/lxd.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CloudSpec } from '../../providers/contract/provider.ts';

type Config = Readonly<Record<string, string>>;
interface TestInstance {
  readonly name: string;
  status: 'Stopped' | 'Running' | 'Frozen' | 'Error';
  config: Config;
  readonly devices: Readonly<Record<string, Config>>;
  readonly profiles: readonly string[];
  /** Running operation, `create`, `start`…: the instance accepts no other meanwhile. */
  busy?: string;
  last_used_at: string;
  /** Whether the instance's cluster member does not answer. */
  isAway?: boolean;
  readonly body: Record<string, unknown>;
}
interface Operation {
  readonly id: string;
  readonly description: string;
  readonly resources: Readonly<Record<string, readonly string[]>>;
  status_code: number;
  err: string;
  metadata: unknown;
  readonly ended: Promise<void>;
}

/** Fate of a request: it is not received, its answer is lost, it is never answered, or it is refused in these words. */
export type Meddling =
  | 'cut before'
  | 'cut after'
  | 'hang'
  | { readonly status: number; readonly error: string };

export interface TestLxd {
  readonly spec: CloudSpec;
  readonly instances: Map<string, TestInstance>;
  readonly profiles: Map<string, Record<string, unknown>>;
  /** The only network, lxdbr0: at first managed by LXD, with five addresses to assign. */
  network: { readonly managed: boolean; readonly config: Config };
  /** Further networks that LXD manages: name → its address, `10.78.0.1/24`. */
  readonly networks: Map<string, string>;
  /** Members of the cluster by name; empty: the server is not in a cluster. */
  readonly members: Map<string, 'Online' | 'Offline' | 'Evacuated'>;
  /** Requests in their order, such as `POST /1.0/instances`. */
  readonly requests: string[];
  /** Requests as paths with their queries. */
  readonly urls: string[];
  /** Called for each request, with the number of requests before it; undefined: the request is answered. */
  meddle: (request: string, before: number) => Meddling | undefined;
  /** Error of the next operation, by its description. */
  readonly failures: Map<string, string>;
  /** Milliseconds that an operation takes. */
  operationMs: number;
  /** Cuts all connections and forgets the operations; running operations never complete. */
  restart(): void;
  close(): Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly error: string;
}
const refused = (status: number, error: string): Refusal => ({ status, error });

export async function startTestLxd(): Promise<TestLxd> {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-test-lxd-'));
  const socket = join(folder, 'unix.socket');
  const profiles = new Map<string, Record<string, unknown>>([
    [
      'default',
      {
        name: 'default',
        config: {},
        devices: {
          eth0: { type: 'nic', network: 'lxdbr0', name: 'eth0' },
          root: { type: 'disk', path: '/', pool: 'default' },
        },
      },
    ],
  ]);
  const fingerprint = 'a1'.repeat(32);
  const aliases = [
    { name: 'debian/12', target: fingerprint, type: 'container' },
    { name: 'debian/12/cloud', target: fingerprint, type: 'virtual-machine' },
  ];
  const instances = new Map<string, TestInstance>();
  const operations = new Map<string, Operation>();
  let ids = 0;
  let life = 0;

  const lxd: TestLxd = {
    spec: { name: 'lxd', type: 'lxd', region: '', endpoint: socket, config: {} },
    instances,
    profiles,
    network: { managed: true, config: { 'ipv4.address': '10.77.0.1/29' } },
    networks: new Map(),
    members: new Map(),
    requests: [],
    urls: [],
    meddle: () => undefined,
    failures: new Map(),
    operationMs: 5,
    restart() {
      life++;
      operations.clear();
      for (const instance of instances.values()) delete instance.busy;
      server.closeAllConnections();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          rmSync(folder, { recursive: true, force: true });
          resolve();
        });
        server.closeAllConnections();
      }),
  };

  /** Starts an operation; `work` runs at its end, and may throw a message. */
  const begin = (
    description: string,
    name: string,
    work: () => unknown,
    after: () => void = () => undefined,
  ): Operation => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const operation: Operation = {
      id: `op-${ids++}`,
      description,
      resources: { instances: [`/1.0/instances/${name}`] },
      status_code: 103,
      err: '',
      metadata: { create_instance_from_image_unpack_progress: 'Unpack: 50% (1MB/s)' },
      ended,
    };
    const began = life;
    operations.set(operation.id, operation);
    setTimeout(() => {
      if (began !== life) return;
      try {
        const failure = lxd.failures.get(description);
        lxd.failures.delete(description);
        if (failure !== undefined) throw new Error(failure);
        operation.metadata = work() ?? null;
        operation.status_code = 200;
      } catch (error) {
        operation.err = (error as Error).message;
        operation.status_code = 400;
      }
      after();
      resolve();
    }, lxd.operationMs);
    return operation;
  };

  /** Starts an operation on an existing instance, one at a time. */
  const change = (instance: TestInstance, busy: string, description: string, work: () => void): Operation => {
    if (instance.busy)
      return begin(description, instance.name, () => {
        throw new Error(
          `Failed to create instance ${busy} operation: Instance is busy running a "${instance.busy ?? 'start'}" operation`,
        );
      });
    instance.busy = busy;
    return begin(description, instance.name, work, () => delete instance.busy);
  };

  const create = (body: Record<string, unknown>): Operation => {
    const name = String(body['name']);
    const known = instances.get(name);
    if (known)
      return begin('Creating instance', name, () => {
        throw new Error(
          `Failed creating instance record: ${known.busy ? 'Instance is busy running a "create" operation' : 'Add instance info to the database: This "instances" entry already exists'}`,
        );
      });
    const instance: TestInstance = {
      name,
      status: 'Stopped',
      config: body['config'] as Config,
      devices: body['devices'] as TestInstance['devices'],
      profiles: body['profiles'] as string[],
      busy: 'create',
      last_used_at: '1970-01-01T00:00:00Z',
      body,
    };
    instances.set(name, instance);
    const operation: Operation = begin(
      'Creating instance',
      name,
      () => undefined,
      () => {
        delete instance.busy;
        // LXD removes an instance that it could not create.
        if (operation.status_code === 400) instances.delete(name);
      },
    );
    return operation;
  };

  const setState = (instance: TestInstance, action: string): Operation => {
    const description = { start: 'Starting instance', stop: 'Stopping instance' }[action] ?? action;
    return change(instance, action, description, () => {
      const runs = instance.status === 'Running';
      if (action === 'start' && runs) throw new Error('The instance is already running');
      if (action === 'stop' && instance.status === 'Stopped')
        throw new Error('The instance is already stopped');
      instance.status = action === 'stop' ? 'Stopped' : 'Running';
      instance.last_used_at = '2026-01-01T00:00:00Z';
    });
  };

  const remove = (instance: TestInstance): Operation | Refusal => {
    if (instance.status === 'Running') return refused(400, 'Instance is running');
    return change(instance, 'delete', 'Deleting instance', () => instances.delete(instance.name));
  };

  const shown = (instance: TestInstance): object => {
    const { body, busy: _, isAway, ...rest } = instance;
    if (isAway)
      return { name: instance.name, status: 'Error', config: null, devices: null, location: 'b', type: '' };
    const own = (profiles.get('default')!['devices'] ?? {}) as object;
    return {
      ...rest,
      type: body['type'],
      architecture: 'x86_64',
      expanded_config: instance.config,
      expanded_devices: { ...own, ...instance.devices },
      location: 'none',
      state: { network: null },
    };
  };

  const one = (method: string, name: string, rest: string, body: Record<string, unknown>): unknown => {
    const instance = instances.get(name);
    if (!instance) return refused(404, 'Instance not found');
    if (instance.isAway) return refused(503, 'Cluster member is not reachable');
    if (rest === 'state') return setState(instance, String(body['action']));
    if (rest === 'files') return {};
    if (method === 'DELETE') return remove(instance);
    if (method === 'PUT' || method === 'PATCH')
      instance.config = { ...instance.config, ...(body['config'] as Config) };
    return shown(instance);
  };

  const profile = (method: string, name: string, body: Record<string, unknown>): unknown => {
    if (!profiles.has(name)) return refused(404, 'Fetch profile: Profile not found');
    if (method === 'DELETE') return void profiles.delete(name);
    if (method === 'PUT') profiles.set(name, { ...body, name });
    return profiles.get(name);
  };

  const bridge = (): Record<string, unknown> => ({
    name: 'lxdbr0',
    type: 'bridge',
    used_by: [],
    ...lxd.network,
  });

  const networks = (): Record<string, unknown>[] => [
    bridge(),
    ...[...lxd.networks].map(([name, address]) => ({
      name,
      type: 'bridge',
      managed: true,
      used_by: [],
      config: { 'ipv4.address': address },
    })),
  ];

  const leases = (): object[] =>
    [...instances.values()].flatMap(({ devices }) =>
      Object.values(devices ?? {}).flatMap(({ 'ipv4.address': address }) => (address ? [{ address }] : [])),
    );

  const answer = async (method: string, url: URL, body: Record<string, unknown>): Promise<unknown> => {
    const [, kind = '', name = '', rest = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    if (kind === '')
      return {
        auth: 'trusted',
        config: {},
        environment: {
          architectures: ['x86_64', 'i686'],
          kernel_architecture: 'x86_64',
          server_clustered: lxd.members.size > 0,
        },
      };
    if (kind === 'instances' && name === '')
      return method === 'POST' ? create(body) : [...instances.values()].map(shown);
    if (kind === 'instances') return one(method, name, rest, body);
    if (kind === 'profiles' && name === '') {
      if (method === 'GET') return [...profiles.values()];
      return void profiles.set(String(body['name']), body);
    }
    if (kind === 'profiles') return profile(method, name, body);
    if (kind === 'networks' && name === '') return networks();
    if (kind === 'networks' && rest === 'leases') return leases();
    if (kind === 'networks')
      return networks().find((network) => network['name'] === name) ?? refused(404, 'none');
    if (kind === 'projects' && name !== '') return refused(404, 'Project not found');
    if (kind === 'projects') return [{ name: 'default' }];
    if (kind === 'cluster' && name === '') return { enabled: lxd.members.size > 0 };
    if (kind === 'cluster')
      return [...lxd.members].map(([member, status]) => ({ server_name: member, status }));
    if (kind === 'storage-pools' && name !== '') return refused(404, 'Storage pool not found');
    if (kind === 'certificates' || kind === 'storage-pools') return [];
    if (kind === 'resources') return { cpu: { total: 8 }, memory: { total: 16 * 1024 ** 3 } };
    if (kind === 'images' && name === 'aliases') return aliases;
    if (kind === 'images') return { fingerprint, architecture: 'x86_64' };
    if (kind === 'operations' && name === '')
      return { running: [...operations.values()].filter(({ status_code: code }) => code < 200) };
    const operation = kind === 'operations' ? operations.get(name) : undefined;
    if (!operation) return refused(404, 'not found');
    const seconds = Number(url.searchParams.get('timeout') ?? 0);
    if (rest === 'wait')
      await Promise.race([operation.ended, new Promise((end) => setTimeout(end, seconds * 1000).unref())]);
    return { ...operation, ended: undefined };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, 'http://lxd');
    const method = request.method!;
    const sent = await text(request);
    const label = `${method} ${url.pathname}`;
    const meddling = lxd.meddle(label, lxd.requests.length);
    lxd.requests.push(label);
    lxd.urls.push(request.url!);
    if (meddling === 'hang') return;
    if (meddling === 'cut before') return void request.socket.destroy();
    const isJson = request.headers['content-type'] === 'application/json';
    const result =
      typeof meddling === 'object'
        ? meddling
        : await answer(method, url, isJson ? (JSON.parse(sent) as Record<string, unknown>) : {});
    if (meddling === 'cut after') return void request.socket.destroy();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(envelope(result, response, operations)));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return lxd;
}

/** Wraps an answer as LXD does. */
function envelope(
  result: unknown,
  response: ServerResponse,
  operations: ReadonlyMap<string, Operation>,
): object {
  if (isRefusal(result)) {
    response.statusCode = result.status;
    return { type: 'error', error: result.error, error_code: result.status, metadata: null };
  }
  const begun = [...operations.values()].find((operation) => operation === result);
  if (!begun) return { type: 'sync', status_code: 200, metadata: result ?? null };
  response.statusCode = 202;
  return {
    type: 'async',
    operation: `/1.0/operations/${begun.id}`,
    metadata: { ...begun, ended: undefined },
  };
}

function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'status' in value && 'error' in value;
}
