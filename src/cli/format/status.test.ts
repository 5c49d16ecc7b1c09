import { describe, expect, test } from 'vitest';
import { application, detailed, full, machine, unit } from '../../testing/status-documents.ts';
import { formatStatus } from './formatted.ts';
import { statusOneline, statusSummary } from './status-short.ts';
import { groupPorts, isEmpty, statusTabular } from './status-tabular.ts';

const style = { iso: true, nowMs: 0 };
const relation = (key: string, scope: 'global' | 'container', status = detailed('joined')) => {
  const ends = key.split(' ').map((end) => end.split(':') as [string, string]);
  return {
    id: 0,
    key,
    interface: 'kv',
    scope,
    endpoints: ends.map(([application, name], i) => ({
      application,
      name,
      role: ends.length === 1 ? ('peer' as const) : i === 0 ? ('requirer' as const) : ('provider' as const),
      subordinate: false,
    })),
    status,
  };
};
const shop = full({
  machines: {
    '10': machine('10', 'started', { 'dns-name': '10.0.0.3', hardware: 'arch=amd64 availability-zone=z1' }),
    '2': machine('2', 'pending', { 'instance-id': 'pending', 'display-name': '' }),
  },
  applications: {
    web: application({
      exposed: true,
      charm: 'local:web-3',
      'charm-rev': 3,
      'workload-version': '1.2.3-with-a-long-tail',
      relations: { db: ['kv'], logs: ['shipper'] },
      units: {
        'web/0': unit('active', 'idle', {
          machine: '10',
          leader: true,
          'public-address': '10.0.0.3',
          'opened-ports': ['8080/tcp', '443/tcp'],
          subordinates: {
            'shipper/0': unit('active', 'idle', { 'public-address': '10.0.0.3', leader: true }),
          },
        }),
        'web/10': unit('maintenance', 'executing', {
          machine: '2',
          'workload-status': detailed('maintenance', 'installing charm software'),
          'agent-status': detailed('executing', 'running install hook'),
        }),
        'web/2': unit('blocked', 'idle', {
          'workload-status': detailed('blocked', 'line one\nline two'),
          charm: 'local:web-2',
        }),
      },
    }),
    kv: application({
      charm: 'ch:amd64/kv-12',
      'charm-rev': 12,
      'charm-channel': 'latest/stable',
      relations: { db: ['web'] },
    }),
    shipper: application({ 'subordinate-to': ['web'], relations: { source: ['web'] } }),
  },
  relations: [
    relation('web:db kv:db', 'global'),
    relation('shipper:source web:logs', 'container', detailed('joining')),
  ],
});

