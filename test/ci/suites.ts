/**
 * Suites that CI runs after `npm test`, and their needs: `npm run ci -- --list`. Long suites run a part (part.ts),
 * drawn anew each time.
 */

/** Resource that one suite at a time may use. */
type Resource =
  /**
   * Bridges, namespaces, mounts, limits and firewall tables of this host: the leftovers of one suite would be counted
   * as another's.
   */
  | 'network'
  /** LXD's folders and bridges, which have fixed names. */
  | 'lxd';

export interface Suite {
  readonly name: string;
  readonly about: string;
  /** Arguments of `npm run --silent`. */
  readonly command: readonly string[];
  /** Arguments with `--full`, when they differ: whole ranges of seeds. */
  readonly full?: readonly string[];
  /** Number of processors that the suite keeps busy; a suite that mostly waits counts as one. */
  readonly processors: number;
  readonly memoryGiB: number;
  readonly resources: readonly Resource[];
  /** Time in minutes after which the suite is assumed to hang: over four times its duration on two idle processors. */
  readonly deadlineMinutes: number;
}

interface OnHost {
  readonly minutes: number;
  readonly lxd?: true;
}

function onHost(name: string, about: string, { minutes, lxd }: OnHost): Suite {
  return {
    name,
    about,
    command: [`test:${name}`],
    processors: 1,
    memoryGiB: 4,
    resources: lxd ? ['network', 'lxd'] : ['network'],
    deadlineMinutes: minutes,
  };
}

interface Computed {
  readonly minutes: number;
  readonly command: readonly string[];
  readonly full?: readonly string[];
}

function computed(name: string, about: string, { minutes, ...commands }: Computed): Suite {
  return { name, about, ...commands, processors: 1, memoryGiB: 4, resources: [], deadlineMinutes: minutes };
}

/** Suites in the order in which they start, as there is room. */
export const suites: readonly Suite[] = [
  computed('check', 'formatter, linter, types', { command: ['check'], minutes: 10 }),
  onHost('lxd', 'real containers on an LXD of its own', { minutes: 45, lxd: true }),
  computed('properties', 'the property tests at full length, with a new seed', {
    command: ['test:properties'],
    minutes: 35,
  }),
  computed('fuzz', 'every method with arguments at and over its limits', {
    command: ['test:fuzz'],
    full: ['test:fuzz', '--', '--full'],
    minutes: 25,
  }),
  onHost('local', 'real machines by the command line, and beside the code', { minutes: 45 }),
  computed('sim', 'the whole product on a virtual clock, with faults', {
    command: ['sim', '--', '--seeds', '1-100', '--new', '100', '--hours', '0.1', '--jobs', '1'],
    full: ['test:sim', '--', '--new', '200', '--jobs', '1'],
    minutes: 30,
  }),
  onHost('scenarios', 'stories about lives on real machines', { minutes: 35 }),
  computed('provisioning', 'every failure of the cloud at every call', {
    command: ['sim', '--', '--provisioning', '--seeds', '1-1000', '--new', '1000', '--jobs', '1'],
    full: ['test:provisioning', '--', '--new', '2000', '--jobs', '1'],
    minutes: 30,
  }),
  computed('forecasts', 'forecasts against what then happens in the simulation', {
    command: ['sim', '--', '--forecasts', '--seeds', '1-60', '--new', '20'],
    full: ['sim', '--', '--forecasts', '--seeds', '1-200', '--new', '200'],
    minutes: 15,
  }),
  computed('offers', 'relations between models on a virtual clock, with faults between them', {
    command: ['sim', '--', '--offers', '--seeds', '1-20', '--new', '10', '--hours', '0.1', '--jobs', '1'],
    full: ['test:offers', '--', '--new', '100', '--jobs', '1'],
    minutes: 10,
  }),
  computed('restores', 'backups that are restored, and accepted, on a virtual clock', {
    command: ['sim', '--', '--restores', '--seeds', '1-20', '--new', '20', '--hours', '0.1', '--jobs', '1'],
    full: ['test:restores', '--', '--new', '100', '--jobs', '1'],
    minutes: 10,
  }),
  computed('files', 'model files that are applied and reverted on a virtual clock, with faults', {
    command: ['sim', '--', '--files', '--seeds', '1-12', '--new', '8', '--hours', '0.1', '--jobs', '1'],
    full: ['test:files', '--', '--new', '100', '--jobs', '1'],
    minutes: 10,
  }),
  computed('migration', 'models that move between controllers on a virtual clock, with faults', {
    command: ['sim', '--', '--migration', '--seeds', '1-15', '--new', '10', '--hours', '0.1', '--jobs', '1'],
    full: ['test:migration', '--', '--new', '100', '--jobs', '1'],
    minutes: 10,
  }),
  onHost('manual', 'hosts that exist already, by ssh', { minutes: 30 }),
  computed('lives', 'every order of the steps of small worlds', {
    command: ['test:lives', '--', '--jobs', '1'],
    full: ['test:lives', '--', '--all', '--jobs', '1'],
    minutes: 35,
  }),
  onHost('charms', 'charms of the kinds that exist, through their lives on real machines', { minutes: 30 }),
  computed('vault', 'secrets in a server of OpenBao', { command: ['test:vault'], minutes: 10 }),
  computed('shells', 'completion in bash, zsh and fish; manual pages in two formatters', {
    command: ['test:shells'],
    minutes: 10,
  }),
  onHost('upgrades', 'this release after the one before, and programs that do not come up', { minutes: 25 }),
  onHost('interop', 'clients and charms of Juju, unmodified', { minutes: 40 }),
  computed('bench', 'all benchmarks, quickly: they end, with figures', {
    command: ['bench', '--', '--quick'],
    minutes: 15,
  }),
  computed('mutants-of-parts', 'bugs put into parts, each of which a test must find', {
    command: ['test:mutants-of-parts'],
    minutes: 30,
  }),
  computed('mutants', 'bugs put into the product, each of which the simulation must find', {
    command: ['sim', '--', '--mutants', '--some', '8', '--jobs', '1'],
    full: ['test:mutants', '--', '--jobs', '1'],
    minutes: 45,
  }),
  onHost('crash', '`kill -9` of controller, agents and machines', { minutes: 45 }),
  onHost('demo', '`npm start`, again, `npm stop`', { minutes: 10 }),
];
