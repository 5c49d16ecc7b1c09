import type { Log } from '../kit/log.ts';
import type { HookContext } from './context.ts';

export interface ToolRequest {
  readonly context: HookContext;
  /** The tool, as the client was called. */
  readonly name: string;
  readonly args: readonly string[];
  /** A file of the caller's (`-` is its stdin). Errors: plain JujuError. */
  readFile(path: string): Promise<string>;
  /** Waits for the tools that came before. */
  inTurn<T>(run: () => Promise<T>): Promise<T>;
  readonly log: Log;
}

export interface ToolResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Instead of stdout: `--output FILE`. */
  readonly file?: { readonly path: string; readonly content: string };
  readonly code: number;
}
export declare function runTool(request: ToolRequest): Promise<ToolResult>;
