/** Generated part of docs/reference/hook-tools.md: every hook tool, and the answers to calls of them. */
import { silentLog } from '../kit/log.ts';
import { runTool, type ToolResult } from '../hooks/run-tool.ts';
import type { Flag, Tool } from '../hooks/tool.ts';
import { tools } from '../hooks/tools.ts';
import { fakeHookContext } from './hook-context.ts';
import { code, markdownTable, withGenerated } from './generated.ts';
import { places, toolCalls, type ToolCallShown } from './tool-calls.ts';

/** Returns the page with its generated part renewed. Errors: when the page has no place for that part. */
export async function withToolTables(page: string): Promise<string> {
  return withGenerated(page, 'hook-tools', `${toolTable()}\n\n${await answerTable()}`);
}

function toolTable(): string {
  const rows = [...tools.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((tool) => [tool.name, tool.args, flagsOf(tool), tool.output ?? ''].map(code));
  return markdownTable(['tool', 'arguments', 'flags', 'default format'], rows);
}

function flagsOf({ flags }: Tool): string {
  return Object.entries(flags)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => flagText(name, flag))
    .join(' ');
}

function flagText(name: string, flag: Flag): string {
  const short = flag.short ?? (name.length === 1 ? name : undefined);
  const names = [...(short === undefined ? [] : [`-${short}`]), ...(name.length > 1 ? [`--${name}`] : [])];
  const value = flag.kind === 'bool' ? '' : ` <${flag.kind === 'file' ? 'file' : 'text'}>`;
  return `[${names.join('|')}${value}]`;
}

async function answerTable(): Promise<string> {
  const rows = await Promise.all(toolCalls.map(answerRow));
  return markdownTable(['call', 'in', 'exit code', 'default', 'json', 'stderr'], rows);
}

async function answerRow(call: ToolCallShown): Promise<string[]> {
  const plain = await answerOf(call);
  const hasFormats = plain.code === 0 && tools.get(call.argv[0]!)?.output !== undefined;
  const [smart, json] = hasFormats
    ? [plain.stdout, (await answerOf(withFormat(call, 'json'))).stdout]
    : ['', ''];
  return [
    code(call.argv.join(' ')),
    call.where,
    String(plain.code),
    ...[smart, json, plain.stderr].map((text) => code(text === '' ? '' : JSON.stringify(text))),
  ];
}

function withFormat({ argv, where }: ToolCallShown, format: string): ToolCallShown {
  return { argv: [...argv, `--format=${format}`], where };
}

/** Returns the agent's answer to a call. */
export function answerOf({ argv: [name = '', ...args], where }: ToolCallShown): Promise<ToolResult> {
  return runTool({
    context: fakeHookContext(places[where]),
    name,
    args,
    signal: new AbortController().signal,
    readFile: () => Promise.reject(new Error('no call reads a file')),
    inTurn: async (run) => await run(),
    log: silentLog,
  });
}
