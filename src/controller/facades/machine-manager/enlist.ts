import type { Address } from '../../../core/machine/document.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import { JujuError } from '../../../core/errors.ts';
import { isEnlistedNonce } from '../../../core/host/document.ts';
import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { ParamsOf } from '../../facade.ts';
import type { Enlistment } from '../../transactions/begin/enlist-machine.ts';
import { defined } from '../../../core/defined.ts';

type Args = ParamsOf<typeof spec, 'AddMachines'>['params'][number];

/** Reads the facts of AddMachines about an existing host. Errors: `bad request`, `not valid`. */
export function readHost(args: Args): Pick<Enlistment, 'instanceId' | 'nonce' | 'addresses' | 'hardware'> {
  const { 'instance-id': instanceId, nonce, placement } = args;
  const isPlaced = placement !== undefined && (placement.scope !== '' || placement.directive !== '');
  if (isPlaced || args['parent-id'] !== '' || args['container-type'] !== '')
    throw new JujuError('bad request', 'an existing machine cannot be placed');
  if (!isName(instanceId)) throw new JujuError('not valid', `invalid instance id "${instanceId}"`);
  if (nonce === '')
    throw new JujuError('bad request', 'cannot add a machine with an instance id and no nonce');
  if (!isEnlistedNonce(nonce) || !isName(nonce))
    throw new JujuError(
      'not valid',
      'the nonce of an existing machine must have the form manual:<host>:<uuid>',
    );
  return { instanceId, nonce, addresses: addressesOf(args), hardware: hardwareOf(args) };
}

function isName(text: string): boolean {
  return text.length <= 512 && /^[A-Za-z0-9_.:%[\]@-]+$/.test(text);
}

const types = ['ipv4', 'ipv6', 'hostname'] as const;
const scopes = ['public', 'local-cloud', 'local-machine'] as const;

function addressesOf({ addresses = [] }: Args): Address[] {
  return addresses.map(({ value, type, scope, cidr }) => ({
    value,
    type: types.find((one) => one === type) ?? 'hostname',
    scope: scopes.find((one) => one === scope) ?? 'public',
    ...defined({ cidr: cidr || undefined }),
  }));
}

function hardwareOf({ 'hardware-characteristics': hardware = {} }: Args): Hardware {
  const {
    'cpu-cores': cores,
    'cpu-power': cpuPower,
    'root-disk': rootDisk,
    'root-disk-source': rootDiskSource,
    'availability-zone': availabilityZone,
    'virt-type': virtType,
    ...sameNames
  } = hardware;
  const all: { [P in keyof Hardware]?: Hardware[P] | undefined } = {
    ...sameNames,
    cores,
    cpuPower,
    rootDisk,
    rootDiskSource,
    availabilityZone,
    virtType,
  };
  // Unknown values may arrive as '' and 0 too.
  const known = Object.entries(all).filter(([, value]) => Boolean(value));
  return Object.fromEntries(known);
}
