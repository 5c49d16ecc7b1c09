/** Parts of FullStatus as a controller sends them, for tests of their conversions. */
import type {
  ApplicationStatus,
  DetailedStatus,
  FullStatus,
  MachineStatus,
  UnitStatus,
} from '../wire/facades/client.ts';

export function detailed(status: string, info = ''): DetailedStatus {
  return { status, info, data: {}, since: '2026-01-01T10:00:00Z', kind: '', version: '', life: '' };
}
export function unit(workload: string, agent: string, members: Partial<UnitStatus> = {}): UnitStatus {
  return {
    'agent-status': detailed(agent),
    'workload-status': detailed(workload),
    'workload-version': '',
    machine: '',
    'opened-ports': [],
    'public-address': '',
    charm: '',
    subordinates: {},
    ...members,
  };
}
export function machine(id: string, agent: string, members: Partial<MachineStatus> = {}): MachineStatus {
  return {
    'agent-status': detailed(agent),
    'instance-status': detailed('running', 'Running'),
    'modification-status': detailed('applied'),
    'dns-name': '',
    'instance-id': `juju-${id}`,
    'display-name': `juju-${id}`,
    base: { name: 'ubuntu', channel: '24.04/stable' },
    id,
    containers: {},
    constraints: '',
    hardware: '',
    jobs: ['JobHostUnits'],
    'has-vote': false,
    'wants-vote': false,
    ...members,
  };
}
export function application(members: Partial<ApplicationStatus>): ApplicationStatus {
  return {
    charm: 'local:shipper-0',
    'charm-version': '',
    'charm-profile': '',
    base: { name: 'ubuntu', channel: '24.04/stable' },
    exposed: false,
    life: '',
    relations: {},
    'can-upgrade-to': '',
    'subordinate-to': [],
    units: {},
    'meter-statuses': {},
    status: detailed('active'),
    'workload-version': '',
    'endpoint-bindings': {},
    'public-address': '',
    ...members,
  };
}
export function full(members: Partial<FullStatus>): FullStatus {
  return {
    model: {
      name: 'shop',
      type: 'iaas',
      'cloud-tag': 'cloud-local',
      region: 'localhost',
      version: '3.6.28',
      'available-version': '',
      'model-status': detailed('available'),
      'meter-status': { color: '', message: '' },
      sla: 'unsupported',
    },
    machines: {},
    applications: {},
    'remote-applications': {},
    offers: {},
    relations: [],
    'controller-timestamp': '2026-01-01T10:00:05Z',
    branches: {},
    ...members,
  };
}
