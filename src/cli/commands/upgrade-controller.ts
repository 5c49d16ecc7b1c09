import { hasCode, JujuError } from '../../core/errors.ts';
import { jujuVersion } from '../../core/juju-version.ts';
import { shortBuild } from '../../core/machine/program.ts';
import { quoted } from '../../providers/toolkit/user-data/shell.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { command, controllerFlags } from '../command.ts';
import { inModel } from '../command-sets.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { checkUpgradeFlags, requestUpgrade, upgradeFlags } from '../upgrades.ts';

const defaultTimeoutMs = 600_000;

export const upgradeController = command({
  name: 'upgrade-controller',
  summary: 'Upgrades Juju on a controller.',
  details: `The controller takes the program of this client, or that of --program: a clone, its dist folder, or an archive of
either. It checks that the program loads and knows the format of its store, ends itself and starts with it; workloads
and their machines do not notice. It accepts changes once the program has come up. A program that ends three
times before that, or takes more than two minutes, is left for the one before, with the store as it was, and
show-controller says why.

The agents of its models keep their program until upgrade-model is given for them.`,
  examples: ['upgrade-controller', 'upgrade-controller --dry-run', 'upgrade-controller --program ../grigri'],
  seeAlso: ['upgrade-model', 'show-controller', 'version'],
  flags: {
    ...controllerFlags,
    ...upgradeFlags,
    buildAgent: bool(
      '--build-agent',
      'Build a local version of the agent binary; not supported by this controller',
    ),
    program: text('--program', "Folder or archive of the program (default this client's own)", {
      completes: 'file',
    }),
  },
  async run(context, { controller: name, buildAgent, program, timeout = defaultTimeoutMs, ...flags }, args) {
    noMoreArgs(args);
    checkUpgradeFlags(flags);
    if (buildAgent) throw new JujuError('not supported', 'building an agent for a controller not supported');
    const session = await context.openController(name);
    if (session.connection.login.user?.controllerAccess !== 'superuser')
      throw new JujuError(
        'unauthorized access',
        'upgrade not possible with controller access below superuser',
      );
    const model = `${session.controller}:controller`;
    const asksForOther = flags.agentVersion !== '' && flags.agentVersion !== jujuVersion;
    if (!flags.resetPreviousUpgrade && !asksForOther) {
      const work = { name, program, dryRun: flags.dryRun, timeoutMs: timeout };
      if (await inModel(model, upgrade(context, session, work))) return;
    }
    // The connection may be that of the program before.
    const { connection } = await context.openController(name);
    const { uuid } = await resolveModel(context.client, model);
    await inModel(model, requestUpgrade(context, connection, { ...flags, uuid }));
  },
});

/** Gives the controller another program. False when it has that already, or cannot be given any. */
async function upgrade(
  context: CommandContext,
  session: ControllerSession,
  {
    name,
    program,
    dryRun,
    timeoutMs,
  }: {
    readonly name: string;
    readonly program: string;
    readonly dryRun: boolean;
    readonly timeoutMs: number;
  },
): Promise<boolean> {
  const { forgetFailed, planProgram, replaceProgram } = await import('../upgrade/replace-program.ts');
  const { findProgram } = await import('../upgrade/find-program.ts');
  const present = await planProgram(session, []).catch((error: unknown) => {
    if (!hasCode(error, 'not supported') && !hasCode(error, 'not implemented')) throw error;
    if (program !== '') throw error;
    context.warning(`the controller keeps its program: ${(error as Error).message}`);
  });
  if (!present) return false;
  await using found = await findProgram(program, present.arch, context.io.cwd);
  const { files } = found;
  const plan = await planProgram(session, files);
  const { build, planned = '', failed } = plan;
  if (failed?.build === planned && planned !== build)
    context.info(`program ${shortBuild(planned)} did not come up the last time: ${failed.message}`);
  if (build === planned) {
    if (failed && !dryRun) await forgetFailed(session, files);
    return false;
  }
  // Only of this client's own program is the version known.
  const best = `program ${shortBuild(planned)}`;
  context.info(`best version:\n    ${program === '' ? `${jujuVersion} (${best})` : best}`);
  if (dryRun) {
    const flags = [name && `-c ${name}`, program && `--program ${quoted(program)}`].filter(Boolean);
    const line = ['upgrade-controller', ...flags].join(' ');
    await context.write(`upgrade to this version by running\n    ${context.io.program} ${line}\n`);
    return true;
  }
  await replaceProgram(context, session, { files, plan, timeoutMs });
  await context.write(
    `upgraded controller "${session.controller}" from program ${shortBuild(build)} to ${shortBuild(planned)}\n`,
  );
  context.info(
    `Agents of its models keep their program until "${context.io.program} upgrade-model -m ${session.controller}:<model>"`,
  );
  return true;
}
