/** The manual provider with the keys of GRIGRI_TEST_ACCESS (JSON), also for a process of the kit. */
import { createManualProvider } from '../../src/providers/clouds/manual/index.ts';
import type { Access } from '../../src/providers/clouds/manual/instances.ts';
import type { Provider } from '../../src/providers/contract/provider.ts';

export function manualWithAccess(): Provider {
  return createManualProvider(JSON.parse(process.env['GRIGRI_TEST_ACCESS']!) as Access);
}
