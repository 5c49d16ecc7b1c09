/**
 * Hosts that are not machines yet: sandboxes of the local provider, each with an sshd, host keys and users of its
 * own, with systemd or without. Needs root.
 */
import { execFile, execFileSync } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/kit/clock.ts';
import { silentLog } from '../../src/kit/log.ts';
import { createLocalProvider } from '../../src/providers/clouds/local/index.ts';
import type { Environ, StartParams } from '../../src/providers/contract/provider.ts';

export interface TestHost {
  readonly name: string;
  readonly address: string;
  /** Runs a script on the host as root, without ssh. Rejects when it fails. */
  run(script: string): Promise<string>;
  /**
   * Returns the files on the host's disk, except those that any host writes by itself: path → type, mode, owner and
   * content.
   */
  files(): Record<string, string>;
  /** Kills every process of the host at once. */
  kill(): Promise<void>;
  /** Boots the host after `kill`, with its files. */
  boot(): Promise<void>;
}

interface Hosts {
  readonly folder: string;
  /** Private key that the authorized_keys of the host's users accept. */
  readonly key: string;
  make(name: string, options: { readonly init: 'systemd' | 'minimal' }): Promise<TestHost>;
  end(): Promise<void>;
}

/**
 * Users: root; `passwordless`, whose sudo needs no password; `asked`, whose sudo asks for the password `open sesame`.
 */
const users = `
install_key() {
  install -d -m 0700 -o "$1" "$2/.ssh"
  install -m 0600 -o "$1" /run/grigri/tools/key.pub "$2/.ssh/authorized_keys"
}
useradd -m -s /bin/bash passwordless
useradd -m -s /bin/bash asked
usermod -p '*' passwordless
echo 'asked:open sesame' | chpasswd
echo 'passwordless ALL=(ALL) NOPASSWD:ALL' >/etc/sudoers.d/passwordless
echo 'asked ALL=(ALL) ALL' >/etc/sudoers.d/asked
chmod 0440 /etc/sudoers.d/*
install_key root /root
install_key passwordless /home/passwordless
install_key asked /home/asked
`;

/** Program in the place of an agent: at each boot it turns the sandbox into a host that has never been a machine. */
const boot = `#!/bin/sh
exec 2>/run/boot.log
set -x
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
umount /var/log/juju && rmdir /var/log/juju
if [ ! -e /etc/host-is-made ]; then
  # The package would start sshd before there are keys and users.
  printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
  [ -x /usr/sbin/sshd ] && command -v sudo || {
    apt-get update -q && apt-get install -y -q --no-install-recommends openssh-server sudo
  } </dev/null >/run/apt.log 2>&1 || exit 1
  rm /usr/sbin/policy-rc.d
  rm -f /etc/ssh/ssh_host_*
  ssh-keygen -q -A
  ${users}
  : >/etc/host-is-made
fi
mkdir -p /run/sshd
if [ -d /run/systemd/system ]; then
  rm -f /etc/systemd/system/jujud-machine-0.service /etc/systemd/system/multi-user.target.wants/jujud-machine-0.service
  systemctl daemon-reload
  exec systemctl start ssh
fi
# As init does.
for one in /etc/rc2.d/S*jujud*; do [ ! -x "$one" ] || "$one" start; done
exec /usr/sbin/sshd -D
`;

