import type { HookContext } from './context.ts';
import type { Flag, Tool } from './tool.ts';

/**
 * The text of `<tool> --help`. Charms look in it for the flags that they may use, and for what they are of this hook
 * (hook-tools.md#help).
 */
export function toolHelp(tool: Tool, context: HookContext): string {
  const flags = Object.entries(tool.flags).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    `Usage: ${tool.name}${flags.length > 0 ? ' [options]' : ''}${tool.args === '' ? '' : ` ${tool.args}`}`,
  ];
  lines.push('', 'Summary:', tool.purpose);
  if (flags.length > 0) lines.push('', 'Options:');
  for (const [name, flag] of flags) {
    const names = [...(flag.short === undefined ? [] : [flag.short]), name].map((one) => dashed(one));
    lines.push(`${names.join(', ')} (= ${initial(flag, context)})`, `    ${flag.help}`);
  }
  return `${lines.join('\n')}\n`;
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function initial(flag: Flag, context: HookContext): string {
  if (flag.kind === 'bool') return 'false';
  return flag.kind === 'string' ? (flag.ofHook?.(context) ?? flag.default ?? '') : '';
}
