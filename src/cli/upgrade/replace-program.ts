/** Upgrade of a controller's program: what is to be sent, the request, and the wait for its end. */
import { call, type ResultOf } from '../../client/calls.ts';
import { hasCode } from '../../core/errors.ts';
import { shortBuild } from '../../core/machine/program.ts';
import { loginOptions } from '../../operate/login-options.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import { counter } from '../bootstrap/install.ts';
import type { RuntimeFile } from '../bootstrap/runtime.ts';
import type { CommandContext } from '../context.ts';

type Plan = ResultOf<'ControllerPrograms', 'Plan'>;

const pollMs = 1000;
const mib = 1024 ** 2;

/** Asks the controller for its program, and what it needs of another one. Errors: `not supported`, `not implemented`. */
export function planProgram(
  { connection }: Pick<ControllerSession, 'connection'>,
  files: readonly RuntimeFile[],
): Promise<Plan> {
  return call(connection, 'ControllerPrograms', 'Plan', { files: listed(files) });
}

/** Has the controller, which runs this program, forget the one that did not come up. */
export async function forgetFailed(
  { connection }: Pick<ControllerSession, 'connection'>,
  files: readonly RuntimeFile[],
): Promise<void> {
  await call(connection, 'ControllerPrograms', 'Upgrade', { files: listed(files) }).catch(
    (error: unknown) => {
      if (!hasCode(error, 'already exists')) throw error;
    },
  );
}

/**
 * Sends the files that are missing and has the controller take the program. Resolves when the controller runs it.
 * Errors: plain Error with the reason when it went back to the program before; those of the controller.
 */
export async function replaceProgram(
  context: CommandContext,
  session: ControllerSession,
  {
    files,
    plan,
    timeoutMs,
  }: { readonly files: readonly RuntimeFile[]; readonly plan: Plan; readonly timeoutMs: number },
): Promise<void> {
  const planned = plan.planned!;
  await send(
    context,
    session,
    files.filter(({ sha256 }) => plan.missing.includes(sha256)),
  );
  await context.progress(
    'Checking the program',
    call(session.connection, 'ControllerPrograms', 'Upgrade', { files: listed(files) }),
  );
  context.info(`Upgrading controller "${session.controller}" to program ${shortBuild(planned)}`);
  const wait = untilEnd(context, session.controller, {
    planned,
    deadline: context.io.clock.now() + timeoutMs,
  });
  const { build, failed } = await context.progress('Waiting for the controller', wait);
  if (build === planned) return;
  throw new Error(
    `the controller went back to program ${shortBuild(build)}: ${shortBuild(planned)} did not come up: ${failed?.message ?? 'it says no reason'}`,
  );
}

/** Waits until the controller runs the program, or says that it did not come up. Errors: plain Error at the deadline. */
async function untilEnd(
  context: CommandContext,
  controller: string,
  { planned, deadline }: { readonly planned: string; readonly deadline: number },
): Promise<Plan> {
  for (;;) {
    const answer = await context
      .openController(controller)
      .then((session) => planProgram(session, []))
      .catch((error: unknown) => error);
    context.io.signal.throwIfAborted();
    if (!(answer instanceof Error)) {
      const plan = answer as Plan;
      if (plan.build === planned || plan.failed?.build === planned) return plan;
    }
    if (context.io.clock.now() > deadline) {
      const why = answer instanceof Error ? `: ${answer.message}` : '';
      throw new Error(
        `the controller has not come up in time${why}\nThe upgrade goes on: "${context.io.program} show-controller ${controller}" tells whether it fails`,
      );
    }
    await context.io.clock.sleep(pollMs, context.io.signal);
  }
}

async function send(
  context: CommandContext,
  session: ControllerSession,
  files: readonly RuntimeFile[],
): Promise<void> {
  if (files.length === 0) return;
  const total = files.reduce((sum, { size }) => sum + size, 0);
  context.info(`Sending the program (${Math.ceil(total / mib)} MiB)`);
  const count = counter(context, total);
  try {
    for (const { path, sha256, size } of files) {
      await context.io.uploadProgram({
        ...loginOptions(session, context.io.signal),
        sha256,
        file: path,
      });
      count(size);
    }
  } finally {
    context.showTransient('');
  }
}

function listed(files: readonly RuntimeFile[]): { name: string; sha256: string; size: number }[] {
  return files.map(({ name, sha256, size }) => ({ name, sha256, size }));
}
