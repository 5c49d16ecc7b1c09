import type { DeployRequest } from '../../core/application/check-deploy.ts';
import { formatBase } from '../../core/base.ts';
import { JujuError } from '../../core/errors.ts';
import { missingWords } from '../../core/requirements/requirement.ts';
import { deployCharm as deploy, planCharm, type DeployEvent } from '../../operate/deploy/deploy-charm.ts';
import { modelCharm } from '../../operate/deploy/model-charm.ts';
import { localResources } from '../../operate/files/local-resources.ts';
import { localCharm } from '../../operate/files/upload-charm.ts';
import type { CommandContext } from '../context.ts';
import { printRequirements } from '../requirements.ts';
import { printReused } from '../reused.ts';
import { checkFlags, readRequest, type CharmFlags } from './deploy-flags.ts';
import { parseResourceFlags } from './resource-flags.ts';
import { isCharmhubName, isCharmUrl, localPath } from './local-path.ts';
import { defined } from '../../core/defined.ts';

/** Deploys a charm. The charm is read, and everything known to be wrong is refused, before it is sent. */
export async function deployCharm(
  context: CommandContext,
  { charmPath, name }: { readonly charmPath: string; readonly name: string | undefined },
  flags: CharmFlags,
  givenFlags: ReadonlySet<string>,
): Promise<void> {
  checkFlags(flags, name);
  if (!isCharmUrl(charmPath) && isCharmhubName(charmPath) && flags.revision >= 0 && !flags.channel)
    throw new JujuError(
      '',
      'specifying a revision requires a channel for future upgrades. Please use --channel',
    );
  const session = isCharmUrl(charmPath) ? await context.openModel(flags.model) : undefined;
  const source = session
    ? await modelCharm(session.connection, charmPath)
    : await localCharm(await localPath(context, charmPath), context.io.uploadCharm);
  const { meta } = source.charm;
  const request = await readRequest(context, { meta, name, flags, givenFlags });
  const unused = flags.to.length - flags.numUnits;
  const operator = context.operator<DeployEvent>((event) => {
    printEvent(context, event);
    if (event.kind === 'deploying' && unused > 0)
      context.warning(
        `ignoring the last ${unused} placements: --to has more placements than there are units`,
      );
  });
  const resources = await localResources(context.io, meta, parseResourceFlags(flags.resource));
  const open = async () => session ?? (await context.openModel(flags.model));
  const charm = { source, request, resources, open };
  if (flags.dryRun) {
    const missing = await planCharm(operator, charm);
    const onBase = request.base ? ` on ${formatBase(request.base)}` : '';
    context.info(`Would deploy "${request.name}" from local charm "${meta.name}"${onBase}`);
    if (missing.length > 0) context.info(`It would wait for ${missingWords(missing)}`);
    if (flags.format !== 'text') await printWouldWait(context, flags.format, request, missing);
    return;
  }
  const { charmUrl, requirements, reused } = await deploy(operator, charm);
  printReused(context, { reused });
  const commandResult = { application: request.name, charm: charmUrl, ...defined({ reused }) };
  await printRequirements(context, flags.format, requirements, commandResult);
}

function printEvent(context: CommandContext, event: DeployEvent): void {
  switch (event.kind) {
    case 'charm located':
      return context.info(`Located local charm "${event.charm}", revision ${event.revision}`);
    case 'deploying': {
      const { name, channel } = event.base;
      const revision = /(?<!\d)\d+$/.exec(event.charmUrl)?.[0] ?? 0;
      return context.info(
        `Deploying "${event.application}" from local charm "${event.charm}", revision ${revision} on ${name}@${channel}`,
      );
    }
  }
}

/** Prints the requirements that the application would wait for, in a dry run. */
async function printWouldWait(
  context: CommandContext,
  format: string,
  { name: application, numUnits: units }: DeployRequest,
  missing: Awaited<ReturnType<typeof planCharm>>,
): Promise<void> {
  const since = new Date(context.io.clock.now()).toISOString();
  const pending =
    missing.length > 0 ? [{ application, since, missing: [...missing], units, running: 0 }] : [];
  const change = { deployable: [], running: [], circles: [], pending };
  await printRequirements(context, format, change, { application });
}
