/**
 * Measures a hook tool's round trip, from the start of its process to its end, against a static C program's on the same
 * socket: `node bench/hooktool.ts [--quick]`. A C program starts both, since starting them from Node would cost more
 * than the round trip. Needs a C compiler for the floor.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { installHookTools } from '../src/hooks/install-hook-tools.ts';
import { HookSocket } from '../src/hooks/socket.ts';
import { silentLog } from '../src/kit/log.ts';
import { fakeHookContext } from '../src/testing/hook-context.ts';
import { exitCode, pairs, report } from './floor.ts';

/** Minimal program that asks the agent something: connects, sends one request, reads frames until the exit code. */
const floorSource = String.raw`
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static void take(int s, void *to, size_t n) {
  for (size_t done = 0; done < n;) { ssize_t got = read(s, (char *)to + done, n - done); if (got <= 0) _exit(9); done += got; }
}
int main(void) {
  struct sockaddr_un a = { .sun_family = AF_UNIX };
  strncpy(a.sun_path, getenv("JUJU_AGENT_SOCKET_ADDRESS"), sizeof a.sun_path - 1);
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(s, (struct sockaddr *)&a, sizeof a)) return 8;
  char request[512]; char *id = getenv("JUJU_CONTEXT_ID"); size_t n = strlen(id);
  memcpy(request + 4, id, n); memcpy(request + 4 + n, "\0config-get\0port", 16); n += 16;
  request[0] = request[1] = 0; request[2] = n >> 8; request[3] = n;
  if (write(s, request, n + 4) < 0) return 7;
  for (;;) {
    unsigned char head[5], body[4096];
    take(s, head, 5);
    size_t size = (head[3] << 8) | head[4];
    take(s, body, size);
    if (head[0] == 'x') return body[0];
    if (write(head[0] == 'o' ? 1 : 2, body, size) < 0) return 6;
  }
}
`;

/** Program that runs another one <n> times, output to /dev/null, and prints the median in milliseconds. */
const driverSource = String.raw`
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
extern char **environ;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
static int order(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return x < y ? -1 : x > y; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  double *times = malloc(n * sizeof *times);
  posix_spawn_file_actions_t f;
  posix_spawn_file_actions_init(&f);
  posix_spawn_file_actions_addopen(&f, 1, "/dev/null", O_WRONLY, 0);
  for (int i = 0; i < n; i++) {
    pid_t pid; int status; double start = now();
    if (posix_spawn(&pid, argv[2], &f, NULL, argv + 2, environ)) return 1;
    waitpid(pid, &status, 0);
    if (status) { fprintf(stderr, "%s: status %d\n", argv[2], status); return 1; }
    times[i] = now() - start;
  }
  qsort(times, n, sizeof *times, order);
  printf("%f\n", times[n / 2]);
}
`;

const quick = process.argv.includes('--quick');
const folder = mkdtempSync(join(tmpdir(), 'grigri-bench-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const driver = compile('driver', driverSource, []);
  const floorProgram = compile('floor', floorSource, ['-static']);
  if (driver === undefined || floorProgram === undefined) {
    console.log('hooktool: no C compiler for the floor: unjudged');
    return 2;
  }
  const toolsDir = join(folder, 'tools');
  await installHookTools({ dir: toolsDir, version: '3.6.28', arch: 'amd64' });
  await using socket = await HookSocket.listen({ path: join(folder, 'run', 'agent.socket'), log: silentLog });
  const session = socket.open(fakeHookContext(), () => undefined);
  const env = {
    PATH: '/usr/bin:/bin',
    // The locale is that of a hook, where perl loads it.
    LANG: 'C.UTF-8',
    JUJU_AGENT_SOCKET_ADDRESS: socket.path,
    JUJU_CONTEXT_ID: session.contextId,
  };
  const timed =
    (calls: number, ...program: string[]) =>
    async (): Promise<number> =>
      Number((await promisify(execFile)(driver, [String(calls), ...program], { env })).stdout);
  const calls = quick ? 20 : 100;
  const tool = timed(calls, join(toolsDir, 'config-get'), 'port');
  const rounds = quick ? 5 : 11;
  const verdicts = [
    report('hooktool: config-get / static C', await pairs(timed(calls, floorProgram), tool, rounds), {
      atMost: 5,
    }),
    report(
      'hooktool: config-get / node -e 0',
      await pairs(timed(Math.ceil(calls / 10), process.execPath, '-e', '0'), tool, rounds),
      { atMost: 0.15 },
    ),
  ];
  await session.end();
  return exitCode(verdicts);
}

function compile(name: string, source: string, flags: readonly string[]): string | undefined {
  const path = join(folder, name);
  writeFileSync(`${path}.c`, source);
  const { status, stderr } = spawnSync('cc', ['-O2', ...flags, '-o', path, `${path}.c`]);
  if (status !== 0 && stderr?.length) console.log(String(stderr));
  return status === 0 ? path : undefined;
}
