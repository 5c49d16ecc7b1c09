import { createModel } from './create-model.ts';
import { setModelConstraints } from '../set/set-constraints.ts';
import { setStatus, type Tx } from '../tx.ts';
import type { Base } from '../../../core/base.ts';
import { emptyCredential, updateCredential } from '../set/update-credential.ts';
import type { Address, MachineDoc } from '../../../core/machine/document.ts';
import type { CredentialDoc } from '../../../core/credential/document.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import type { FirstMachine } from '../../../providers/contract/plan-first-machine.ts';
import type { InitConfig } from '../../../wire/controller-init.ts';
import { defined } from '../../../core/defined.ts';

export interface ControllerFacts {
  readonly uuid: string;
  readonly modelUuid: string;
  readonly config: Omit<InitConfig, 'adminPassword' | 'credential'>;
  /** Cloud configuration as the provider prepared it. */
  readonly cloudConfig: Readonly<Record<string, unknown>>;
  readonly authTypes: readonly string[];
  /** Credential of the admin, with sealed attributes. */
  readonly credential?: Pick<CredentialDoc, 'name' | 'authType' | 'attributes'>;
  readonly passwordHash: string;
  readonly apiPort: number;
  /** Host that the controller runs on. */
  readonly host: { readonly addresses: readonly string[]; readonly base: Base; readonly hardware: Hardware };
  /** Wishes for machine 0 and the zone that it is in; absent = no wishes. */
  readonly machine?: FirstMachine & { readonly zone?: string };
}

/**
 * Writes the initial content of a controller's store: cloud, first user, and the model `controller` with its machine.
 */
export function createController(tx: Tx, facts: ControllerFacts): void {
  const { uuid, cloudConfig, authTypes, passwordHash, apiPort } = facts;
  const { name, cloud, adminUser, config, modelConfig } = facts.config;
  tx.put('cloud', cloud.name, {
    name: cloud.name,
    type: cloud.type,
    authTypes,
    endpoint: cloud.endpoint ?? '',
    regions: cloud.regions ?? [{ name: cloud.region }],
    config: cloudConfig,
    ...defined({ caCertificates: cloud.caCertificates, skipTlsVerify: cloud.skipTlsVerify || undefined }),
  });
  tx.put('user', adminUser, {
    name: adminUser,
    displayName: adminUser,
    passwordHash,
    access: 'superuser',
    createdAt: tx.now,
    createdBy: adminUser,
    disabled: false,
  });
  const chosen = facts.credential ?? (authTypes.includes('empty') ? emptyCredential : undefined);
  const credential = chosen && { ...chosen, cloud: cloud.name, owner: adminUser };
  if (credential) updateCredential(tx, credential);
  const model = createModel(tx, {
    uuid: facts.modelUuid,
    name: 'controller',
    owner: adminUser,
    cloud: cloud.name,
    region: cloud.region,
    credential: credential ? `${cloud.name}_${adminUser}_${credential.name}` : '',
    config: { ...modelConfig },
  });
  tx.put('controller', 'self', {
    uuid,
    name,
    cloud: cloud.name,
    region: cloud.region,
    modelUuid: model.uuid,
    config: { ...config, 'api-port': apiPort },
    createdAt: tx.now,
  });
  const space = tx.in(model.uuid);
  if (facts.machine) setModelConstraints(space, { constraints: facts.machine.modelConstraints });
  putControllerMachine(space, facts);
}

/** Machine 0 of the controller model stands for the host that the controller runs on. */
function putControllerMachine(tx: Tx, facts: ControllerFacts): void {
  const { host, machine } = facts;
  tx.put('sequence', 'machine', { name: 'machine', next: 1 });
  tx.put('machine', '0', {
    id: '0',
    life: 'alive',
    base: host.base,
    constraints: machine?.constraints ?? {},
    ...(machine?.directive === undefined
      ? {}
      : { placement: { scope: tx.space, directive: machine.directive } }),
    ...defined({ zone: machine?.zone || undefined }),
    ...(facts.config.instance ? placeOfInstance(facts.config.instance) : placeOfHost(host)),
    removeWhenEmpty: false,
    clean: false,
    keepInstance: true,
    isController: true,
    createdAt: tx.now,
  });
  setStatus(tx, 'machine-agent', '0', 'started');
  setStatus(tx, 'instance', '0', 'running', 'Running');
  setStatus(tx, 'modification', '0', 'applied');
}

type Place = Pick<MachineDoc, 'nonce' | 'instance' | 'addresses' | 'hostname'>;

/** Place of a host that no provider created. */
function placeOfHost({ addresses, hardware }: ControllerFacts['host']): Place {
  const known = addresses.map((value): Address => {
    return { value, type: value.includes(':') ? 'ipv6' : 'ipv4', scope: 'local-cloud' };
  });
  return {
    instance: { id: 'localhost', displayName: 'localhost', hardware, isolation: '', unmanaged: true },
    addresses: known,
    hostname: 'localhost',
  };
}

function placeOfInstance(started: NonNullable<InitConfig['instance']>): Place {
  const { id, displayName, hardware, isolation = '', zone, nonce, addresses, unmanaged } = started;
  return {
    nonce,
    instance: {
      id,
      displayName,
      hardware: zone === undefined ? hardware : { ...hardware, availabilityZone: zone },
      isolation,
      ...defined({ unmanaged }),
    },
    addresses,
    hostname: displayName,
  };
}
