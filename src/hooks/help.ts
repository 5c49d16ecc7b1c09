import type { Tool } from './tool.ts';

/** The text of `<tool> --help`. Charms look in it for the flags that they may use. */
export function toolHelp(tool: Tool): string {
  const flags = Object.entries(tool.flags).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    `Usage: ${tool.name}${flags.length > 0 ? ' [options]' : ''}${tool.args === '' ? '' : ` ${tool.args}`}`,
  ];
  lines.push('', 'Summary:', tool.purpose);
  if (flags.length > 0) lines.push('', 'Options:');
  for (const [name, flag] of flags) {
    const initial = flag.kind === 'bool' ? 'false' : flag.kind === 'string' ? (flag.default ?? '') : '';
    lines.push(
      `${flag.short === undefined ? '' : `-${flag.short}, `}--${name} (= ${initial})`,
      `    ${flag.help}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
