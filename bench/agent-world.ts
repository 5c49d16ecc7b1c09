/**
 * Unit with a real agent, beside a controller in a process of its own: benchmarks run commands in its hook context. The
 * model has secrets that the unit may read, and the unit has storage.
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MachineAgent } from '../src/agent/machine/machine-agent.ts';
import type { StorageHost } from '../src/agent/machine/storage-worker.ts';
import { connect } from '../src/client/connect.ts';
import type { Connection } from '../src/client/connection.ts';
import { uploadCharm } from '../src/client/http.ts';
import { createSimulatedProvider } from '../src/providers/clouds/simulated/index.ts';
import { testController } from '../src/testing/controller.ts';
import { startMachineAgent } from '../src/testing/start-machine-agent.ts';
import { makeZip } from '../src/testing/zip.ts';
import { benchCloud } from './controller.ts';

/** Messages of the controller's process. */
interface Served {
  readonly modelUuid: string;
  readonly addresses: readonly string[];
  readonly caCert: string;
  readonly login: { readonly tag: string; readonly password: string };
}
interface Started {
  readonly machineId: string;
  readonly agentConf: string;
}

if (process.argv[2] === 'serve-agent-world') await serve();

/** Serves a controller until the parent disconnects, and tells the parent which machines to start. */
async function serve(): Promise<void> {
  const cloud = benchCloud({
    onStart: ({ params }) => {
      const { machineId, agent } = params;
      process.send!({ machineId, agentConf: agent.agentConf } satisfies Started);
    },
  });
  const controller = await testController(createSimulatedProvider(cloud), { validate: false });
  const modelUuid = await controller.addModel('bench');
  const { addresses, caCert, login } = controller.connectOptions();
  process.send!({ modelUuid, addresses, caCert, login } as Served);
  await once(process, 'disconnect');
  await controller[Symbol.asyncDispose]();
}

interface AgentWorld extends AsyncDisposable {
  readonly folder: string;
  /** Paths of the secrets' ids and of the storages' ids, one a line, for the driver. */
  readonly secretIds: string;
  readonly storageIds: string;
  /** Runs a shell command in the unit's hook context. Resolves with its stdout. */
  readonly inUnit: (command: string) => Promise<string>;
}

