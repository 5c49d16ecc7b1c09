import type { CliIo } from './io.ts';
import { runCli } from './run.ts';
import { splitWords } from '../kit/words.ts';

/**
 * Commands that users may run on the controller (wire.md#commands): Juju's list, and grigri's own commands that only
 * read. No command of the list needs files or programs of the host.
 */
const allowedCommands: ReadonlySet<string> = new Set(
  `actions add-machine add-space add-storage add-unit add-user attach-resource attach-storage bind cancel-task
  charm-resources clouds config constraints consume controller-config create-storage-pool credentials deploy
  detach-storage disable-user enable-user exec explain expose find-offers firewall-rules help history
  import-filesystem integrate machines metrics model-config model-constraints model-defaults move-to-space offer
  offers operations payloads pending reload-spaces remove-application remove-credential remove-machine remove-offer
  remove-relation remove-saas remove-space remove-storage remove-storage-pool remove-unit remove-user rename-space
  resolved resources resume-relation retry-provisioning run scale-application secrets set-constraints
  set-model-constraints show-action show-application show-cloud show-controller show-credential show-machine
  show-model show-offer show-operation show-secret show-space show-status-log show-storage show-task show-unit
  show-user spaces status storage storage-pools subnets suspend-relation trust unexpose update-storage-pool users
  version whoami`.split(/\s+/),
);

/** Runs a command line, without the program's name, if its command is allowed. Resolves with the exit code. */
export async function runAllowed(line: string, io: Omit<CliIo, 'allowed'>): Promise<number> {
  let argv: readonly string[];
  try {
    argv = splitWords(line);
  } catch (error) {
    io.stderr.write(`ERROR ${(error as Error).message}\n`);
    return 2;
  }
  return runCli(argv, { ...io, allowed: allowedCommands });
}
