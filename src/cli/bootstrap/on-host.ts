/** Bootstrap of `manual/[user@]host[:port]`: a controller on an existing computer. */
import { isIP } from 'node:net';
import type { Address } from '../../core/machine/document.ts';
import { JujuError } from '../../core/errors.ts';
import type { Host, HostFacts, Provider } from '../../providers/contract/provider.ts';
import { createSsh, parseSshTarget } from '../../providers/toolkit/ssh/ssh.ts';
import type { CommandContext } from '../context.ts';
import { describeHost } from '../describe-host.ts';
import { knownHostsFile } from '../files/known-hosts.ts';
import { ensureSshKey, sshKeyFile } from '../files/ssh-key.ts';
import { installController } from './install.ts';
import { commonInit, makeElsewhere, newController } from './make-elsewhere.ts';
import type { BootstrapPlan } from './plan.ts';
import { rootShell, type RootShell } from './root-shell.ts';
import { readRuntime } from './runtime.ts';
import { dataDir, removalScript } from './service.ts';

const undoMs = 120_000;

/** Bootstraps a controller on the host that the cloud's endpoint names. The cloud cannot start further machines. */
export async function bootstrapOnHost(context: CommandContext, plan: BootstrapPlan): Promise<void> {
  const { spec, cloud, region, provider } = plan.chosen;
  const ids = newController(context);
  const { signal } = context.io;
  if (plan.requested.directive !== '')
    throw new JujuError(
      'not valid',
      "--to is not supported on this cloud: the cloud's endpoint names the host",
    );
  const host = await enter(context, provider, spec.endpoint);
  const { target } = host;
  let facts: HostFacts;
  let addresses: Address[];
  try {
    facts = await host.inspect(ids.nonce, signal);
    context.info(`${target.host} has ${describeHost(facts)}`);
    await checkHostIsFree(host, signal);
    await readRuntime(facts.hardware.arch ?? '');
    addresses = await host.addresses();
  } catch (error) {
    if (host.isChanged) await host.leave(AbortSignal.timeout(undoMs));
    throw error;
  }
  await makeElsewhere(context, plan, ids, {
    async make() {
      const { name, config: cloudConfig } = spec;
      const init = await installController(context, await shellOn(context, host), {
        ...commonInit(plan, ids),
        cloud: {
          name,
          type: cloud.type,
          region,
          endpoint: spec.endpoint,
          regions: cloud.regions,
          config: provider.validate(cloudConfig),
        },
        modelConfig: plan.modelConfig,
        bootstrapConstraints: plan.requested.bootstrapConstraints,
        instance: {
          controllerUuid: ids.uuid,
          modelUuid: ids.modelUuid,
          nonce: ids.nonce,
          // The id is the one that Juju uses: the model has only one machine of this kind.
          id: 'manual:',
          displayName: target.host,
          hardware: facts.hardware,
          // Scopes are set to public, because the host's own interfaces may not show how it is reached.
          addresses: addresses.map((one) => ({ ...one, scope: 'public' })),
          unmanaged: true,
        },
      });
      return { init, host: isIP(target.host) ? target.host : (addresses[0]?.value ?? target.host) };
    },
    unmake: () => clearHost(context, host, AbortSignal.timeout(undoMs)),
    remains: () => `host ${spec.endpoint}`,
  });
}

/** Removes the controller from the host that it was bootstrapped onto, along with the access granted for it. */
export async function removeFromHost(
  context: CommandContext,
  provider: Provider,
  endpoint: string,
): Promise<void> {
  await clearHost(context, await enter(context, provider, endpoint), context.io.signal);
}

async function enter(context: CommandContext, provider: Provider, endpoint: string): Promise<Host> {
  if (!provider.enlist)
    throw new JujuError('not supported', `clouds of type ${provider.type} do not support existing hosts`);
  const { io } = context;
  const { dir } = await context.store();
  const target = parseSshTarget(endpoint);
  context.info(`Logging in on ${target.host}`);
  const ownKey = await ensureSshKey(dir);
  return provider.enlist(
    {
      target,
      knownHostsFile: knownHostsFile(dir),
      ownKeys: [sshKeyFile(dir)],
      identityFiles: [],
      authorizedKeys: [ownKey],
      mayAsk: io.stdin.isTTY && io.stderr.isTTY,
    },
    io.signal,
  );
}

/** Checks that the host has no controller, which must not be changed. Errors: JujuError `already exists`. */
async function checkHostIsFree(host: Host, signal: AbortSignal): Promise<void> {
  const { code } = await host.asRoot(`[ ! -e ${dataDir} ]`, signal);
  if (code !== 0) throw new JujuError('already exists', `host ${host.target.host} already has a controller`);
}

async function shellOn(context: CommandContext, { target }: Host): Promise<RootShell> {
  const { dir } = await context.store();
  const identityFiles = target.user === 'ubuntu' ? [sshKeyFile(dir)] : [];
  return rootShell(createSsh({ target, knownHostsFile: knownHostsFile(dir), identityFiles, mayAsk: false }));
}

async function clearHost(context: CommandContext, host: Host, signal: AbortSignal): Promise<void> {
  await (await shellOn(context, host)).run(removalScript, { signal });
  // The access is removed last, because removal needs it.
  await host.clean(signal);
}
