/** Checks that docs/reference/hook-tools.md agrees with the code of every tool, and with what hooks get from calls. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../kit/log.ts';
import { fakeHookContext } from '../testing/hook-context.ts';
import { places, toolCalls, type ToolCallShown } from '../testing/tool-calls.ts';
import { answerOf, withToolTables } from '../testing/tool-table.ts';
import { installHookTools } from './install-hook-tools.ts';
import { HookSocket } from './socket.ts';
import { tools } from './tools.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/hook-tools.md'), 'utf8');

let dir = '';
let socket: HookSocket;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'grigri-tools-'));
  await installHookTools({ dir: join(dir, 'tools'), version: '3.6.28', arch: 'amd64' });
  socket = await HookSocket.listen({ path: join(dir, 'run', 'agent.socket'), log: silentLog });
});
afterAll(async () => {
  await socket.close();
  rmSync(dir, { recursive: true, force: true });
});

test('the tables in docs/reference/hook-tools.md are those of the code: npm run docs:hook-tools', async () => {
  expect(page).toBe(await withToolTables(page));
});

test.each([...tools.keys()])('the table has a row for %s', (name) => {
  expect(page).toContain(`\n| \`${name}\` | `);
});

test('the page shows calls of tools that exist', () => {
  expect(toolCalls.filter(({ argv }) => !tools.has(argv[0]!))).toEqual([]);
});

test.each(toolCalls.map((call) => [call.argv.join(' '), call] as const))(
  'a hook that calls "%s" gets what the page says',
  async (_, call) => {
    const { code, stdout, stderr } = await answerOf(call);
    expect(await fromHook(call)).toEqual({ code, stdout, stderr });
  },
);

/** Returns the answer to the tool's program, which runs in a process like a hook's. */
async function fromHook({ argv: [name = '', ...args], where }: ToolCallShown) {
  const session = socket.open(fakeHookContext(places[where]), () => undefined);
  const env = { JUJU_CONTEXT_ID: session.contextId, JUJU_AGENT_SOCKET_ADDRESS: socket.path };
  const answer = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(join(dir, 'tools', name), args, { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
  await session.end();
  return answer;
}