describe('statusTabular', () => {
  test('the tables show all sections, with numbers in names in numeric order', () => {
    expect(statusTabular(formatStatus(shop, 'ctrl', style), { colour: 'off', relations: shop.relations }))
      .toMatchInlineSnapshot(`
      "Model  Controller  Cloud/Region     Version  SLA          Timestamp
      shop   ctrl        local/localhost  3.6.28   unsupported  10:00:05Z

      App      Version          Status  Scale  Charm    Channel        Rev  Exposed  Message
      kv                        active      0  kv       latest/stable   12  no       
      shipper                   active      1  shipper                   0  no       
      web      1.2.3-with-a...  active      3  web                       3  yes      

      Unit          Workload     Agent      Machine  Public address  Ports         Message
      web/0*        active       idle       10       10.0.0.3        443,8080/tcp  
        shipper/0*  active       idle                10.0.0.3                      
      web/2         blocked      idle                                              line one line two (still on local:web-2)
      web/10        maintenance  executing  2                                      (install) installing charm software

      Machine  State    Address   Inst id  Base          AZ  Message
      2        pending            pending  ubuntu@24.04      Running
      10       started  10.0.0.3  juju-10  ubuntu@24.04  z1  Running

      Integration provider  Requirer        Interface  Type         Message
      kv:db                 web:db          kv         regular      
      web:logs              shipper:source  kv         subordinate  joining
      "
    `);
  });

  test('the tables list instances without a machine, with the remedy', () => {
    const stray = (id: string, members: object = {}) => ({
      'instance-id': id,
      machine: '4',
      since: '2026-01-01T10:00:00Z',
      stopping: false,
      ...members,
    });
    const shown = (mode: 'all' | 'destroyed' | 'none', ...instances: ReturnType<typeof stray>[]) =>
      statusTabular(formatStatus(full({ strays: { 'harvest-mode': mode, instances } }), 'ctrl', style), {
        colour: 'off',
      })
        .split('\n\n')
        .at(-1);
    expect(shown('destroyed', stray('i-7'), stray('i-8', { machine: '' }))).toMatchInlineSnapshot(`
      "Stray instance  Made for  Since                 Message
      i-7             4         2026-01-01 10:00:00Z  belongs to no machine; run "model-config -m ctrl:shop provisioner-harvest-mode=all" to stop it
      i-8                       2026-01-01 10:00:00Z  belongs to no machine; run "model-config -m ctrl:shop provisioner-harvest-mode=all" to stop it
      "
    `);
    expect(shown('none', stray('i-7'))).toMatchInlineSnapshot(`
      "Stray instance  Made for  Since                 Message
      i-7             4         2026-01-01 10:00:00Z  belongs to no machine; run "model-config -m ctrl:shop provisioner-harvest-mode=unknown" to stop it
      "
    `);
    expect(shown('all', stray('i-7', { stopping: true }), stray('i-8'))).toMatchInlineSnapshot(`
      "Stray instance  Made for  Since                 Message
      i-7             4         2026-01-01 10:00:00Z  is being stopped (provisioner-harvest-mode=all)
      i-8             4         2026-01-01 10:00:00Z  belongs to no machine; will be stopped soon, unless it runs a controller
      "
    `);
  });

  test('the tables colour good, pending and bad states', () => {
    const text = statusTabular(formatStatus(shop, 'ctrl', style), { colour: 'on' });
    expect(text).toContain('\u001b[32mactive\u001b[39m');
    expect(text).toContain('\u001b[31mblocked\u001b[39m');
    // eslint-disable-next-line no-control-regex -- colours must not move columns
    expect(text.replace(/\u001b\[\d+m/g, '')).toBe(
      statusTabular(formatStatus(shop, 'ctrl', style), { colour: 'off' }),
    );
  });

  test('the tables of an empty model have only the header', () => {
    const formatted = formatStatus(full({}), 'ctrl', style);
    expect(isEmpty(formatted)).toBe(true);
    expect(statusTabular(formatted, { colour: 'off' })).toMatchInlineSnapshot(`
      "Model  Controller  Cloud/Region     Version  SLA          Timestamp
      shop   ctrl        local/localhost  3.6.28   unsupported  10:00:05Z
      "
    `);
  });

  test('the tables list containers below their hosts, with zones and messages of machines', () => {
    const lxd = machine('1/lxd/0', 'pending', {
      'instance-id': 'pending',
      'display-name': '',
      'instance-status': detailed('pending', 'waiting for machine 1'),
    });
    const waits = 'attempt 2 failed, next at 10:00:30Z: no host';
    const machines = {
      '1': machine('1', 'pending', {
        'instance-id': 'pending',
        'display-name': '',
        'instance-status': detailed('allocating', waits),
        containers: { '1/lxd/10': { ...lxd, id: '1/lxd/10' }, '1/lxd/0': lxd },
      }),
      '2': machine('2', 'down', {
        'instance-status': detailed('lost', 'the instance no longer exists'),
        hardware: 'arch=amd64 availability-zone=z2',
      }),
    };
    const { model, ...statusWithoutModel } = full({ machines });
    const suspended = {
      ...statusWithoutModel,
      model: { ...model, 'model-status': detailed('suspended', 'quota of 2 exceeded') },
    };
    expect(statusTabular(formatStatus(suspended, 'ctrl', style), { colour: 'off' })).toMatchInlineSnapshot(`
      "Model  Controller  Cloud/Region     Version  SLA          Timestamp  Notes
      shop   ctrl        local/localhost  3.6.28   unsupported  10:00:05Z  suspended: quota of 2 exceeded

      Machine   State    Address  Inst id  Base          AZ  Message
      1         pending           pending  ubuntu@24.04      attempt 2 failed, next at 10:00:30Z: no host
      1/lxd/0   pending           pending  ubuntu@24.04      waiting for machine 1
      1/lxd/10  pending           pending  ubuntu@24.04      waiting for machine 1
      2         down              juju-2   ubuntu@24.04  z2  the instance no longer exists
      "
    `);
  });

  test('the tables show pending units without a machine, and the missing relations', () => {
    const missing = (endpoint: string, its: string) => ({ endpoint, interface: its, applications: [] });
    const missingText = 'missing relation: db (mysql)';
    const whyLog = 'missing relation: master (syslog)';
    const waits = full({
      machines: { '0': machine('0', 'started') },
      applications: {
        blog: application({
          status: detailed('active', 'new units wait for relations: db (mysql)'),
          pending: {
            since: '2026-01-01T10:00:00Z',
            missing: [missing('db', 'mysql')],
            units: 1,
            running: 1,
          },
          units: {
            'blog/0': unit('active', 'idle', {
              machine: '0',
              subordinates: {
                'log/0': unit('blocked', 'idle', {
                  unplaced: true,
                  'workload-status': detailed('blocked', whyLog),
                }),
              },
            }),
            'blog/1': unit('blocked', 'idle', {
              unplaced: true,
              'workload-status': detailed('blocked', missingText),
            }),
          },
        }),
      },
    });
    const formatted = formatStatus(waits, 'ctrl', style);
    const sections = statusTabular(formatted, { colour: 'off' }).split('\n\n');
    expect(sections.slice(1, 3).join('\n\n')).toMatchInlineSnapshot(`
      "App   Version  Status  Scale  Charm    Channel  Rev  Exposed  Message
      blog           active      2  shipper             0  no       new units wait for relations: db (mysql)

      Unit     Workload  Agent  Machine  Public address  Ports  Message
      blog/0   active    idle   0                               
        log/0  blocked   idle                                   missing relation: master (syslog)
      blog/1   blocked   idle                                   missing relation: db (mysql)"
    `);
    expect(statusTabular(formatted, { colour: 'on' })).toContain('\u001b[31mblocked\u001b[39m');
    expect(statusOneline(formatted)).toMatchInlineSnapshot(`
      "
      - blog/0:  (agent:idle, workload:active)
        - log/0:  (agent:idle, workload:blocked)
      - blog/1:  (agent:idle, workload:blocked)
      "
    `);
    const { blog } = formatted.applications;
    expect(blog?.pending).toEqual({
      since: '2026-01-01 10:00:00Z',
      missing: [{ endpoint: 'db', interface: 'mysql', applications: [] }],
      units: 1,
      running: 1,
    });
    expect(blog?.units?.['blog/1']).not.toHaveProperty('machine');
    expect(blog?.units?.['blog/1']?.unplaced).toBe(true);
    expect(blog?.units?.['blog/0']?.subordinates?.['log/0']?.unplaced).toBe(true);
  });

  test('the header of a dying model says so', () => {
    const dying = full({});
    const text = statusTabular(
      formatStatus(
        { ...dying, model: { ...dying.model, 'model-status': detailed('destroying', 'attempt 1') } },
        'c',
        style,
      ),
      { colour: 'off' },
    );
    expect(text).toContain('destroying: attempt 1');
  });
});

test('the oneline format has one line per unit', () => {
  expect(statusOneline(formatStatus(shop, 'ctrl', style))).toMatchInlineSnapshot(`
    "
    - web/0: 10.0.0.3 (agent:idle, workload:active) 8080/tcp, 443/tcp
      - shipper/0: 10.0.0.3 (agent:idle, workload:active)
    - web/2:  (agent:idle, workload:blocked)
    - web/10:  (agent:executing, workload:maintenance)
    "
  `);
});

test('the summary format counts machines, units and ports', () => {
  expect(statusSummary(formatStatus(shop, 'ctrl', style))).toMatchInlineSnapshot(`
    "Running on subnets:  10.0.0.0/24        
       Utilizing ports:  443/tcp, 8080/tcp  

            # Machines:  (2)
               pending:   1 
               started:   1 

               # Units:  (4)
                active:   2 
               blocked:   1 
           maintenance:   1 

        # Applications:  (3)  
                     kv  0/0  
                shipper  1/1  
                    web  1/3  exposed
    "
  `);
});

test('the structured output has the keys that jubilant and scripts read', () => {
  const { applications, machines, controller } = formatStatus(shop, 'ctrl', style);
  expect(Object.keys(applications)).toEqual(['kv', 'shipper', 'web']);
  expect(applications['kv']).toEqual({
    charm: 'kv',
    base: { name: 'ubuntu', channel: '24.04' },
    'charm-origin': 'charmhub',
    'charm-name': 'kv',
    'charm-rev': 12,
    'charm-channel': 'latest/stable',
    exposed: false,
    'application-status': { current: 'active', since: '2026-01-01 10:00:00Z' },
    relations: { db: [{ 'related-application': 'web', interface: 'kv', scope: 'global' }] },
  });
  expect(applications['web']?.units?.['web/0']).toEqual({
    'workload-status': { current: 'active', since: '2026-01-01 10:00:00Z' },
    'juju-status': { current: 'idle', since: '2026-01-01 10:00:00Z' },
    leader: true,
    machine: '10',
    'open-ports': ['8080/tcp', '443/tcp'],
    'public-address': '10.0.0.3',
    subordinates: {
      'shipper/0': {
        'workload-status': { current: 'active', since: '2026-01-01 10:00:00Z' },
        'juju-status': { current: 'idle', since: '2026-01-01 10:00:00Z' },
        leader: true,
        'public-address': '10.0.0.3',
      },
    },
  });
  expect(machines['2']).toMatchObject({
    'instance-id': 'pending',
    base: { name: 'ubuntu', channel: '24.04' },
  });
  expect(controller).toEqual({ timestamp: '10:00:05Z' });
});

test.each([
  [['80/tcp'], '80/tcp'],
  [['443/tcp', '80/tcp', '53/udp'], '80,443/tcp 53/udp'],
  [['9000-9010/tcp', '80/tcp', 'icmp'], '80,9000-9010/tcp icmp'],
])('ports %j are shown as %s', (ports, shown) => {
  expect(groupPorts(ports)).toBe(shown);
});
