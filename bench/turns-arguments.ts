/**
 * Arguments for bench/turns.ts: each method's largest by its schema, and others whose cost lies in a number or a form.
 */
import type { Needs } from '../src/controller/facade.ts';
import { facades } from '../src/controller/facades/index.ts';
import type { Entities } from '../src/core/kinds.ts';
import { limits } from '../src/core/limits.ts';
import type { Reader } from '../src/store/store.ts';
import { argumentsOfSize, type Words } from '../src/testing/fuzz/arguments.ts';
import { schemasAt, type Schemas } from '../src/wire/facade-spec.ts';
import { versionsOf } from '../src/testing/versions-of.ts';
import { countMarks } from '../src/wire/check-marks.ts';
import type { Request } from './turns-client.ts';
import type { Crossing } from './turns-crossing.ts';

export interface Case extends Omit<Request, 'args'> {
  /** Creates the arguments on demand: all of them together are gigabytes. */
  readonly args: () => unknown;
  /** Special property of the arguments; '' = the largest of the schema. */
  readonly form: string;
  readonly as: 'admin' | 'agent' | 'controller' | 'other' | 'other controller';
  /** Creates the request that creates the watcher to call the method on. */
  readonly watch: () => Request | undefined;
}

/** Methods that end the controller itself. */
const leftOut = new Set(['Controller.DestroyController']);

const watchers: Readonly<Record<string, Request>> = {
  AllWatcher: { facade: 'Client', method: 'WatchAll', version: 8, args: {} },
  AgentWatcher: { facade: 'MachineAgent', method: 'Watch', version: 1, args: {} },
};

/** Returns the calls, with at most `bytes` of arguments, for every announced version or the newest. */
export function cases(
  model: string,
  view: () => Reader<Entities>,
  {
    bytes,
    newest,
    crossing,
  }: { readonly bytes: number; readonly newest: boolean; readonly crossing: Crossing },
): Case[] {
  const words = wordsOf(model, view(), bytes);
  const made: Case[] = [];
  for (const { spec, table } of facades)
    for (const [method, methodSpec] of Object.entries(spec.methods)) {
      if (leftOut.has(`${spec.name}.${method}`)) continue;
      const { needs } = table[method]!;
      const as = roleOf(needs, spec.on === 'controller');
      const watch = (): Request | undefined =>
        spec.name === 'StringsWatcher'
          ? ofTask(words('actiontag')[0]!)
          : (watchers[spec.name] ?? crossing.watch(spec.name));
      const forms = (params: Schemas['params']): (readonly [string, () => unknown])[] => [
        ['', () => largest(params, bytes, words)],
        // Arguments are created for each call: all of them together would fill the memory.
        ...Object.keys(special(`${spec.name}.${method}`, words, bytes)).map(
          (form) => [form, () => special(`${spec.name}.${method}`, words, bytes)[form]] as const,
        ),
        ...(spec.name === 'CrossModelRelations' ? Object.entries(crossing.arguments(method, bytes)) : []),
      ];
      const announced = versionsOf(spec, method);
      for (const version of newest ? announced.slice(-1) : announced)
        for (const [form, args] of forms(schemasAt(methodSpec, version).params))
          made.push({ facade: spec.name, method, version, form, as, watch, args });
    }
  // Destructive methods come last: a short run does not restore the model.
  const takes = ({ method }: Case): boolean => /Destroy|Remove|Dead/.test(method);
  return [...made.filter((one) => !takes(one)), ...made.filter(takes)];
}

function roleOf(needs: Needs, isOnController: boolean): Case['as'] {
  if (needs === 'agent') return 'agent';
  if (needs === 'anonymous') return isOnController ? 'other controller' : 'other';
  return isOnController ? 'controller' : 'admin';
}

function ofTask(tag: string): Request {
  return { facade: 'Action', method: 'WatchActionsProgress', version: 7, args: { entities: [{ tag }] } };
}

/** Builds a list of `length` elements. */
function listOf<T>(length: number, make: (n: number) => T): T[] {
  return Array.from({ length }, (_, n) => make(n));
}

