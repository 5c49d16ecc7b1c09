import { createSecretKey, randomUUID } from 'node:crypto';
import { createSealer } from '../../controller/sealer.ts';
import { isFrozen } from '../../core/migration/phases.ts';
import type { Entities } from '../../core/kinds.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import { documents } from '../../core/documents.ts';
import { systemClock } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import type { Environ, Provider } from '../../providers/contract/provider.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { Reader } from '../../store/store.ts';
import type { EndResult } from '../../wire/controller-init.ts';
import { dataPaths, readSettings } from './data-dir.ts';
import { Environs } from './environs.ts';

/**
 * Removes the cloud resources of all models of a stopped controller; its own files stay. Nothing is removed while one
 * of them may be another controller's. Idempotent. Errors: when its store cannot be read.
 */
export async function endController(
  dataDir: string,
  providers: ReadonlyMap<string, Provider>,
): Promise<EndResult> {
  const settings = readSettings(dataDir);
  const paths = dataPaths(dataDir);
  const store = openSqliteStore<Entities>({
    path: paths.store,
    // The store is closed after some commits, which frees the log.
    logBytes: 0,
    ...documents,
    now: Date.now,
    newUuid: randomUUID,
  });
  const environs = new Environs({
    store,
    providers,
    stateDir: paths.machines,
    dataDir,
    sealer: createSealer(createSecretKey(settings.agentKey, 'base64')),
    clock: systemClock,
    log: silentLog,
  });
  const failures: EndResult['failures'][number][] = [];
  /** Accounts from which everything of the controller is removed. */
  const endedAccounts = new Set<string>();
  const end = async (model: ModelDoc, environ: Environ): Promise<void> => {
    const { signal } = new AbortController();
    await environ.destroyModel(signal);
    const account = JSON.stringify([model.cloud, model.region, model.credential]);
    if (endedAccounts.has(account)) return;
    await environ.destroyController(signal);
    endedAccounts.add(account);
  };
  try {
    const reader = store.read();
    failures.push(...undecided(reader.in('')));
    if (failures.length > 0) return { failures };
    for (const model of reader.in('').list('model'))
      try {
        await end(model, environs.environ(model.uuid, reader));
      } catch (error) {
        failures.push({ model: `${model.owner}/${model.name}`, message: (error as Error).message });
      }
  } finally {
    await store.close();
  }
  return { failures };
}

/** Models that may be the target's, while their machines still have this controller's tags (migration.md#one-owner). */
function undecided(root: Reader<Entities>): EndResult['failures'] {
  return [...root.list('migration')]
    .filter((doc) => doc.asked && isFrozen(doc))
    .map(({ model, target }) => {
      const { owner = '', name = model } = root.get('model', model) ?? {};
      const to = target.alias || target.uuid;
      return {
        model: `${owner}/${name}`,
        message: `the model is being migrated, and may be controller ${to}'s already: start this controller again, and wait until the migration has ended`,
      };
    });
}
