/** Generates scripts in which two operators apply model files to one model, and a guest does what is in no file. */
import { guest } from './access.ts';
import { zoneNames } from './cloud.ts';
import { Chance } from './chance.ts';
import type { FileCommand } from './file-commands.ts';
import type { SimApplication, SimFile } from '../file-rules.ts';
import { blows, troubles } from './generate-troubles.ts';
import type { Command, Script, Step } from './script.ts';

/** Applications of each file; some are in both. */
const names = {
  alpha: ['db', 'web', 'cache', 'logger', 'shop'],
  beta: ['db2', 'web2', 'cache', 'logger2'],
} as const;
type FileName = keyof typeof names;
const subordinates: readonly string[] = ['logger', 'logger2'];
const ends: readonly (readonly [string, string])[] = [
  ['web:db', 'db:server'],
  ['web:cache', 'cache:store'],
  ['logger:host', 'web:juju-info'],
  ['logger:host', 'db:juju-info'],
  ['shop:site', 'web:site'],
  ['shop:db', 'db:server'],
  ['web2:db', 'db2:server'],
  ['web2:cache', 'cache:store'],
  ['logger2:host', 'web2:juju-info'],
];

export function generateFilesScript({ seed, hours }: { seed: number; hours: number }): Script {
  const chance = new Chance(seed ^ 0xf11e);
  const endMs = hours * 3_600_000;
  const steps: Step[] = [
    { atMs: 0, by: 'bob', model: 0, do: 'grant', access: 'admin' },
    ...troubles(chance, endMs),
    ...blows(chance, endMs),
  ];
  const files = new Map<FileName, SimFile>();
  const next = (name: FileName): SimFile => {
    const old = files.get(name);
    let file = old ?? first(chance, name);
    if (old && chance.is(0.75)) for (let n = chance.below(3); n >= 0; n--) file = edited(chance, name, file);
    files.set(name, file);
    return withMachines(file);
  };
  const add = (atMs: number, by: 'alice' | 'bob' | typeof guest, command: Command): void =>
    void steps.push({ atMs, by, model: 0, ...command });
  for (const [by, name, everyMs] of [
    ['alice', 'alpha', 45_000],
    ['bob', 'beta', 70_000],
  ] as const)
    for (let atMs = 2_000 + chance.below(20_000); atMs < endMs; atMs += chance.below(everyMs)) {
      const how = { parallel: chance.of([1, 1, 4]), ...killed(chance) };
      const reverts = by === 'alice' && chance.is(0.12);
      const command: FileCommand = reverts
        ? { do: 'revert', to: { back: chance.below(3) }, ...how }
        : { do: 'apply', file: next(name), prune: chance.is(0.7), ...how };
      add(atMs, by, command);
      if (chance.is(0.25))
        steps.push({
          atMs: atMs + chance.below(2_000),
          blow: 'crash-controller',
          step: 1 + chance.below(60),
        });
    }
  if (chance.is(0.7))
    for (let atMs = 5_000; atMs < endMs; atMs += 2_000 + chance.below(90_000))
      add(atMs, guest, byHand(chance));
  return { seed, hours, places: 1, steps: steps.toSorted((a, b) => a.atMs - b.atMs) };
}

/** The file with the machine 0 when something is placed there. */
function withMachines(file: SimFile): SimFile {
  const isNamed = Object.values(file.applications).some(({ to = [] }) =>
    to.some((place) => place.endsWith('0')),
  );
  return isNamed ? { ...file, machines: { '0': {} } } : file;
}

/** Kills the client, in some cases, before it can have done all. */
function killed(chance: Chance): { killMs?: number } {
  return chance.is(0.25) ? { killMs: 10 + chance.below(chance.is(0.5) ? 300 : 5_000) } : {};
}

function first(chance: Chance, name: FileName): SimFile {
  const all = names[name].filter((_, n) => n < 2 || chance.is(0.5));
  const applications = Object.fromEntries(all.map((one) => [one, application(chance, one)]));
  const file: SimFile = { name, 'default-base': 'ubuntu@24.04', applications };
  return related(chance, gated(chance, file));
}

function application(chance: Chance, name: string): SimApplication {
  const charm = `/${name.replace(/2$/, '')}-${1000 + chance.below(2)}`;
  if (subordinates.includes(name)) return { charm };
  return {
    charm,
    ...scale(chance),
    ...(chance.is(0.4) && { options: { n: chance.below(100) } }),
    ...(chance.is(0.2) && { constraints: `mem=${chance.of([512, 1024])}M` }),
    ...(chance.is(0.2) && { expose: true }),
    ...(chance.is(0.3) && { refresh: { 'max-unavailable': 1 } }),
    ...(name === 'db' && { storage: { data: 'rootfs,64M' } }),
    ...(name === 'db2' && chance.is(0.4) && { offers: { store: { endpoints: ['server'] } } }),
  };
}