/** Arguments of at most `bytes`, with at most as many values as a request may have. */
function largest(params: Schemas['params'], bytes: number, words: Words): unknown {
  const given = argumentsOfSize(params, { bytes }, words);
  const marks = countMarks(Buffer.from(JSON.stringify(given)));
  const { max } = limits.requestMarks;
  return marks < max - 20 ? given : largest(params, Math.floor((0.95 * bytes * max) / marks), words);
}

function special(name: string, words: Words, bytes: number): Readonly<Record<string, unknown>> {
  const many = Math.min(limits.listEntries.max, Math.floor(bytes / 64));
  const units = words('units');
  const machineTags = words('machinetag').slice(0, many);
  const applications = words('application');
  const origin = { source: 'local', base: { name: 'ubuntu', channel: '24.04/stable' } };
  const deploy = { 'charm-url': 'local:plain-0', 'charm-origin': origin, constraints: {} };
  const inTurn = (list: readonly string[]) => (n: number) => list[n % list.length]!;
  switch (name) {
    case 'Action.EnqueueOperation':
      return {
        'all units': {
          actions: listOf(many, (n) => ({
            receiver: inTurn(words('tag'))(n),
            name: 'juju-exec',
            parameters: { command: `true ${n}`, timeout: 0 },
          })),
        },
      };
    case 'Action.Run':
      return { 'all applications': { commands: 'true', timeout: 0, applications } };
    case 'Action.RunOnAllMachines':
      return { '': { commands: 'true', timeout: 0 } };
    case 'Action.Actions':
    case 'Action.Cancel':
      return { 'all tasks': { entities: listOf(many, (n) => ({ tag: inTurn(words('actiontag'))(n) })) } };
    case 'Action.WatchActionsProgress':
      return {
        'as many as may be': { entities: listOf(900, (n) => ({ tag: inTurn(words('actiontag'))(n) })) },
      };
    case 'Action.Operations':
      return { 'one of all units': { entities: [{ tag: `operation-${words('operation')[0]}` }] } };
    case 'Action.ListOperations':
      return { all: {} };
    case 'Application.AddUnits':
      return {
        'as many as may be': {
          application: 'web',
          'num-units': Math.min(limits.unitsAtOnce.max, Math.floor(bytes / 20)),
          placement: [],
        },
        placed: {
          application: 'web',
          'num-units': many,
          placement: listOf(many, () => ({ scope: '#', directive: '0' })),
        },
      };
    case 'Application.Deploy':
      return {
        'many units': {
          applications: [
            {
              ...deploy,
              application: 'more',
              'num-units': Math.min(limits.unitsAtOnce.max, Math.floor(bytes / 20)),
            },
          ],
        },
        'many applications': {
          applications: listOf(many - 1100, (n) => ({ ...deploy, application: `more${n}`, 'num-units': 0 })),
        },
        'much config': {
          applications: [{ ...deploy, application: 'more', 'num-units': 0, 'config-yaml': yamlOf(bytes) }],
        },
      };
    case 'Application.SetConfigs':
      return {
        'much config': {
          Args: [{ application: 'web', generation: '', config: {}, 'config-yaml': yamlOf(bytes) }],
        },
      };
    case 'Application.DestroyUnit':
      return {
        all: {
          units: units.slice(0, many).map((unit) => ({ 'unit-tag': `unit-${unit.replace('/', '-')}` })),
        },
        'all, with force': {
          units: units
            .slice(0, many)
            .map((unit) => ({ 'unit-tag': `unit-${unit.replace('/', '-')}`, force: true, 'max-wait': 0 })),
        },
        'all, tried': {
          units: units
            .slice(0, many)
            .map((unit) => ({ 'unit-tag': `unit-${unit.replace('/', '-')}`, 'dry-run': true })),
        },
      };
    case 'Application.DestroyApplication': {
      const all = (more: object): unknown => ({
        applications: applications.map((one) => ({ 'application-tag': `application-${one}`, ...more })),
      });
      return {
        all: all({}),
        'all, with force': all({ force: true, 'max-wait': 0 }),
        'all, tried': all({ 'dry-run': true }),
        'the largest': { applications: [{ 'application-tag': 'application-packed', force: false }] },
      };
    }
    case 'Application.AddRelation':
      return { plain: { endpoints: ['web:db', 'mysql:server'] } };
    case 'Application.DestroyRelation':
      return {
        'of many units': { endpoints: ['web:db', 'packed:server'] },
        'with force': { endpoints: ['web:db', 'packed:server'], force: true, 'max-wait': 0 },
      };
    case 'Application.ResolveUnitErrors':
      return { all: { all: true } };
    case 'Application.Expose':
      return { plain: { application: 'packed' } };
    case 'Application.UnitsInfo':
      return { related: { entities: listOf(many, () => ({ tag: 'unit-packed-0' })) } };
    case 'Bundle.GetChangesMapArgs':
      return {
        'many applications': {
          yaml: `applications:\n${listOf(Math.floor(Math.min(bytes, 250_000) / 40), (n) => `  a${n}: {charm: ./a, num_units: 1}\n`).join('')}`.slice(
            0,
            limits.plannedBundleBytes.max,
          ),
        },
        'many units': { yaml: 'applications: {a: {charm: ./a, num_units: 10000}}' },
      };
    case 'Client.FullStatus':
      return {
        all: { patterns: [] },
        'all units by name': { patterns: units.slice(0, many) },
        'long patterns': {
          patterns: listOf(limits.statusPatterns.max, (n) => `${'*a'.repeat(125)}${n}`),
        },
        'one pattern': { patterns: [`${'*a'.repeat(125)}b`] },
      };
    case 'Client.StatusHistory':
      return {
        'all units': {
          requests: listOf(many, (n) => ({
            historyKind: 'unit',
            size: 1000,
            filter: { size: 1000, exclude: [] },
            tag: `unit-${inTurn(units)(n).replace('/', '-')}`,
          })),
        },
      };
    case 'Lives.Explain':
      return {
        model: { names: [] },
        'a large application': { names: ['packed'] },
        'all units': { names: units.slice(0, many) },
      };
    case 'Lives.History':
      return {
        model: { names: [], limit: 0 },
        'with statuses': { names: [], limit: 0, statuses: true },
        'an application': { names: ['packed'], limit: 0, statuses: true },
      };
    case 'Lives.PlanRemoval':
      return {
        'all applications': { targets: applications.map((one) => ({ tag: `application-${one}` })) },
        'all units': {
          targets: units.slice(0, many).map((one) => ({ tag: `unit-${one.replace('/', '-')}` })),
        },
      };
    case 'Lives.PlanModelRemoval':
      return { 'this model': { models: [{ 'model-tag': words('model')[0] }] } };
    case 'Lives.StatusAt':
      return { now: { patterns: [], time: new Date().toISOString() } };
    case 'MachineAgent.CommitHook':
      return {
        'most settings': {
          unit: 'packed/0',
          hookId: 'x',
          openPorts: [],
          closePorts: [],
          agentState: {},
          relationSettings: [
            {
              relation: 0,
              app: false,
              set: Object.fromEntries(listOf(Math.min(many, 9_000), (n) => [`k${n}`, 'v'.repeat(100)])),
            },
          ],
        },
      };
    case 'MachineManager.AddMachines':
      return {
        many: {
          params: listOf(many, () => ({ base: origin.base, constraints: {}, jobs: ['JobHostUnits'] })),
        },
      };
    case 'MachineManager.DestroyMachineWithParams':
      return {
        all: { 'machine-tags': machineTags, force: false },
        'all, with force': { 'machine-tags': machineTags, force: true, 'max-wait': 0 },
        'all, tried': { 'machine-tags': machineTags, force: true, 'dry-run': true },
      };
    case 'ModelConfig.ModelSet':
      return { 'require-endpoints': { config: { 'require-endpoints': 'all' } } };
    case 'ModelManager.DestroyModels':
      return {
        'this model': { models: [{ 'model-tag': words('model')[0], 'destroy-storage': true, force: false }] },
        'with force': {
          models: [{ 'model-tag': words('model')[0], 'destroy-storage': true, force: true, 'max-wait': 0 }],
        },
      };
    case 'ModelManager.ModelInfo':
    case 'ModelManager.ModelStatus':
    case 'Controller.ModelStatus':
      return {
        'this model': { entities: [{ tag: words('model')[0] }] },
        'again and again': { entities: listOf(many, () => ({ tag: words('model')[0] })) },
      };
    case 'Provisioning.RetryMachines':
    case 'MachineManager.RetryProvisioning':
      return { all: { all: true }, named: { all: false, machines: machineTags } };
    case 'Provisioning.ReprovisionMachines':
      return { named: { machines: machineTags, force: true } };
    case 'Cloud.AddCredentials':
    case 'Cloud.CheckCredentialsModels':
    case 'Cloud.UpdateCredentialsCheckModels':
      return {
        valid: {
          credentials: listOf(many, (n) => ({
            tag: `cloudcred-test_admin_c${n}`,
            credential: { 'auth-type': 'empty' },
          })),
          force: true,
        },
      };
    case 'Cloud.RevokeCredentialsCheckModels':
      return {
        valid: { credentials: listOf(many, (n) => ({ tag: `cloudcred-test_admin_c${n}`, force: true })) },
      };
    default:
      return {};
  }
}

