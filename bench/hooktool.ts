/**
 * Measures hook tools' round trips, from the start of the process to its end, against a static C program that asks the
 * same over the same socket: `node bench/hooktool.ts [--quick]`. Hook tools run in a unit's hook context, in a model
 * with secrets and storage. A C program starts both, since starting them from Node would cost more than the round trip.
 * Needs a C compiler for the floor.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentWorld, compile, driverSource } from './agent-world.ts';
import { exitCode, pairs, report, type Verdict } from './floor.ts';

/** Minimal program that asks the agent its arguments: connects, sends one request, reads frames until the exit code. */
const floorSource = String.raw`
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static void take(int s, void *to, size_t n) {
  for (size_t done = 0; done < n;) { ssize_t got = read(s, (char *)to + done, n - done); if (got <= 0) _exit(9); done += got; }
}
int main(int argc, char **argv) {
  struct sockaddr_un a = { .sun_family = AF_UNIX };
  strncpy(a.sun_path, getenv("JUJU_AGENT_SOCKET_ADDRESS"), sizeof a.sun_path - 1);
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(s, (struct sockaddr *)&a, sizeof a)) return 8;
  char request[512]; char *id = getenv("JUJU_CONTEXT_ID"); size_t n = strlen(id);
  memcpy(request + 4, id, n);
  for (int i = 1; i < argc; i++) { size_t m = strlen(argv[i]); request[4 + n] = 0; memcpy(request + 5 + n, argv[i], m); n += m + 1; }
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

const quick = process.argv.includes('--quick');
process.exitCode = await main();

async function main(): Promise<number> {
  await using world = await agentWorld({ secrets: quick ? 50 : 2_000, storages: quick ? 5 : 100 });
  const { folder, inUnit, secretIds, storageIds } = world;
  const driver = compile(folder, 'driver', driverSource);
  const floorProgram = compile(folder, 'floor', floorSource, ['-static']);
  if (driver === undefined || floorProgram === undefined) {
    console.log('hooktool: no C compiler for the floor: unjudged');
    return 2;
  }
  const ports = join(folder, 'ports');
  writeFileSync(ports, 'port\n');
  const scripts = join(folder, 'scripts');
  writeFileSync(scripts, '0\n');
  const calls = quick ? 20 : 100;
  const rounds = quick ? 5 : 11;
  const timed =
    (file: string, program: string, count = calls) =>
    async (): Promise<number> =>
      Number(await inUnit(`${driver} ${file} 0 ${count} ${program}`));
  /** Returns the program of a tool, found as the shell of a hook finds it. */
  const tool = (name: string): string => `"$(command -v ${name})"`;
  const against = async (file: string, name: string, more = ''): Promise<void> => {
    const floor = timed(file, `${floorProgram} ${name}${more}`);
    const product = timed(file, `${tool(name)}${more}`);
    verdicts.push(report(`hooktool: ${name} / static C`, await pairs(floor, product, rounds), { atMost: 5 }));
  };
  const verdicts: Verdict[] = [];
  await against(ports, 'config-get');
  await against(storageIds, 'storage-get', ' -s');
  // The first reading makes the unit track the secret, which is another exchange.
  await inUnit(`${driver} ${secretIds} 0 ${calls} ${tool('secret-get')}`);
  await against(secretIds, 'secret-get');
  const node = timed(scripts, `${process.execPath} -e`, Math.ceil(calls / 10));
  verdicts.push(
    report('hooktool: config-get / node -e 0', await pairs(node, timed(ports, tool('config-get')), rounds), {
      atMost: 0.15,
    }),
  );
  return exitCode(verdicts);
}
