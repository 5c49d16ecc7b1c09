import type { Clock } from '../../kit/clock.ts';
import type { Log, LogSink } from '../../kit/log.ts';
import type { MachineLock } from '../machine-lock.ts';
import type { Mirror } from '../mirror.ts';
import type { UnitHosts } from '../unit/unit-host.ts';
import type { AgentApi } from '../uplink.ts';

/** Dependencies of a machine's workers. */
export interface MachineWorld {
  readonly machineId: string;
  readonly version: string;
  readonly bootId: string;
  readonly mirror: Mirror;
  readonly api: AgentApi;
  readonly hosts: UnitHosts;
  readonly lock: MachineLock;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly log: Log;
  /** Returns the sink for the log lines of an entity (a tag): this machine's own log, and the controller. */
  sinkOf(entity: string): LogSink;
  readonly reboot: () => void;
}
