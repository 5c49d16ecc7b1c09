import { addMachine } from '../controller/transactions/begin/add-machine.ts';
import { setStatus } from '../controller/transactions/tx.ts';
import type { TestController } from './controller.ts';

/** Adds machines of 4 MiB to a model whose start has failed permanently. */
export async function failMachines(controller: TestController, model: string, count: number): Promise<void> {
  await controller.running().store.change((root) => {
    const tx = root.in(model);
    for (let n = 0; n < count; n++) {
      const base = { name: 'ubuntu', channel: '24.04/stable' };
      const { id } = addMachine(tx, { base, constraints: { mem: 4 }, removeWhenEmpty: false });
      setStatus(tx, 'instance', id, 'provisioning error', 'no room');
      setStatus(tx, 'machine-agent', id, 'error', 'no room');
    }
  }, 'test');
}