export function makeHosts(): Hosts {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-hosts-'));
  chmodSync(folder, 0o755);
  const toolsDir = join(folder, 'tools');
  mkdirSync(toolsDir);
  writeFileSync(join(toolsDir, 'node'), boot, { mode: 0o755 });
  const key = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'tests', '-f', key]);
  writeFileSync(join(toolsDir, 'key.pub'), readFileSync(`${key}.pub`));
  const provider = createLocalProvider();
  const controllerUuid = randomUUID();
  const never = new AbortController().signal;
  const models: Environ[] = [];

  return {
    folder,
    key,

    async make(name, { init }) {
      const environ = provider.open({
        cloud: { name: 'local', type: 'local', region: 'localhost', endpoint: '', config: {} },
        config: provider.validate({ init }),
        controllerUuid,
        modelUuid: randomUUID(),
        modelName: name,
        stateDir: join(folder, 'state'),
        clock: systemClock,
        log: silentLog,
      });
      models.push(environ);
      await environ.create(never);
      const params: StartParams = {
        machineId: '0',
        nonce: name,
        base: { name: 'debian', channel: '12/stable' },
        constraints: {},
        tags: {},
        agent: { toolsDir, dataDir: '/srv/unused', agentConf: '# none\n', version: '3.6.0' },
        progress: () => undefined,
      };
      const { instance } = await environ.instances.start(params, never);
      const address = instance.addresses[0]!.value;

      async function enter(script: string): Promise<string> {
        const [program = '', ...rest] = await environ.enter!(instance.id, { tty: false });
        return new Promise((resolve, reject) =>
          execFile(
            program,
            [...rest, 'sh', '-c', script],
            { maxBuffer: 64 << 20, timeout: 120_000 },
            (error, stdout, stderr) =>
              error ? reject(new Error(`${script}: ${error.message}\n${stderr}`)) : resolve(stdout),
          ),
        );
      }
      async function answers(): Promise<void> {
        for (let tries = 0; ; tries++) {
          try {
            await enter('[ -e /etc/host-is-made ] && pgrep -x sshd');
            return;
          } catch (error) {
            if (tries > 600) throw new Error(await enter('cat /run/boot.log /run/apt.log'), { cause: error });
            await sleep(200);
          }
        }
      }
      await answers();
      return {
        name,
        address,
        run: enter,
        files: () => filesOf(layerOf(folder, instance.id)),
        async kill() {
          const pid = firstPid(folder, instance.id);
          process.kill(pid, 'SIGKILL');
          while (isAlive(pid)) await sleep(20);
        },
        async boot() {
          await environ.instances.start(params, never);
          await answers();
        },
      };
    },

    async end() {
      for (const environ of models) await environ.destroyController(never);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the folder of files that the host has written over the common file system. */
function layerOf(folder: string, instanceId: string): string {
  return findOne(folder, `*${instanceId}/upper`);
}

/** Files that do not count: logs, caches, runtime files, and backups that are made when a user is added. */
const passing =
  /^(run|tmp|proc|sys|dev|var\/(log|tmp|cache|backups)|var\/lib\/(systemd|apt|dpkg|private|polkit-1))(\/|$)|^etc\/(passwd|group|shadow|gshadow|subuid|subgid|sub[ug]id)-$|^etc\/(machine-id|resolv.conf|\.pwd\.lock)$|\.(new|lock)$/;

/** Files whose content changes by itself: images of loop devices, whose file systems write to them at any time. */
const selfChanging = /^var\/lib\/juju\/storage\/loop\//;

/** Returns the files of a layer; a copy of an unchanged file does not count. */
function filesOf(upper: string): Record<string, string> {
  const files: Record<string, string> = {};
  const walk = (path: string): void => {
    for (const name of readdirSync(join(upper, path))) {
      const at = path === '' ? name : `${path}/${name}`;
      if (passing.test(at)) continue;
      const is = looksOf(join(upper, at), !selfChanging.test(at));
      if (is !== looksOf(join('/', at))) files[at] = is;
      if (lstatSync(join(upper, at)).isDirectory()) walk(at);
    }
  };
  walk('');
  return files;
}

function looksOf(path: string, withContent = true): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return '';
  let content = '';
  if (stat.isFile() && withContent) content = hash('sha256', readFileSync(path));
  if (stat.isSymbolicLink()) content = readlinkSync(path);
  return `${stat.mode.toString(8)} ${stat.uid} ${content}`;
}

/** Returns the pid, on the real host, of the sandbox's first process. */
function firstPid(folder: string, instanceId: string): number {
  return Number(readFileSync(findOne(folder, `*${instanceId}/pid`), 'utf8').split(' ')[0]);
}

function findOne(folder: string, path: string): string {
  const found = execFileSync('find', [join(folder, 'state'), '-path', path, '-prune'], { encoding: 'utf8' });
  const [first] = found.trim().split('\n');
  if (!first) throw new Error(`there is no ${path}`);
  return first;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
