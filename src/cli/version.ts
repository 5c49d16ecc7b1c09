import { readFileSync } from 'node:fs';
import { jujuVersion } from '../core/juju-version.ts';
import { architecture } from './architecture.ts';

const grigriVersion = '0.1.0';

interface VersionInfo {
  /** Version as in `3.6.28-ubuntu-amd64`. */
  readonly version: string;
  readonly 'git-commit': string;
  readonly 'git-tree-state': string;
  readonly compiler: string;
  readonly official: boolean;
  readonly grigri: string;
}

export function versionInfo(): VersionInfo {
  return {
    version: `${jujuVersion}-${osName()}-${architecture()}`,
    'git-commit': '',
    'git-tree-state': '',
    compiler: `node ${process.versions.node}`,
    official: false,
    grigri: grigriVersion,
  };
}

/** Returns the operating system. Juju distinguishes ubuntu and centos, and has one name for other Linuxes. */
function osName(): string {
  if (process.platform !== 'linux') return process.platform === 'darwin' ? 'osx' : process.platform;
  try {
    const id = /^ID="?(\w+)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
    return id === 'ubuntu' || id === 'centos' ? id : 'genericlinux';
  } catch {
    return 'genericlinux';
  }
}
