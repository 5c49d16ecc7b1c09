import {
  access,
  chmod,
  constants,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';

import { hookToolScript, nodeHookToolScript } from './hook-tool-script.ts';
import { tools } from './tools.ts';
import { makeFolder } from '../kit/make-folder.ts';

interface HookToolsInstallation {
  /** Folder of the tools: `<dataDir>/tools/unit-mysql-0` or `<dataDir>/tools/machine-3`. */
  readonly dir: string;
  /** Version that `jujud version` prints before `-ubuntu-<arch>`: `3.6.28`. */
  readonly version: string;
  /** Juju's name of the architecture: `amd64`, `arm64`. */
  readonly arch: string;
  /** Path of perl; default: /usr/bin/perl. Where it is missing, the tools run on this process's Node. */
  readonly perl?: string;
}

const program = 'hook-tool';

/**
 * Installs every hook tool in `dir`, which goes first on a hook's PATH, and the `jujud` that charms ask for Juju's
 * version (hook-tools.md#jujud-version). May be repeated: files that are up to date are not touched.
 */
export async function installHookTools(options: HookToolsInstallation): Promise<void> {
  const { dir, version, arch, perl = '/usr/bin/perl' } = options;
  await makeFolder(dir);
  const script = (await isExecutable(perl))
    ? hookToolScript.replace('/usr/bin/perl', perl)
    : nodeHookToolScript(process.execPath);
  await ensureProgram(join(dir, program), script);
  await ensureProgram(join(dir, 'jujud'), jujudScript(`${version}-ubuntu-${arch}`));
  for (const name of tools.keys()) await ensureLink(join(dir, name), program);
}

/** Options for installing `juju-exec`, which is for root only. */
interface ExecInstallation {
  /** Folders that get `juju-exec`, and `juju-run`, its former name. */
  readonly dirs: readonly string[];
  /** Folder where installHookTools has put the tools. */
  readonly toolsDir: string;
  readonly socket: string;
}

const execHeader =
  '#!/bin/sh\n# Written by grigri: runs commands in the context of a unit on this machine.\n';

/** Installs `juju-exec` in each folder, but never replaces another program. */
export async function installExec({ dirs, toolsDir, socket }: ExecInstallation): Promise<void> {
  const script = `${execHeader}if [ -n "$JUJU_CONTEXT_ID" ]; then
  echo "ERROR juju-exec cannot be called from within a hook, have context \\"$JUJU_CONTEXT_ID\\"" >&2
  exit 2
fi
if [ ! -w '${socket}' ] && [ "$(id -u)" != 0 ]; then
  echo 'ERROR juju-exec needs root: sudo juju-exec …' >&2
  exit 1
fi
JUJU_CONTEXT_ID=exec JUJU_AGENT_SOCKET_ADDRESS='${socket}' exec '${join(toolsDir, program)}' "$@"
`;
  for (const dir of dirs) {
    for (const name of ['juju-exec', 'juju-run']) {
      const path = join(dir, name);
      const existing = await readFile(path, 'utf8').catch(() => execHeader);
      if (existing.startsWith(execHeader)) await ensureProgram(path, script);
    }
  }
}

function jujudScript(version: string): string {
  return `#!/bin/sh
case "$1" in
  version) echo ${version} ;;
  *) echo "ERROR jujud here only knows: jujud version" >&2; exit 2 ;;
esac
`;
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Replaces the program atomically, as a hook may be starting it. */
async function ensureProgram(path: string, content: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === content) return;
  await writeFile(`${path}.new`, content);
  await chmod(`${path}.new`, 0o755);
  await rename(`${path}.new`, path);
}

async function ensureLink(path: string, target: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  await rm(path, { force: true });
  await symlink(target, path);
}
