/** Installation of a controller on another computer by a shell there: its program, data and service. */
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { createGzip } from 'node:zlib';
import { quoted } from '../../providers/toolkit/user-data/shell.ts';
import type { InitConfig, InitResult } from '../../wire/controller-init.ts';
import type { CommandContext } from '../context.ts';
import type { RootShell } from './root-shell.ts';
import { launcherName, readRuntime, type RuntimeFile } from './runtime.ts';
import { controllerCommand, dataDir, installScript, programDir } from './service.ts';

const mib = 1024 ** 2;

/** Juju's names of architectures by the output of `uname -m`, where the two differ. */
const archs: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  aarch64: 'arm64',
  ppc64le: 'ppc64el',
};

/**
 * Installs the controller's program. Errors: JujuError `not supported` for an architecture without a program; plain
 * Error.
 */
export async function installController(
  context: CommandContext,
  shell: RootShell,
  config: InitConfig,
): Promise<InitResult> {
  const { signal } = context.io;
  const machine = (await shell.run('uname -m', { signal })).trim();
  const files = await readRuntime(archs[machine] ?? machine);
  await send(context, shell, files);
  context.info('Running machine configuration script...');
  const output = await shell.run(
    `umask 077; exec ${controllerCommand.join(' ')} init --data-dir ${dataDir}`,
    {
      stdin: JSON.stringify(config),
      signal,
    },
  );
  await shell.run(installScript(config.name), { signal });
  context.info('Bootstrap agent now started');
  return JSON.parse(output) as InitResult;
}

/** Sends the files that are missing there. A file is either complete or absent. */
async function send(context: CommandContext, shell: RootShell, files: readonly RuntimeFile[]): Promise<void> {
  const { signal } = context.io;
  const names = files.map(({ name }) => name).join(' ');
  const sums = await shell.run(
    `mkdir -p -m 755 ${programDir}/${dirname(launcherName)} && cd ${programDir} && sha256sum ${names} 2>/dev/null; true`,
    { signal },
  );
  const presentSums = new Set(sums.split('\n').map((line) => line.replace(/\s+\*?/, ' ')));
  const missing = files.filter(({ name, sha256 }) => !presentSums.has(`${sha256} ${name}`));
  if (missing.length === 0) return;
  const total = missing.reduce((sum, { size }) => sum + size, 0);
  context.info(`Sending the controller's program (${Math.ceil(total / mib)} MiB)`);
  const count = counter(context, total);
  try {
    for (const file of missing) await sendFile(shell, file, { signal, count });
  } finally {
    context.showTransient('');
  }
}
const progressIntervalMs = 10_000;

/** Shows how many bytes of `total` are sent, each time that some more are. */
export function counter(context: CommandContext, total: number): (bytes: number) => void {
  let sentBytes = 0;
  let shownAt = context.io.clock.now();
  return (bytes) => {
    sentBytes += bytes;
    const line = ` - ${Math.floor(sentBytes / mib)} of ${Math.ceil(total / mib)} MiB`;
    context.showTransient(line);
    if (context.io.stderr.isTTY || context.io.clock.now() - shownAt < progressIntervalMs) return;
    shownAt = context.io.clock.now();
    context.info(line);
  };
}

async function sendFile(
  shell: RootShell,
  { name, path, sha256 }: RuntimeFile,
  { signal, count }: { signal: AbortSignal; count: (bytes: number) => void },
): Promise<void> {
  const counted = new Transform({
    transform(chunk: Buffer, _, callback) {
      count(chunk.length);
      callback(undefined, chunk);
    },
  });
  const body = Readable.from(createReadStream(path, { highWaterMark: 1 << 18 }))
    .compose(counted)
    .compose(createGzip({ level: 1 }));
  const newFile = quoted(`${name}.new`);
  await shell.run(
    `set -e; cd ${programDir}; gzip -dc >${newFile}; echo ${quoted(`${sha256}  ${name}.new`)} | sha256sum -c --quiet -; chmod 755 ${newFile}; mv ${newFile} ${quoted(name)}`,
    { stdin: body as Readable, signal },
  );
}
