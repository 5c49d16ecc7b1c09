/**
 * Process of the machine agent, which a launcher runs (launcher.ts): `machine --data-dir DIR --machine ID [--run-dir
 * DIR]`. `check` instead of `machine` only tells whether it can read this machine's files.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { controllerLink } from '../agent/controller-link.ts';
import { readBootId, recordReboot } from '../agent/machine/boot-id.ts';
import { jujuArch, machineFacts } from '../agent/machine/facts.ts';
import { MachineAgent } from '../agent/machine/machine-agent.ts';
import { settingsApplier } from '../agent/machine/apply-settings.ts';
import { leaveHost } from '../agent/machine/leave-host.ts';
import { rebootMachine } from '../agent/machine/reboot-machine.ts';
import { saveAgentConf } from '../agent/machine/save-agent-conf.ts';
import { restrictLog } from '../agent/machine/restrict-log.ts';
import { UnitLogFiles } from '../agent/machine/unit-log-files.ts';
import { storageHost } from '../agent/machine/storage-host.ts';
import { commandRunner } from '../agent/machine/run-command.ts';
import { OwnPassword } from '../agent/own-password.ts';
import { machinePaths } from '../agent/paths.ts';
import { ProgramFolders } from '../agent/program/folders.ts';
import { programHost } from '../agent/program/host.ts';
import { getLaunched } from '../agent/program/launched.ts';
import { renewSetUp } from '../agent/program/set-up.ts';
import { programFile } from '../agent/program/state.ts';
import { unitHosts } from '../agent/unit/unit-host.ts';
import { JujuError } from '../core/errors.ts';
import { isEnlistedNonce } from '../core/host/document.ts';
import { openExecSocket } from '../hooks/exec-socket.ts';
import { installExec, installHookTools } from '../hooks/install-hook-tools.ts';
import { systemClock } from '../kit/clock.ts';
import { createLog, formatRecord, type LogSink } from '../kit/log.ts';
import { createNestedBroker } from '../providers/clouds/local/nested.ts';
import { containerTraits, traitsOf } from '../providers/machines.ts';
import { updateExitCode } from '../providers/toolkit/user-data/supervisor.ts';
import { parseAgentConf } from '../wire/agent-conf.ts';
import { machineTag } from '../wire/tags.ts';
import { defined } from '../core/defined.ts';

const { command, dataDir, machineId, runDir } = parseCommandLine(process.argv.slice(2));
const paths = machinePaths(dataDir, machineId, runDir);
const conf = parseAgentConf(await readFile(paths.agentConf, 'utf8'));
if (command === 'check') process.exit(0);
const traits = machineId.includes('/') ? containerTraits : traitsOf(conf.providerType);
const version = conf.upgradedToVersion;
await installHookTools({ dir: paths.toolsDir, version, arch: jujuArch() });

// A machine with a separate folder for its sockets shares its files with its host, which owns them.
const ownsFiles = process.getuid?.() === 0 && runDir === undefined;
const applySettings = settingsApplier({
  dir: paths.agentDir,
  // Machines that do not begin as their host were set up by the installer of the agent.
  firstBoot: traits.beginsAsHost === true,
  clock: systemClock,
});

const logSink: LogSink = (record) => void process.stderr.write(`${formatRecord(record)}\n`);
if (ownsFiles) restrictLog(`/var/log/juju/${machineTag(machineId)}.log`);
const unitLogs = ownsFiles ? new UnitLogFiles('/var/log/juju') : undefined;
let agent: MachineAgent | undefined;
await installExec({
  dirs: [paths.toolsDir, ...(ownsFiles ? ['/usr/bin'] : [])],
  toolsDir: paths.toolsDir,
  socket: paths.execSocket,
});
await openExecSocket({
  path: paths.execSocket,
  log: createLog('grigri.exec', logSink, () => systemClock.now()),
  run: (request, signal) => {
    if (!agent) throw new JujuError('try again', 'the machine agent is starting');
    return agent.exec(request, signal);
  },
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void agent?.stop());
}
const password = new OwnPassword(conf, {
  save: (next) => saveAgentConf(paths.agentConf, next),
  newPassword: () => randomBytes(24).toString('base64url'),
  clock: systemClock,
  log: createLog('grigri.machine', logSink, () => systemClock.now()),
});
const link = controllerLink(conf, password);
const launched = getLaunched();
const folders = launched && new ProgramFolders(launched.toolsDir, dataDir);
const programs =
  launched &&
  folders &&
  programHost({
    build: launched.build,
    folders,
    renew: () =>
      renewSetUp({ machineId, dataDir }, { ...launched, folders }).catch((error: unknown) =>
        createLog('grigri.machine', logSink, () => systemClock.now()).warning(
          'the launcher and the service stay those before',
          { error },
        ),
      ),
    file: programFile(dataDir, machineTag(machineId)),
    download: (build, file, signal) => link.fetchAgent({ arch: jujuArch(), version, build }, file, signal),
  });
const containers = createNestedBroker({
  controllerUuid: conf.controller,
  modelUuid: conf.model,
  nested: traits.nested,
  dataDir,
  toolsDir: launched?.toolsDir ?? dirname(process.execPath),
  clock: systemClock,
  log: createLog('grigri.containers', logSink, () => systemClock.now()),
});
for (;;) {
  agent = new MachineAgent({
    machineId,
    version,
    bootId: await readBootId(paths.bootFile),
    connect: link.connect,
    tryController: link.tryController,
    hosts: unitHosts({
      dataDir,
      runDir,
      version,
      arch: jujuArch(),
      clock: systemClock,
      fetchCharm: link.fetchCharm,
      fetchResource: link.fetchResource,
    }),
    storage: storageHost({
      dataDir,
      ownRoot: runDir === undefined,
      ...(ownsFiles && { fstab: '/etc/fstab' }),
    }),
    runCommand: commandRunner(systemClock),
    ...defined({ applySettings: ownsFiles ? applySettings : undefined }),
    facts: () => machineFacts(version),
    clock: systemClock,
    random: () => Math.random(),
    newId: () => randomUUID(),
    logSink: (record, entity) => {
      if (!unitLogs?.add(entity, record)) logSink(record);
    },
    ...defined({ containers, programs }),
  });
  const endReason = await agent.done;
  if (endReason === 'removed' && isEnlistedNonce(conf.nonce)) {
    process.stderr.write('the machine was removed: cleaning up its host\n');
    // The cleanup ends this process' service.
    process.once('SIGTERM', () => process.exit(0));
    const code = await leaveHost();
    process.stderr.write(`cannot clean up the host: exit status ${code}\n`);
    process.exit(1);
  }
  // A supervisor starts it again, with the program that was chosen.
  if (endReason === 'update') process.exit(updateExitCode);
  if (endReason !== 'reboot') break;
  // The reboot may end this process at once: systemd would wait for it.
  process.once('SIGTERM', () => process.exit(0));
  const isInstalled = process.execPath.startsWith(`${dataDir}/tools/`);
  // Without a machine of its own to reboot, only the agent restarts.
  if (traits.reboots?.({ isInstalled })) await rebootMachine(systemClock);
  // Hooks cannot distinguish a restart of the agent from a reboot, so it is recorded as one.
  await recordReboot(paths.bootFile);
}
// A supervisor restarts a failed process, but not one that exited successfully.
process.exit(0);

function parseCommandLine(args: string[]): {
  command: 'machine' | 'check';
  dataDir: string;
  machineId: string;
  runDir: string | undefined;
} {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'data-dir': { type: 'string', default: '/var/lib/juju' },
      machine: { type: 'string' },
      'run-dir': { type: 'string' },
    },
  });
  const [command] = positionals;
  if (
    positionals.length !== 1 ||
    (command !== 'machine' && command !== 'check') ||
    values.machine === undefined
  ) {
    process.stderr.write('usage: agent machine --data-dir DIR --machine ID [--run-dir DIR]\n');
    process.exit(2);
  }
  return { command, dataDir: values['data-dir'], machineId: values.machine, runDir: values['run-dir'] };
}
