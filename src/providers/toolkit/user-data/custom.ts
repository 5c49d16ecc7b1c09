import type { FirstBoot } from '../../contract/provider.ts';
import { quoted } from './shell.ts';

/** What of the first boot `cloudinit-userdata` adds to, or decides; the rest of it is cloud-init's own affair. */
export interface Custom {
  readonly packages: readonly string[];
  /** Commands of a shell. */
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

/** A line that says something, and only one. */
export function isListed(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.trim() !== '' && !/[\u0000-\u0008\u000a-\u001f]/.test(text);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** As cloud-init's runcmd: a text is for the shell, a list is words. */
function commandOf(given: unknown): string {
  return Array.isArray(given) ? given.map((word) => quoted(String(word))).join(' ') : String(given);
}
