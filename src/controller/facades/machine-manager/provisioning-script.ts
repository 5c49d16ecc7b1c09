import { JujuError } from '../../../core/errors.ts';
import { renderInstallScript } from '../../../providers/toolkit/user-data/index.ts';
import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { startContext, startParams } from '../../start-params.ts';
import { enlistedPassword, isEnlisted } from '../../transactions/begin/enlist-machine.ts';
import { mustGet } from '../../transactions/tx.ts';

/** Timeout of the download in seconds: somebody waits for the script's end. */
const downloadSeconds = 60;

/** Script that makes an enlisted host a machine, to be run as root; it holds the agent's first password. */
export async function provisioningScript(
  call: Call,
  params: ParamsOf<typeof spec, 'ProvisioningScript'>,
): Promise<ResultOf<typeof spec, 'ProvisioningScript'>> {
  const { 'machine-id': id, nonce, 'data-dir': dataDir } = params;
  const { services, modelUuid } = call;
  const view = call.read();
  const machine = mustGet(view, 'machine', id);
  if (!isEnlisted(machine) || nonce !== machine.nonce)
    throw new JujuError('not valid', `machine ${id} was not enlisted with this nonce`);
  if (machine.ownPassword) throw new JujuError('already exists', `machine ${id} already has an agent`);
  const context = await startContext(services, view);
  if (!context) throw new JujuError('model not found', `unknown model: "${modelUuid}"`);
  if (dataDir !== '' && dataDir !== context.agent.dataDir)
    throw new JujuError(
      'not supported',
      `data directory ${dataDir} not supported: agents use ${context.agent.dataDir}`,
    );
  const password = enlistedPassword(services.agentKey, { model: modelUuid, machine: id, nonce });
  const start = startParams({ machine, nonce, password, isFirst: true, existing: false, units: [] }, context);
  const packages = params['disable-package-commands'] ? { refresh: false, upgrade: false } : {};
  const boot = { ...context.boot, ...packages };
  const script = await renderInstallScript(
    { ...start, boot, downloadSeconds },
    machine.instance?.hardware.arch ?? 'amd64',
  );
  return { script };
}
