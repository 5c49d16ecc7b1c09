/** Reports on and repairs the store of a stopped controller. */
import { existsSync } from 'node:fs';
import { storeReported } from '../../controller/facades/store-report/index.ts';
import { reportFiles } from '../../store/files/report-files.ts';
import { repairRows, reportFile, type Repair } from '../../store/sqlite/repair.ts';
import type { StoreReported } from '../../wire/facades/store-report.ts';
import { dataPaths } from './data-dir.ts';

/** Reports on the store; models are named by their uuids. Errors: a plain Error when the store is in use or missing. */
export async function reportOffline(dataDir: string): Promise<StoreReported> {
  const paths = dataPaths(dataDir);
  return storeReported(reportFile(paths.store), await reportFiles(paths), (uuid) => uuid);
}

/** Repairs the store. `copy`: path of a copy of the file from before the repair. Errors: as reportOffline. */
export function repairOffline(dataDir: string): { copy: string; repairs: readonly Repair[] } {
  const { store } = dataPaths(dataDir);
  let n = 1;
  while (existsSync(`${store}.damaged-${n}`)) n++;
  const copy = `${store}.damaged-${n}`;
  return { copy, repairs: repairRows(store, copy) };
}
