import type { FirstBoot } from '../../contract/provider.ts';
import { quoted } from './shell.ts';

/** Parts of `cloudinit-userdata` that extend or decide the first boot; the others are left to cloud-init. */
interface Custom {
  readonly packages: readonly string[];
  /** Shell commands to run first. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly refresh: boolean;
  readonly upgrade: boolean;
  readonly rest: Readonly<Record<string, unknown>>;
}

export function customOf({ custom, refresh, upgrade }: FirstBoot): Custom {
  const { packages, preruncmd, postruncmd, package_update, package_upgrade, ...rest } = custom;
  return {
    packages: listOf(packages)
      .map((one) => (Array.isArray(one) ? one.join('=') : String(one)))
      .filter(isListed),
    before: listOf(preruncmd).map(commandOf),
    after: listOf(postruncmd).map(commandOf),
    refresh: typeof package_update === 'boolean' ? package_update : refresh,
    upgrade: typeof package_upgrade === 'boolean' ? package_upgrade : upgrade,
    rest,
  };
}

/** Tells whether a text is exactly one line and not blank. */
export function isListed(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.trim() !== '' && !/[\u0000-\u0008\u000a-\u001f]/.test(text);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Converts an entry of cloud-init's runcmd: a text is for the shell, a list is argv. */
function commandOf(command: unknown): string {
  return Array.isArray(command) ? command.map((word) => quoted(String(word))).join(' ') : String(command);
}
