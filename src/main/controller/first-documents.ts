import { createModel } from '../../controller/transactions/create-model.ts';
import { setModelConstraints } from '../../controller/transactions/set-constraints.ts';
import { setStatus, type Tx } from '../../controller/transactions/tx.ts';
import type { Base } from '../../core/base.ts';
import type { Hardware } from '../../core/entities.ts';
import type { InitConfig } from '../../wire/controller-init.ts';
import type { FirstMachine } from './first-machine.ts';

export interface FirstFacts {
  readonly uuid: string;
  readonly config: Omit<InitConfig, 'adminPassword'>;
  /** The provider's, as it prepared them. */
  readonly cloudConfig: Readonly<Record<string, unknown>>;
  readonly authTypes: readonly string[];
  readonly passwordHash: string;
  readonly apiPort: number;
  /** Where the controller runs. */
  readonly host: { readonly addresses: readonly string[]; readonly base: Base; readonly hardware: Hardware };
  /** How machine 0 was asked for; absent = no wishes. */
  readonly machine?: FirstMachine;
}

/**
 * What a controller's store begins with: cloud, first user, the model `controller` with its machine. Returns its uuid.
 */
export function firstDocuments(tx: Tx, facts: FirstFacts): string {
  const { uuid, cloudConfig, authTypes, passwordHash, apiPort } = facts;
  const { name, cloud, adminUser, config, modelConfig } = facts.config;
  tx.put('cloud', cloud.name, {
    name: cloud.name,
    type: cloud.type,
    authTypes,
    endpoint: '',
    regions: [{ name: cloud.region }],
    config: cloudConfig,
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
  const model = createModel(tx, {
    name: 'controller',
    owner: adminUser,
    cloud: cloud.name,
    region: cloud.region,
    credential: '',
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
  return model.uuid;
}

/** The host that the controller runs on is machine 0 of the controller model; no provider made it. */
function putControllerMachine(tx: Tx, { host, machine }: FirstFacts): void {
  const { addresses, base, hardware } = host;
  tx.put('sequence', 'machine', { name: 'machine', next: 1 });
  tx.put('machine', '0', {
    id: '0',
    life: 'alive',
    base,
    constraints: machine?.constraints ?? {},
    ...(machine?.directive === undefined
      ? {}
      : { placement: { scope: tx.space, directive: machine.directive } }),
    ...(machine?.zone ? { zone: machine.zone } : {}),
    instance: { id: 'localhost', displayName: 'localhost', hardware, isolation: '', unmanaged: true },
    addresses: addresses.map((value) => ({
      value,
      type: value.includes(':') ? 'ipv6' : 'ipv4',
      scope: 'local-cloud',
    })),
    hostname: 'localhost',
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
