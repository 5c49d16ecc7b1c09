/** Leftovers of suites on the host. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { namesIn, textOf } from '../../src/testing/host-files.ts';

/** Returns the processes that belong to a suite: they have its folder in their environment, arguments or mounts. */
export function processesOf(folder: string): { readonly pid: number; readonly command: string }[] {
  return namesIn('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) =>
      ['environ', 'cmdline', 'mountinfo'].some((file) => textOf(`/proc/${pid}/${file}`).includes(folder)),
    )
    .map((pid) => ({ pid, command: textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }))
    .filter(({ command }) => command !== '');
}

/** Returns traces of the product in the kernel, and LXD's folders. */
export function hostTraces(): Set<string> {
  return new Set([
    ...namesIn('/sys/class/net')
      .filter((name) => /^(gri|gv[0-9a-f]{10})/.test(name))
      .map((name) => `interface ${name}`),
    ...namesIn('/run/netns')
      .filter((name) => name.startsWith('grigri'))
      .map((name) => `network namespace ${name}`),
    ...textOf('/proc/self/mountinfo')
      .split('\n')
      .flatMap((line) => line.split(' ')[4] ?? [])
      .filter((point) => point.includes('grigri'))
      .map((point) => `mount ${point}`),
    ...tables().map((table) => `firewall ${table}`),
    ...globSync('/sys/fs/cgroup/{,*/}grigri/*/').map((path) => `limits ${path}`),
    ...globSync('/var/tmp/grigri-lxd*').map((path) => `folder ${path}`),
    ...globSync('/usr/bin/juju-{exec,run}').map((path) => `program ${path}`),
  ]);
}

function tables(): string[] {
  try {
    const output = execFileSync('nft', ['list', 'tables'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
    });
    return output.split('\n').filter((line) => line.includes('gri'));
  } catch {
    return [];
  }
}
