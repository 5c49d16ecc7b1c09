import type { Bundle } from '../../core/bundle/bundle.ts';
import { JujuError } from '../../core/errors.ts';
import type { BundlePlan } from '../../core/bundle/plan-bundle.ts';
import { missingWords } from '../../core/requirements/requirement.ts';
import {
  carryOutBundle,
  plannedChanges,
  prepareBundle,
  type BundleEvent,
  type PreparedBundle,
} from '../../operate/bundle/deploy-bundle.ts';
import { readBundle } from '../../operate/files/read-bundle.ts';
import { localResource } from '../../operate/files/local-resources.ts';
import { localCharm } from '../../operate/files/upload-charm.ts';
import type { Operator } from '../../operate/operator.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { readMachineMap } from '../placements.ts';
import { printRequirements } from '../requirements.ts';
import { defined } from '../../core/defined.ts';

interface BundleFlags {
  readonly model: string;
  readonly format: string;
  readonly overlay: readonly string[];
  readonly mapMachines: string;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly trust: boolean;
  readonly reuseMachines: boolean;
}

/** Flags for one application, which a bundle specifies itself. */
const charmFlags: Readonly<Record<string, string>> = {
  after: '--after',
  attachStorage: '--attach-storage',
  base: '--base',
  bind: '--bind',
  channel: '--channel',
  config: '--config',
  constraints: '--constraints',
  numUnits: '--num-units',
  require: '--require',
  resource: '--resource',
  revision: '--revision',
  series: '--series',
  storage: '--storage',
  to: '--to',
};

/** Deploys a bundle. `file` is a result of findBundle. */
export async function deployBundle(
  context: CommandContext,
  file: string,
  flags: BundleFlags,
  givenFlags: ReadonlySet<string>,
): Promise<void> {
  const unsupported = Object.entries(charmFlags).flatMap(([flag, shown]) =>
    givenFlags.has(flag) ? [shown] : [],
  );
  if (unsupported.length > 0)
    throw new UsageError(
      `options provided but not supported when deploying a bundle: ${unsupported.join(', ')}`,
    );
  const map = readMachineMap(flags.mapMachines);
  const { bundle, warnings } = await readBundle(context.io, file, flags.overlay);
  if (!flags.trust) refuseTrust(bundle, 'deploy');
  for (const warning of warnings) context.warning(warning);

  const operator = context.operator<BundleEvent>((event) => printEvent(context, event));
  const session = await context.openModel(flags.model);
  const prepared = await prepareBundle(operator, {
    bundle,
    map,
    readCharm: (path) => localCharm(path, context.io.uploadCharm),
    readResource: (name, declared, value) => localResource(context.io, name, declared, value),
    openController: (name) => context.openController(name),
    session,
    force: flags.force,
    ...defined({ reuse: givenFlags.has('reuseMachines') ? flags.reuseMachines : undefined }),
  });
  if (flags.dryRun) return printDryRun(context, flags.format, operator, prepared);
  const { plan } = prepared;
  context.info(plan.steps.length > 0 ? 'Executing changes:' : 'No changes to apply.');
  const { changes, requirements } = await carryOutBundle(operator, prepared);
  if (plan.steps.length > 0) context.info('Deploy of bundle completed.');
  // Text output omits that applications of this command are deployed: the steps have said so.
  const shownRequirements = {
    ...requirements,
    ...defined({ deployable: flags.format === 'text' ? [] : undefined }),
  };
  await printRequirements(context, flags.format, shownRequirements, { changes, warnings: warningsOf(plan) });
}

/** Refuses trusted applications of a file, which `command` has to allow by --trust. */
export function refuseTrust({ applications }: Bundle, command: string): void {
  const trusted = Object.keys(applications).filter((name) => applications[name]?.trust);
  if (trusted.length > 0)
    throw new JujuError(
      '',
      `the bundle gives ${trusted.sort().join(', ')} access to the cloud's credentials (trust: true): repeat the ${command} command with the --trust argument to allow that`,
    );
}

function printEvent(context: CommandContext, event: BundleEvent): void {
  switch (event.kind) {
    case 'would wait':
      return context.warning(`${event.application} would wait for ${missingWords(event.missing)}`);
    case 'step done':
      return context.info(`- ${event.text}`);
    case 'stopped':
      return context.info(
        `Stopped at: ${event.text}\n${event.done} of ${event.of} changes are made; run the same command again to continue.`,
      );
  }
}

async function printDryRun(
  context: CommandContext,
  format: string,
  operator: Operator<BundleEvent>,
  prepared: PreparedBundle,
): Promise<void> {
  const { changes, pending } = plannedChanges(operator, prepared);
  context.info(changes.length > 0 ? 'Changes to deploy bundle:' : 'No changes to apply.');
  for (const change of changes) context.info(`- ${change}`);
  if (format === 'text') return;
  await printRequirements(
    context,
    format,
    { deployable: [], running: [], circles: [], pending: [...pending] },
    { changes, warnings: warningsOf(prepared.plan) },
  );
}

function warningsOf({ differences }: BundlePlan): string[] {
  return differences.map(({ text }) => text);
}
