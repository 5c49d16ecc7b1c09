import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describeProvider, type Look } from 'grigri/conformance';
import { unshare } from './provider.ts';

describeProvider({
  name: 'unshare',
  possible: canUnshare() || 'this host lets nobody make namespaces',
  fresh: () => unshare,
  process: { module: new URL('provider.ts', import.meta.url).href, name: 'unshare' },
  displayName: (modelUuid, machineId) => `juju-${modelUuid.slice(-6)}-${machineId}`,
  sharesAddress: true,
  leftovers,
});

function canUnshare(): boolean {
  try {
    execFileSync('unshare', ['--mount', '--uts', '--pid', '--fork', '--mount-proc', 'true']);
    return true;
  } catch {
    return false;
  }
}

/** Finds processes that have anything of the machines in their command line. */
function leftovers({ folder, modelUuids }: Look): string[] {
  const marks = [folder, ...modelUuids.map((uuid) => `juju-${uuid.slice(-6)}-`)];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((command) => marks.some((mark) => command.includes(mark)));
}