/** Starts the world, or returns undefined where there is no C compiler for the programs that measure. */
export async function agentWorld(size: { secrets: number; storages: number }): Promise<AgentWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-bench-'));
  const server = fork(import.meta.filename, ['serve-agent-world']);
  const agents: MachineAgent[] = [];
  const dispose = async (): Promise<void> => {
    await Promise.all(agents.map((agent) => agent.stop()));
    server.disconnect();
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [served] = (await once(server, 'message')) as [Served];
    startMachines(server, { served, folder, agents });
    const connection = await connect(served);
    await deploy(connection, served, { folder, storages: size.storages });
    const ids = await addSecrets(connection, served.modelUuid, size.secrets);
    const secretIds = lines(join(folder, 'secrets'), ids);
    const storageIds = lines(
      join(folder, 'storages'),
      Array.from({ length: size.storages }, (_, n) => `data/${n}`),
    );
    const inUnit = (command: string): Promise<string> => exec(connection, command);
    const asyncDispose = async (): Promise<void> => (await connection.close(), await dispose());
    return { folder, secretIds, storageIds, inUnit, [Symbol.asyncDispose]: asyncDispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function startMachines(
  server: ChildProcess,
  { served, folder, agents }: { served: Served; folder: string; agents: MachineAgent[] },
): void {
  server.on('message', ({ machineId, agentConf }: Started) => {
    const address = served.addresses[0]!;
    void startMachineAgent({ dir: folder, machineId, agentConf, address, storage: folders(folder) }).then(
      (agent) => agents.push(agent),
    );
  });
}

/** Creates a storage host without mounts, which need root. */
function folders(folder: string): StorageHost {
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    make: ({ size }) => Promise.resolve(size),
    mount: ({ id }) => Promise.resolve({ path: join(folder, 'mounts', id) }),
    unmount: nothing,
    destroy: nothing,
    mounted: () => Promise.resolve([]),
    forget: nothing,
  };
}

async function deploy(
  connection: Connection,
  { addresses, caCert, login, modelUuid }: Served,
  { folder, storages }: { folder: string; storages: number },
): Promise<void> {
  const file = join(folder, 'bench.charm');
  writeFileSync(
    file,
    makeZip([
      {
        name: 'metadata.yaml',
        content:
          'name: bench\nsummary: s\ndescription: d\nstorage:\n  data: {type: filesystem, multiple: {range: 0-}}\n',
      },
      { name: 'config.yaml', content: 'options:\n  port: {type: int, default: 80, description: d}\n' },
      { name: 'hooks/start', content: '#!/bin/sh\nstatus-set active\n', mode: 0o100755 },
    ]),
  );
  const to = { addresses, caCert, login, modelUuid };
  const url = await uploadCharm({ ...to, name: 'bench', revision: 0, file });
  const { results } = await connection.call<{ results: { error?: { message: string } }[] }>(
    'Application',
    'Deploy',
    {
      applications: [
        {
          application: 'bench',
          'charm-url': url,
          'charm-origin': {
            source: 'local',
            type: 'charm',
            base: { name: 'ubuntu', channel: '24.04/stable' },
          },
          'num-units': 1,
          storage: { data: { pool: 'rootfs', size: 1, count: storages } },
        },
      ],
    },
  );
  if (results[0]?.error) throw new Error(results[0].error.message);
}

/** Adds users' secrets and grants them to the application. Returns their URIs. */
async function addSecrets(connection: Connection, modelUuid: string, count: number): Promise<string[]> {
  const uris: string[] = [];
  while (uris.length < count) {
    const batch = Math.min(200, count - uris.length);
    const args = Array.from({ length: batch }, (_, n) => ({
      'owner-tag': `model-${modelUuid}`,
      label: `secret-${uris.length + n}`,
      content: { data: { password: Buffer.from(`password ${uris.length + n}`).toString('base64') } },
    }));
    const { results } = await connection.call<{ results: { result: string; error?: { message: string } }[] }>(
      'Secrets',
      'CreateSecrets',
      { args },
    );
    const created = results.map(({ result, error }) => {
      if (error) throw new Error(error.message);
      return result;
    });
    await Promise.all(
      created.map((uri) =>
        connection.call('Secrets', 'GrantSecret', { uri, label: '', applications: ['bench'] }),
      ),
    );
    uris.push(...created);
  }
  return uris;
}

async function exec(connection: Connection, command: string): Promise<string> {
  const { actions } = await connection.call<{ actions: [{ action: { tag: string } }] }>(
    'Action',
    'EnqueueOperation',
    { actions: [{ receiver: 'unit-bench-0', name: 'juju-exec', parameters: { command } }] },
  );
  const entities = [{ tag: actions[0].action.tag }];
  for (;;) {
    const { results } = await connection.call<{
      results: [
        {
          status: string;
          message?: string;
          output?: { readonly stdout?: string; readonly 'return-code'?: number };
        },
      ];
    }>('Action', 'Actions', { entities });
    const [{ status, message, output }] = results;
    if (status === 'completed' && output?.['return-code'] === 0) return output['stdout'] ?? '';
    if (status !== 'pending' && status !== 'running')
      throw new Error(`${command}: ${status} ${message ?? ''} ${JSON.stringify(output)}`);
    await sleep(20);
  }
}

function lines(file: string, texts: readonly string[]): string {
  writeFileSync(file, texts.map((text) => `${text}\n`).join(''));
  return file;
}

/** Compiles a C program into the folder. Returns its path, or undefined where there is no C compiler. */
export function compile(
  folder: string,
  name: string,
  source: string,
  flags: readonly string[] = [],
): string | undefined {
  const path = join(folder, name);
  writeFileSync(`${path}.c`, source);
  const { status, stderr } = spawnSync('cc', ['-O2', ...flags, '-o', path, `${path}.c`]);
  if (status !== 0 && stderr?.length) console.log(String(stderr));
  return status === 0 ? path : undefined;
}

/**
 * Program that runs another one <n> times and prints the median in milliseconds. Each call has one further argument,
 * from a line of the file, beginning with line <first>.
 */
export const driverSource = String.raw`
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
extern char **environ;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
static int order(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return x < y ? -1 : x > y; }
int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], "r");
  int first = atoi(argv[2]), n = atoi(argv[3]), count = 0;
  char **lines = NULL, *line = NULL; size_t size = 0;
  if (!file) return 2;
  while (getline(&line, &size, file) > 0) {
    line[strcspn(line, "\n")] = 0;
    lines = realloc(lines, (count + 1) * sizeof *lines);
    lines[count++] = strdup(line);
  }
  double *times = malloc(n * sizeof *times);
  char **args = calloc(argc, sizeof *args);
  memcpy(args, argv + 4, (argc - 4) * sizeof *args);
  posix_spawn_file_actions_t f;
  posix_spawn_file_actions_init(&f);
  posix_spawn_file_actions_addopen(&f, 1, "/dev/null", O_WRONLY, 0);
  for (int i = 0; i < n; i++) {
    pid_t pid; int status; double start = now();
    args[argc - 4] = lines[(first + i) % count];
    if (posix_spawn(&pid, args[0], &f, NULL, args, environ)) return 1;
    waitpid(pid, &status, 0);
    if (status) { fprintf(stderr, "%s %s: status %d\n", args[0], args[argc - 4], status); return 1; }
    times[i] = now() - start;
  }
  qsort(times, n, sizeof *times, order);
  printf("%f\n", times[n / 2]);
}
`;
