import type { HookContext } from './context.ts';
import type { Flag, Flags, Tool } from './tool.ts';

type StringFlag = Flag & { readonly kind: 'string' };

/**
 * Returns the text of `<tool> --help`. Charms look in it for flags that they may use, and for the flags' defaults in
 * this hook (hook-tools.md#help).
 */
export function toolHelp(tool: Tool, context: HookContext): string {
  const options = optionLines(tool.flags, (flag) => flag.ofHook?.(context));
  const lines = [
    `Usage: ${tool.name}${options.length > 0 ? ' [options]' : ''}${tool.args === '' ? '' : ` ${tool.args}`}`,
    '',
    'Summary:',
    tool.purpose,
    ...(options.length > 0 ? ['', 'Options:', ...options] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns two lines for each flag: its names with its default value, and its description. */
export function optionLines(flags: Flags, ofHook: (flag: StringFlag) => string | undefined): string[] {
  const sorted = Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.flatMap(([name, flag]) => {
    const names = [...(flag.short === undefined ? [] : [flag.short]), name].map((one) => dashed(one));
    return [`${names.join(', ')} (= ${initial(flag, ofHook)})`, `    ${flag.help}`];
  });
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function initial(flag: Flag, ofHook: (flag: StringFlag) => string | undefined): string {
  if (flag.kind === 'bool') return 'false';
  return flag.kind === 'string' ? (ofHook(flag) ?? flag.default ?? '') : '';
}