/** Builds YAML with as many keys as fit in the size. */
function yamlOf(bytes: number): string {
  const lines = listOf(Math.floor(Math.min(limits.yamlMarks.max / 4, bytes / 16)), (n) => `  k${n}: v\n`);
  return `web:\n${lines.join('')}`;
}

function wordsOf(model: string, view: Reader<Entities>, bytes: number): Words {
  const units = [...view.list('unit')].map((unit) => unit.name);
  const applications = [...view.list('application')].map(({ name }) => name);
  const machines = [...view.list('machine')].map(({ id }) => id);
  const machineTags = machines.map((id) => `machine-${id.replaceAll('/', '-')}`);
  const unitTags = units.map((unit) => `unit-${unit.replace('/', '-')}`);
  const applicationTags = applications.map((name) => `application-${name}`);
  const tasks = [...view.list('task')].map(({ id }) => `action-${id}`);
  const operations = [...view.list('operation')].map(({ id }) => id);
  const modelTags = [`model-${model}`];
  const packed = units.filter((unit) => unit.startsWith('packed/'));
  return (member) => {
    const name = member.toLowerCase();
    if (name === 'actiontag') return tasks;
    if (name === 'machinetag' || name === 'machine-tags') return machineTags;
    if (name === 'operation') return operations;
    if (name === 'model' || name === 'model-tag') return modelTags;
    if (name === 'application-tag') return applicationTags;
    if (name === 'unit-tag') return unitTags;
    if (name === 'cloud-tag') return ['cloud-test'];
    if (name === 'user-tag' || name === 'owner-tag') return ['user-admin'];
    if (name === 'credential-tag') return ['cloudcred-test_admin_default'];
    if (name.includes('tag') || name === 'entity' || name === 'entities')
      return [...unitTags, ...machineTags, ...applicationTags];
    if (name === 'receiver') return unitTags;
    if (name === 'unit' || name === 'owner') return packed;
    if (name === 'units') return units;
    if (name.startsWith('application')) return applications;
    if (name.startsWith('endpoint')) return ['web:db', 'mysql:server'];
    if (name.includes('machine') || name === 'container') return machines;
    if (name.includes('charm') || name === 'url') return ['local:mysql-0', 'local:web-0', 'local:plain-0'];
    if (name === 'id') return tasks.map((tag) => tag.slice('action-'.length));
    if (name === 'names') return [...units, ...applications, ...machines];
    if (name === 'patterns') return units;
    if (name === 'scope') return ['#'];
    if (name === 'directive') return ['0'];
    if (name === 'type' || name === 'auth-type') return ['simulated'];
    if (name.includes('yaml')) return [yamlOf(bytes)];
    if (name.includes('time') || name === 'since') return [new Date(0).toISOString()];
    return [];
  };
}
