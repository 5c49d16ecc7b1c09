import { createModel } from '../../controller/transactions/create-model.ts';
import { setStatus, type Tx } from '../../controller/transactions/tx.ts';
import type { Base } from '../../core/base.ts';
import type { Hardware } from '../../core/entities.ts';
import type { InitConfig } from '../../wire/controller-init.ts';

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
}

/** What a controller's store begins with: cloud, first user, the model `controller` with its machine. Returns its uuid. */
export function firstDocuments(tx: Tx, facts: FirstFacts): string {
  const { uuid, cloudConfig, authTypes, passwordHash, apiPort, host } = facts;
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
  putControllerMachine(tx.in(model.uuid), host);
  return model.uuid;
}

/** The host that the controller runs on is machine 0 of the controller model; no provider made it. */
function putControllerMachine(tx: Tx, { addresses, base, hardware }: FirstFacts['host']): void {
  tx.put('sequence', 'machine', { name: 'machine', next: 1 });
  tx.put('machine', '0', {
    id: '0',
    life: 'alive',
    base,
    constraints: {},
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
