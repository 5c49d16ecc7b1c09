import { agentBinariesFor } from '../../../core/controller/agent-binaries.ts';
import type { client as spec } from '../../../wire/facades/client.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk, itemError } from '../shared/bulk.ts';
import { JujuError } from '../../../core/errors.ts';
import { currentModel } from '../shared/model.ts';

/** Finds the agents that this controller has (controller-settings.md#agent-binaries). */
export async function findTools(
  call: Call,
  params: ParamsOf<typeof spec, 'FindTools'>,
): Promise<ResultOf<typeof spec, 'FindTools'>> {
  const { version, bundles, addresses } = call.services;
  const archs = agentBinariesFor(params, { version, archs: bundles.archs });
  if (archs.length === 0)
    return {
      list: [],
      error: itemError(call, new JujuError('not found', 'no matching agent binaries found')),
    };
  const { uuid } = currentModel(call);
  const found = await bulk(call, archs, async (arch) => {
    const { sha256, size } = await bundles.file(arch);
    const name = `${version}-ubuntu-${arch}`;
    return { version: name, url: `https://${addresses[0]}/model/${uuid}/tools/${name}`, sha256, size };
  });
  // Clients could not use an architecture whose archive cannot be made.
  return { list: found.flatMap((one) => ('error' in one ? [] : [one])) };
}
