import { makeBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import type { HostFacts } from '../../contract/enlist.ts';
import { defined } from '../../../core/defined.ts';

/**
 * Parses the output of the inspection, lines of `key=value`. Errors: JujuError `not supported` (no base, no known
 * processor).
 */
export function readHostFacts(output: string): HostFacts {
  const lines = output.split('\n').map((line) => line.split(/=(.*)/s) as [string, string?]);
  const first = (key: string): string => lines.find(([one]) => one === key)?.[1]?.trim() ?? '';
  const base = baseOf(first('base'));
  const machine = first('arch');
  const arch = archs[machine];
  if (!arch) throw new JujuError('not supported', `processors of type "${machine}" are not supported`);
  const mem = Math.floor(Number(first('mem')) / 1024);
  const cores = coresOf(lines);
  return {
    base,
    hardware: { arch, ...defined({ mem: mem > 0 ? mem : undefined, cores: cores > 0 ? cores : undefined }) },
  };
}

/** Architecture names of Juju by `uname -m`. */
const archs: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  amd64: 'amd64',
  aarch64: 'arm64',
  arm64: 'arm64',
  ppc64le: 'ppc64el',
  s390x: 's390x',
  riscv64: 'riscv64',
};

function baseOf(text: string): Base {
  const [name = '', track = ''] = text.split('@');
  try {
    return makeBase(name, track);
  } catch {
    throw new JujuError('not supported', 'its /etc/os-release names no operating system and release');
  }
}

/** Returns the cores of all sockets; the number of processors when sockets are not listed. */
function coresOf(lines: readonly (readonly [string, string?])[]): number {
  const sockets = new Map<string, number>();
  let socket: string | undefined;
  let processors = 0;
  for (const [key, value = ''] of lines) {
    if (key === 'processor') processors++;
    if (key === 'socket') socket = value;
    if (key === 'cores' && socket !== undefined) sockets.set(socket, Number(value));
  }
  const cores = [...sockets.values()].reduce((sum, one) => sum + one, 0);
  return cores > 0 ? cores : processors;
}
