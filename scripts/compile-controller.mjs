/**
 * Runs a controller of this build once, without machines, in a folder of its own: the code that V8 compiles for it stays
 * beside the build, so that the first start of a clone takes no longer than the next. What fails here is no harm.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const mostMs = 20_000;

/** `root`: the clone, whose own Node runs the controller: no other may use what it compiles. */
export async function compileController(root) {
  const node = await ownNode(root);
  if (node === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'grigri-build-'));
  try {
    const data = join(folder, 'data');
    const program = join(root, 'dist/quick/controller.mjs');
    const child = spawn(node, [program, 'run', '--init', '--data-dir', data], {
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: mostMs,
      killSignal: 'SIGKILL',
    });
    const ended = once(child, 'close');
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${JSON.stringify(firstController())}\n`);
    child.stdout.once('data', () => child.stdin.end('run\n'));
    for await (const line of createInterface({ input: child.stderr }))
      if (line.includes('controller started')) child.kill('SIGTERM');
    await ended;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Path of the clone's own Node; undefined when it is not installed. */
export async function ownNode(root) {
  const modules = join(root, 'node_modules');
  const own = (await readdir(modules)).find((name) => name.startsWith('node-linux-'));
  return own && join(modules, own, 'bin/node');
}

function firstController() {
  return {
    name: 'build',
    cloud: { name: 'local', type: 'local', region: 'localhost' },
    credential: { name: 'default', authType: 'empty', attributes: {} },
    adminUser: 'admin',
    adminPassword: 'only-while-the-build-lasts',
    config: { 'api-port': 0 },
  };
}
