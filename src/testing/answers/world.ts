/** Model with an entity of each kind that users' methods are about. */
import { putBackend } from '../../controller/transactions/shared/secret-backends.ts';
import { createCallers, type Callers } from '../call.ts';
import { silentVolumes } from '../silent-volumes.ts';
import { attachedTo, storageDoc } from '../storage-doc.ts';

/** Tag part of the unit that has storage. */
export const storedUnit = 'web-0';

export async function answeringWorld(): Promise<Callers> {
  const callers = await createCallers({ environ: { storage: silentVolumes('local') } });
  const backup = {
    description: '',
    params: { type: 'object', properties: {} },
    parallel: false,
    executionGroup: '',
  };
  const web = {
    provides: { site: 'http' },
    requires: { db: 'x' },
    resources: { blob: { type: 'file', filename: 'blob.tgz' } },
    storage: {
      data: { type: 'filesystem', location: '/d', multiple: { range: '0-' } },
      kept: { type: 'filesystem', location: '/k', multiple: { range: '0-' } },
    },
  };
  const more = {
    actions: { backup },
    config: { text: { type: 'string', description: '', default: '' } },
  } as const;
  for (const revision of [0, 1]) await callers.addCharm('web', web, { ...more, revision });
  await callers.addCharm('db', { provides: { db: 'x' } });
  await callers.addUser('bob');
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'web', 'charm-url': 'local:web-0', 'num-units': 1 }],
  });
  await callers.call('MachineManager', 'AddMachines', {
    params: [0, 1].map(() => ({ base: { name: 'ubuntu', channel: '24.04' }, jobs: ['JobHostUnits'] })),
  });
  await callers.change((tx) => {
    const machine = tx.get('machine', '0')!;
    tx.put('machine', '0', {
      ...machine,
      hostKeys: ['ssh-ed25519 AAAA'],
      addresses: [
        { value: '10.0.8.2', type: 'ipv4', scope: 'local-cloud' },
        { value: '8.8.8.8', type: 'ipv4', scope: 'public' },
      ],
    });
    tx.put('machine', '1', {
      ...tx.get('machine', '1')!,
      nonce: 'nonce',
      instance: { id: 'i-1', displayName: '', hardware: {}, isolation: '' },
    });
    tx.put('unit', 'web/0', { ...tx.get('unit', 'web/0')!, machine: '0' });
    tx.put('lease', 'web', { application: 'web', holder: 'web/0', expiresAt: '2026-01-02T00:00:00Z' });
    tx.put('subnet', '10.0.8.0/24', { id: '1', cidr: '10.0.8.0/24', space: 'alpha', zones: [] });
    const volume = { pool: 'local', provider: 'local', detachable: true };
    tx.put('storage', 'data/0', storageDoc('data/0', attachedTo('web/0')));
    tx.put('storage', 'kept/7', storageDoc('kept/7', volume));
    tx.put('storage', 'kept/8', storageDoc('kept/8', { ...volume, ...attachedTo('web/0') }));
    tx.put('storage', 'kept/9', storageDoc('kept/9', volume));
  });
  await callers.store.change((tx) => {
    tx.put('credential', 'home_admin_default', {
      cloud: 'home',
      owner: 'admin',
      name: 'default',
      authType: 'empty',
      attributes: {},
    });
    putBackend(tx, {
      id: 'b'.repeat(24),
      name: 'vault',
      type: 'vault',
      config: { endpoint: 'http://127.0.0.1:1' },
    });
  }, 'test');
  return callers;
}
