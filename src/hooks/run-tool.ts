import { JujuError } from '../core/errors.ts';
import type { Log } from '../kit/log.ts';
import { UsageError } from '../kit/gnuflag.ts';
import type { HookContext } from './context.ts';
import { format, parseFormat } from './format.ts';
import { toolHelp } from './help.ts';
import { parseArguments } from './parse-arguments.ts';
import type { Flags, Tool } from './tool.ts';
import { tools } from './tools.ts';

interface ToolRequest {
  readonly context: HookContext;
  /** Name of the tool, by which its program was called. */
  readonly name: string;
  readonly args: readonly string[];
  /** Reads a file of the caller (`-` is its stdin). Errors: plain JujuError. */
  readFile(path: string): Promise<Buffer>;
  /** Runs a function after the tools that were called before. */
  inTurn<T>(run: () => Promise<T>): Promise<T>;
  /** Aborted when the hook ends. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

export interface ToolResult {
  readonly stdout: string;
  readonly stderr: string;
  /** File to write instead of stdout: `--output FILE`. */
  readonly file?: { readonly path: string; readonly content: string };
  /** Exit code: 0 done, 1 failed, 2 called wrongly. */
  readonly code: number;
}

const outputFlags = {
  format: { kind: 'string', default: 'smart', help: 'Specify output format (json|smart|yaml)' },
  output: { kind: 'string', short: 'o', help: 'Specify an output file' },
} as const satisfies Flags;

/** Runs a hook tool by name. */
export async function runTool(request: ToolRequest): Promise<ToolResult> {
  const found = tools.get(request.name);
  if (!found) return failure(1, `unknown hook tool "${request.name}"`);
  const tool = withOutput(found);
  try {
    const { help, args, flags } = parseArguments(request.args, tool.flags);
    if (help) return { stdout: toolHelp(tool, request.context), stderr: '', code: 0 };
    const as = tool.output === undefined ? 'smart' : parseFormat(String(flags['format']), tool.formats);
    // Files are read before the tool's turn: in `relation-get | relation-set --file -` the second waits for the
    // first.
    const contents = await readFiles(request, tool, flags);
    const { context, signal } = request;
    const value = await request.inTurn(
      async () =>
        await tool.run({
          args,
          flags: contents,
          context,
          format: as,
          signal,
          readBytes: (path) => request.readFile(path),
        }),
    );
    if (tool.plain) return { stdout: String(value), stderr: '', code: 0 };
    if (tool.output === undefined) return { stdout: '', stderr: '', code: 0 };
    const text = format(value, as);
    const path = String(flags['output']);
    return path === '' || path === '-'
      ? { stdout: text, stderr: '', code: 0 }
      : { stdout: '', stderr: '', file: { path, content: text }, code: 0 };
  } catch (error) {
    if (error instanceof UsageError) return failure(2, error.message);
    if (!(error instanceof JujuError)) request.log.error('hook tool failed', { tool: tool.name, error });
    return failure(1, error instanceof Error ? error.message : String(error));
  }
}

function withOutput(tool: Tool): Tool {
  if (tool.output === undefined) return tool;
  const flags: Flags = {
    ...outputFlags,
    format: {
      ...outputFlags.format,
      default: tool.output,
      ...(tool.formats && { help: `Specify output format (${tool.formats.join('|')})` }),
    },
    ...tool.flags,
  };
  return { ...tool, flags };
}

async function readFiles(
  request: ToolRequest,
  tool: Tool,
  flags: Readonly<Record<string, string | boolean | undefined>>,
): Promise<Record<string, string | boolean | undefined>> {
  const contents = { ...flags };
  for (const [name, flag] of Object.entries(tool.flags)) {
    const path = flags[name];
    if (flag.kind === 'file' && typeof path === 'string') {
      contents[name] = path === '' ? undefined : (await request.readFile(path)).toString();
    }
  }
  return contents;
}

function failure(code: number, message: string): ToolResult {
  return { stdout: '', stderr: `ERROR ${message}\n`, code };
}
