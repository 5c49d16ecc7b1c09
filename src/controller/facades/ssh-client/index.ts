import type { MachineDoc } from '../../../core/machine/document.ts';
import { JujuError } from '../../../core/errors.ts';
import type { sshClient as spec } from '../../../wire/facades/ssh-client.ts';
import { parseTag } from '../../../wire/tags.ts';
import type { Call, FacadeTable } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { publicAddress, reachable } from '../shared/addresses.ts';
import { bulk } from '../shared/bulk.ts';
import { modelSetting } from '../shared/model.ts';

const needs = 'model-admin';
const blockable = 'never';

export const sshClient: FacadeTable<typeof spec> = {
  AllAddresses: {
    needs,
    blockable,
    run: async (call, { entities }) => ({
      results: (
        await bulk(call, entities, ({ tag }) => ({
          addresses: [...new Set(reachable(machineOfTag(call, tag)))].sort(),
        }))
      ).map((one) => ({ addresses: [], ...one })),
    }),
  },
  PrivateAddress: {
    needs,
    blockable,
    run: async (call, { entities }) => ({
      results: await bulk(call, entities, ({ tag }) => {
        const machine = machineOfTag(call, tag);
        const inCloud = machine.addresses.find(({ scope }) => scope === 'local-cloud')?.value;
        return { address: existing(inCloud ?? publicAddress(machine), 'private') };
      }),
    }),
  },
  Proxy: { needs, blockable, run: (call) => ({ 'use-proxy': modelSetting(call, 'proxy-ssh') }) },
  PublicAddress: {
    needs,
    blockable,
    run: async (call, { entities }) => ({
      results: await bulk(call, entities, ({ tag }) => ({
        address: existing(publicAddress(machineOfTag(call, tag)), 'public'),
      })),
    }),
  },
  PublicKeys: {
    needs,
    blockable,
    run: async (call, { entities }) => ({
      results: await bulk(call, entities, ({ tag }) => {
        const { hostKeys = [] } = machineOfTag(call, tag);
        if (hostKeys.length === 0) throw new JujuError('not found', 'keys not found');
        return { 'public-keys': hostKeys };
      }),
    }),
  },
};

/** Finds a machine by its tag, or by that of a unit on it. Errors: `not found`, `not assigned`, `not valid`. */
function machineOfTag(call: Call, tag: string): MachineDoc {
  const view = call.read();
  const { kind, id } = parseTag(tag);
  if (kind === 'machine') return mustGet(view, 'machine', id);
  if (kind !== 'unit') throw new JujuError('not valid', `"${tag}" is not a tag of a machine or unit`);
  const { machine } = mustGet(view, 'unit', id);
  if (machine === undefined) throw new JujuError('not assigned', `unit "${id}" is not assigned to a machine`);
  return mustGet(view, 'machine', machine);
}

function existing(address: string, kind: 'public' | 'private'): string {
  if (address === '') throw new JujuError('no address set', `no ${kind} address(es)`);
  return address;
}
