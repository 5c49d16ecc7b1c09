/** What remove-application, remove-unit and remove-machine have in common. */
import type { CommandContext, ModelSession } from './context.ts';
import { call } from './calls.ts';
import { Exit } from './errors.ts';
import { confirm } from './prompts.ts';

interface Result {
  readonly error?: { readonly message: string } | undefined;
}

export interface Removal<R extends Result> {
  /** `application`, `unit`, `machine` */
  readonly what: string;
  readonly names: readonly string[];
  readonly session: ModelSession;
  /** Stops after telling what would happen. */
  readonly dryRun: boolean;
  readonly ask: boolean;
  /** The call, for real or not. */
  readonly call: (mode: 'dry-run' | 'really') => Promise<readonly R[]>;
  /** What a result says is removed with it: lines. */
  readonly effects: (name: string, result: R) => readonly string[];
}

/**
 * Tells what will be removed, asks when the model wants that (`mode` holds `requires-prompts`), and removes. Errors:
 * Aborted; Exit 1 after telling of each that failed.
 */
export async function remove<R extends Result>(context: CommandContext, removal: Removal<R>): Promise<void> {
  const { what, names } = removal;
  const prompt = removal.ask && (await requiresPrompts(removal.session));
  if (removal.dryRun || prompt) {
    const results = await removal.call('dry-run');
    const failed = tellErrors(context, removal, results);
    const lines = names.flatMap((name, i) =>
      results[i] && !results[i].error ? removal.effects(name, results[i]) : [],
    );
    if (removal.dryRun) {
      for (const line of lines) context.info(line);
      if (failed) throw new Exit(1);
      return;
    }
    if (lines.length === 0) throw new Exit(1);
    context.warning('This command will perform the following actions:');
    for (const line of lines) context.io.stderr.write(`${line}\n`);
    await confirm(context, `${what} removal`);
    if (tellErrors(context, removal, await removal.call('really')) || failed) throw new Exit(1);
    return;
  }
  const results = await removal.call('really');
  names.forEach((name, i) => {
    if (results[i] && !results[i].error)
      for (const line of removal.effects(name, results[i])) context.info(line);
  });
  if (tellErrors(context, removal, results)) throw new Exit(1);
}

function tellErrors<R extends Result>(
  context: CommandContext,
  removal: Removal<R>,
  results: readonly R[],
): boolean {
  let failed = false;
  removal.names.forEach((name, i) => {
    const error = results[i]?.error;
    if (!error) return;
    failed = true;
    context.io.stderr.write(`ERROR removing ${removal.what} ${name} failed: ${error.message}\n`);
  });
  return failed;
}

async function requiresPrompts(session: ModelSession): Promise<boolean> {
  const { config } = await call(session.connection, 'ModelConfig', 'ModelGet', {});
  const mode = config['mode']?.value;
  return typeof mode !== 'string' || mode.split(',').some((one) => one.trim() === 'requires-prompts');
}