/** A number of units, with places for them in some cases. */
function scale(chance: Chance): Pick<SimApplication, 'num_units' | 'to'> {
  if (chance.is(0.15)) return {};
  const units = chance.below(3);
  const to = chance.of(['0', 'lxd:0', 'new', `zone=${zoneNames[0]}`]);
  return { num_units: units, ...(units > 0 && chance.is(0.2) && { to: [to] }) };
}

/** Gates of which none is on a later application: there is no circle. */
function gated(chance: Chance, file: SimFile): SimFile {
  const all = Object.keys(file.applications).filter((name) => !subordinates.includes(name));
  const one = chance.below(all.length);
  const other = chance.below(all.length);
  if (one <= other) return file;
  return changed(file, all[one]!, { after: chance.is(0.8) ? { [all[other]!]: 'active' } : {} });
}

function related(chance: Chance, file: SimFile): SimFile {
  const possible = ends.filter((pair) => pair.every((end) => file.applications[end.split(':')[0]!]));
  return { ...file, relations: possible.filter(() => chance.is(0.6)) };
}

function changed(file: SimFile, name: string, change: Partial<SimApplication>): SimFile {
  const old = file.applications[name];
  return old ? { ...file, applications: { ...file.applications, [name]: { ...old, ...change } } } : file;
}

function edited(chance: Chance, name: FileName, file: SimFile): SimFile {
  const { applications, ...rest } = file;
  const one = chance.of(Object.keys(applications));
  const isSubordinate = subordinates.includes(one);
  switch (chance.below(9)) {
    case 0: {
      const more = chance.of(names[name]);
      return gated(chance, { ...file, applications: { [more]: application(chance, more), ...applications } });
    }
    case 1: {
      if (Object.keys(applications).length === 1) return file;
      const { [one]: _, ...left } = applications;
      const kept = Object.entries(left).map(([other, { after = {}, ...app }]) => {
        const gates = Object.entries(after).filter(([gate]) => gate !== one);
        return [other, gates.length > 0 ? { ...app, after: Object.fromEntries(gates) } : app];
      });
      return withoutDangling({ ...rest, applications: Object.fromEntries(kept) as SimFile['applications'] });
    }
    case 2:
      return isSubordinate ? file : changed(file, one, { num_units: 1 + chance.below(3) });
    case 3:
      return changed(file, one, { options: chance.is(0.7) ? { n: chance.below(100) } : {} });
    case 4:
      return changed(file, one, { charm: `/${one.replace(/2$/, '')}-${1000 + chance.below(4)}` });
    case 5:
      return related(chance, file);
    case 6:
      return isSubordinate ? file : changed(file, one, { expose: chance.is(0.5) });
    case 7: {
      const pool = `${name}-pool`;
      const secret = {
        content: { value: { env: chance.of(['one', 'two']) } },
        grants: chance.is(0.5) ? [one] : [],
      };
      return {
        ...file,
        'storage-pools': chance.is(0.6) ? { [pool]: { provider: 'rootfs' } } : {},
        secrets: chance.is(0.6) ? { [`${name}-key`]: secret } : {},
        settings: chance.is(0.5) ? { 'logging-config': `<root>=${chance.of(['INFO', 'DEBUG'])}` } : {},
      };
    }
    default:
      return gated(chance, file);
  }
}

/** The file without relations and grants of applications that it no longer has. */
function withoutDangling({ relations = [], secrets = {}, ...file }: SimFile): SimFile {
  const has = (end: string): boolean => file.applications[end.split(':')[0]!] !== undefined;
  return {
    ...file,
    relations: relations.filter((pair) => pair.every(has)),
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([name, { content, grants }]) => [
        name,
        { content, grants: grants.filter(has) },
      ]),
    ),
  };
}

/** What somebody does who has no file: about applications of the files, and others. */
function byHand(chance: Chance): Command {
  const application = chance.of(['db', 'web', 'cache', 'db2', 'pong', 'web2', 'ping', 'logger']);
  const pick = chance.below(3);
  const force = chance.is(0.2) ? { force: { maxWaitS: 10 } } : {};
  return chance.of<Command>([
    { do: 'deploy', application, units: 1 },
    { do: 'deploy', application, units: 1 },
    { do: 'add-unit', application, units: 1 },
    { do: 'remove-unit', application, pick, fresh: false, ...force },
    { do: 'remove-application', application, ...force },
    { do: 'config', application, option: 'n', value: String(chance.below(100)) },
    { do: 'expose', application },
    { do: 'integrate', ends: chance.of(ends) },
    { do: 'remove-relation', ends: chance.of(ends), ...force },
    { do: 'status' },
  ]);
}
