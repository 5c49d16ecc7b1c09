import type { Entities } from '../../core/kinds.ts';
import { JujuError } from '../../core/errors.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import type { LivingKind } from '../../core/entity-ref.ts';
import { resourceId } from '../../core/resource/document.ts';
import { isOpen } from '../../core/task/document.ts';
import { statusId } from '../../core/status.ts';
import type { Reader } from '../../store/store.ts';
import { actionTag, applicationTag, machineTag, modelTag, unitTag } from '../../wire/tags.ts';
import { giveAccessCommand, isAccessCommand } from './access.ts';
import type { Acknowledged, Changes } from './acknowledged.ts';
import { announce, isSteered, refreshBy, rollingParams, sentenceOfRollout } from './rollouts.ts';
import { giveFileCommand, isFileCommand } from './file-commands.ts';
import type { FileJudge } from './file-judge.ts';
import { fingerprintOf } from './charms.ts';
import { failed, pick, rather } from './choose.ts';
import { constraintsOf, forced, isBetween, placement, settingOf } from './command-params.ts';
import {
  giveStorageCommand,
  isStorageCommand,
  pickDetached,
  storageDirectives,
  storageTag,
} from './give-storage-command.ts';
import { migrate } from './migrations.ts';
import { giveOfferCommand, isOfferCommand } from './offer-commands.ts';
import { giveSpaceCommand, isSpaceCommand } from './spaces.ts';
import { onlyResult, type Result, type Results } from './results.ts';
import type { Command } from './script.ts';
import { backendSetting } from './vault.ts';
import type { SimCharm, SimOperator, World } from './world.ts';
import { defined } from '../../core/defined.ts';

/** Maximum number of units in a model: scripts are about many lifecycles, not about large models. */
const unitsMax = 10;
const modelDefaults = mergedModelConfig({});

export interface Desk {
  readonly world: World;
  readonly operator: SimOperator;
  /** Uuid of the current model in each place. */
  readonly models: readonly string[];
  readonly acknowledged: Acknowledged;
  /** Makes a charm of the application's name that differs from all others. */
  readonly charmFor: (
    application: string,
    variant?: { readonly peer: boolean; readonly version?: number },
  ) => SimCharm;
  readonly files: FileJudge;
  /** Called before each forced removal. */
  readonly onForce: (space: string, kind: LivingKind, id: string) => void;
  /** Called before each command that may end data: `unit db/0`, `application db`, `storage data/0`, `model`. */
  readonly onGiven: (space: string, what: string) => void;
}

/**
 * Gives a command in a model, by the calls that the CLI makes for it. Resolves when it is answered; the answer is
 * recorded as a promise. Errors: JujuError of the controller; `not found` when there is no entity for the command.
 */
export async function giveCommand(desk: Desk, model: string, command: Command): Promise<void> {
  const { world, operator, acknowledged } = desk;
  const view = world.controller.read().in(model);
  const sent = world.now();
  const units = acknowledged.changes(model, 'unit');
  const machines = acknowledged.changes(model, 'machine');
  const applications = acknowledged.changes(model, 'application');
  const relations = acknowledged.changes(model, 'relation');
  const promise = (what: string, isKept: (answered: number) => boolean): void => {
    const answered = world.now();
    acknowledged.promise(`${what}, answered at ${Math.round(answered)} ms`, () => isKept(answered));
  };
  const force = 'force' in command ? command.force : undefined;
  const waitMs = (force?.maxWaitS ?? 60) * 1000;
  const isForced = <P extends 'application' | 'machine' | 'unit'>(
    changes: Changes<P>,
    answered: number,
    isIt: (doc: Entities[P]) => boolean,
    // Deadlines that were requested earlier and are earlier stay.
  ): boolean => !force || changes.forced(answered, waitMs, isIt);
  const noteForce = (kind: LivingKind, id: string): void => {
    if (force) desk.onForce(kind === 'model' ? '' : model, kind, id);
  };
  const given = (what: string): object => {
    if (!('destroyStorage' in command) || !command.destroyStorage) return {};
    desk.onGiven(model, what);
    return { 'destroy-storage': true };
  };
  const call = <R>(facade: string, method: string, params: unknown): Promise<R> =>
    operator.call<R>(model, facade, method, params);

  if (isSpaceCommand(command)) return giveSpaceCommand(operator, view, command);
  if (isStorageCommand(command)) return giveStorageCommand(desk, view, command);
  if (isAccessCommand(command)) return giveAccessCommand(operator, model, command);
  if (isFileCommand(command)) return giveFileCommand(desk, model, command);
  if (isOfferCommand(command)) return giveOfferCommand(desk, view, command);
  switch (command.do) {
    case 'deploy': {
      const { application } = command;
      const subordinate = isSubordinate(desk.charmFor(application));
      const count = subordinate ? 0 : allowed(view, command.units);
      await deploy(desk, model, command, count);
      return promise(`deploy ${application}`, () => applications.born(application, sent));
    }
    case 'add-unit': {
      const count = allowed(view, command.units);
      const { units: names } = await call<{ units: string[] }>('Application', 'AddUnits', {
        application: command.application,
        'num-units': count,
        placement: placement(view, model, command.where),
        ...defined({
          'reuse-machines': command.reuse || undefined,
          'attach-storage':
            command.attach === undefined ? undefined : [storageTag(pickDetached(view, command.attach))],
        }),
      });
      return promise(`add-unit ${names.join(' ')}`, () => names.every((name) => units.born(name)));
    }
    case 'remove-unit': {
      const all = [...view.find('unit', 'application', command.application)];
      const { name } = pick(
        rather(all, (unit) => command.fresh && !unit.deployed),
        command.pick,
      );
      noteForce('unit', name);
      onlyResult(
        await call('Application', 'DestroyUnit', {
          units: [{ 'unit-tag': unitTag(name), ...forced(command.force), ...given(`unit ${name}`) }],
        }),
      );
      return promise(`remove-unit ${name}`, (answered) => {
        const isIt = (unit: Entities['unit']): boolean => unit.name === name;
        return units.ended(isIt) && isForced(units, answered, isIt);
      });
    }
    case 'remove-application': {
      const { application } = command;
      noteForce('application', application);
      onlyResult(
        await call('Application', 'DestroyApplication', {
          applications: [
            {
              'application-tag': applicationTag(application),
              ...forced(command.force),
              ...given(`application ${application}`),
            },
          ],
        }),
      );
      return promise(`remove-application ${application}`, (answered) => {
        const isIt = (doc: Entities['application']): boolean => doc.name === application;
        return applications.ended(isIt, sent) && isForced(applications, answered, isIt);
      });
    }
    case 'integrate': {
      await call('Application', 'AddRelation', { endpoints: command.ends });
      return promise(`integrate ${command.ends.join(' ')}`, () =>
        relations.some(
          sent,
          ({ before, after }) => !before && after !== undefined && isBetween(after, command.ends),
        ),
      );
    }
    case 'remove-relation': {
      noteForce('relation', command.ends.join(' '));
      const params = { endpoints: command.ends, 'relation-id': 0, ...forced(command.force) };
      await call('Application', 'DestroyRelation', params);
      return promise(`remove-relation ${command.ends.join(' ')}`, () =>
        relations.ended((doc) => isBetween(doc, command.ends), sent),
      );
    }
    case 'add-machine': {
      const [placed] = placement(view, model, command.where);
      if (placed?.scope === '#') throw new JujuError('not found', 'a machine is not added to a machine');
      const params = {
        constraints: constraintsOf(command.wishes),
        jobs: ['JobHostUnits'],
        'parent-id': placed?.scope === 'lxd' ? placed.directive : '',
        'container-type': placed?.scope === 'lxd' ? 'lxd' : '',
        ...defined({ placement: placed && placed.scope !== 'lxd' ? placed : undefined }),
        'instance-id': '',
        nonce: '',
      };
      const { machines: made } = await call<{ machines: (Result & { machine: string })[] }>(
        'MachineManager',
        'AddMachines',
        { params: Array.from({ length: command.machines ?? 1 }, () => params) },
      );
      const ids = made.map((result) => onlyResult({ results: [result] }).machine);
      return promise(`add-machine ${ids.join(' ')}`, () => ids.every((id) => machines.born(id)));
    }
    case 'retry-provisioning':
      return void (await call('MachineManager', 'RetryProvisioning', { all: true }));
    case 'resolve-machine': {
      const all = [...view.list('machine')].filter(
        ({ id }) => instanceStatus(view, id) === 'provisioning error',
      );
      const { id } = pick(all, command.pick);
      const { mem } = command;
      onlyResult(
        await call('Provisioning', 'RetryMachines', {
          machines: [machineTag(id)],
          all: false,
          ...defined({ constraints: mem === undefined ? undefined : { mem } }),
        }),
      );
      if (mem === undefined) return;
      return promise(`resolved ${id} --constraints mem=${mem}M`, () =>
        machines.some(sent, ({ id: it, after }) => it === id && (!after || after.constraints.mem === mem)),
      );
    }
    case 'reprovision-machine': {
      const all = [...view.list('machine')];
      const { id } = pick(
        rather(all, (machine) => instanceStatus(view, machine.id) === 'lost'),
        command.pick,
      );
      const had = view.get('machine', id)?.instance?.id;
      onlyResult(
        await call('Provisioning', 'ReprovisionMachines', {
          machines: [machineTag(id)],
          force: command.anyway,
        }),
      );
      return promise(`reprovision-machine ${id}`, () =>
        machines.some(sent, ({ id: it, after }) => it === id && after?.instance?.id !== had),
      );
    }
    case 'model-config': {
      const { option, value } = command;
      const has = (config: Readonly<Record<string, unknown>> = {}): boolean =>
        (config[option] ?? modelDefaults[option]) === settingOf(value);
      const had = has(view.in('').get('model', model)?.config);
      await call('ModelConfig', 'ModelSet', { config: { [option]: settingOf(value) } });
      const models = acknowledged.changes('', 'model');
      return promise(
        `model-config ${option}=${value}`,
        () => had || models.some(sent, ({ id, after }) => id === model && (!after || has(after.config))),
      );
    }
    case 'secret-backend':
      return giveCommand(desk, model, await backendSetting(operator, view, command.backend));
    case 'remove-machine': {
      const all = [...view.list('machine')];
      const { id } = pick(
        rather(all, (machine) => command.fresh && !machine.instance),
        command.pick,
      );
      const params = { 'machine-tags': [machineTag(id)], keep: command.keep, ...forced(command.force) };
      noteForce('machine', id);
      onlyResult(await call('MachineManager', 'DestroyMachineWithParams', params));
      return promise(`remove-machine ${id}`, (answered) => {
        const isIt = (machine: Entities['machine']): boolean => machine.id === id;
        return machines.ended(isIt) && isForced(machines, answered, isIt);
      });
    }
    case 'config': {
      const { application, option, value } = command;
      const has = (doc: Entities['application'] | undefined): boolean =>
        String(doc?.config[option] ?? '') === value;
      const had = has(view.get('application', application));
      const args = { application, generation: '', config: { [option]: value }, 'config-yaml': '' };
      onlyResult(await call('Application', 'SetConfigs', { Args: [args] }));
      return promise(
        `config ${application} ${option}=${value}`,
        () => had || applications.some(sent, ({ id, after }) => id === application && has(after)),
      );
    }
    case 'attach': {
      const { application, content } = command;
      const had = view.get('resource', resourceId({ application, name: 'data' }))?.fingerprint;
      await operator.attach(model, { application, name: 'data', content });
      const isNews = ({ id, before, after }: (typeof applications.all)[number]): boolean =>
        id === application && (after?.charmModifiedVersion ?? 0) > (before?.charmModifiedVersion ?? 0);
      return promise(
        `attach-resource ${application} ${content}`,
        () => had === fingerprintOf(content) || applications.some(sent, isNews),
      );
    }
    case 'refresh': {
      const { application, rolling } = command;
      if (!view.get('application', application)) throw new JujuError('not found', 'there is none to refresh');
      const charmUrl = await operator.addCharm(model, desk.charmFor(application, { peer: command.peer }));
      const params = { application, 'charm-url': charmUrl, 'force-units': command.forceUnits };
      const { facade, method, more } = refreshBy(rolling);
      await call(facade, method, { ...params, ...more });
      return promise(`refresh ${application} to ${charmUrl}`, () =>
        applications.some(sent, ({ id, after }) => id === application && after?.charmUrl === charmUrl),
      );
    }
    case 'roll-resource': {
      const { application, content, rolling } = command;
      const charmUrl = view.get('application', application)?.charmUrl;
      if (charmUrl === undefined) throw new JujuError('not found', 'there is none to refresh');
      const data = await announce(call, { application, charmUrl });
      await operator.attach(model, { application, name: 'data', content, pendingId: data });
      const params = { application, 'charm-url': charmUrl, 'resource-ids': { data } };
      await call('Rollouts', 'Begin', { ...params, ...rollingParams(rolling) });
      return promise(`refresh ${application} --rolling --resource data=${content}`, () =>
        applications.some(sent, ({ id, after }) => id === application && after?.rollout !== undefined),
      );
    }
    case 'rollout':
      await call('Rollouts', command.act, { application: command.application });
      return promise(sentenceOfRollout(command), () => applications.some(sent, isSteered(command)));
    case 'resolve': {
      const { name } = pick(failed(view, command.application), command.pick);
      const tags = { entities: [{ tag: unitTag(name) }] };
      onlyResult(await call('Application', 'ResolveUnitErrors', { all: false, retry: command.retry, tags }));
      return promise(`resolve ${name}`, () =>
        units.some(
          sent,
          ({ id, before, after }) => id === name && before?.resolved === '' && after?.resolved !== '',
        ),
      );
    }
    case 'expose':
      return void (await call('Application', 'Expose', { application: command.application }));
    case 'unexpose':
      await call('Application', 'Unexpose', { application: command.application, 'exposed-endpoints': [] });
      return;
    case 'exec': {
      const { name } = pick([...view.find('unit', 'application', command.application)], command.pick);
      return void (await call('Action', 'Run', { commands: 'true', timeout: 60_000_000_000, units: [name] }));
    }
    case 'run-action': {
      const { name } = pick([...view.find('unit', 'application', command.application)], command.pick);
      const { actions } = await call<{ actions: Result[] }>('Action', 'EnqueueOperation', {
        actions: [{ receiver: unitTag(name), name: 'work' }],
      });
      return void onlyResult({ results: actions });
    }
    case 'cancel-task': {
      const { id } = pick([...view.list('task')].filter(isOpen).reverse(), command.pick);
      onlyResult(await call('Action', 'Cancel', { entities: [{ tag: actionTag(id) }] }));
      return;
    }
    case 'status':
      await call('Client', 'FullStatus', { patterns: [], 'include-storage': false });
      return;
    case 'destroy-model': {
      const models = acknowledged.changes('', 'model');
      noteForce('model', model);
      desk.onGiven(model, 'model');
      onlyResult(
        await operator.callController<Results>(model, 'ModelManager', 'DestroyModels', {
          models: [
            { 'model-tag': modelTag(model), ...forced(command.force), 'destroy-storage': !command.release },
          ],
        }),
      );
      return promise(`destroy-model ${model}`, () => models.ended((doc) => doc.uuid === model));
    }
    case 'migrate':
      return migrate(world, operator, model, command);
    case 'add-model':
      throw new TypeError('a model is added to no model');
  }
}

async function deploy(
  { world, operator, charmFor }: Desk,
  model: string,
  { application, where, wishes, reuse, require, after, storage }: Extract<Command, { do: 'deploy' }>,
  units: number,
): Promise<void> {
  const view = world.controller.read().in(model);
  const charm = charmFor(application);
  // Juju's clients upload a charm for each deploy; here the model's existing charm is reused.
  const [known] = view.find('charm', 'name', charm.name);
  const url = known?.url ?? (await operator.addCharm(model, charm));
  const directives = storage && storageDirectives(storage);
  const args = {
    application,
    'charm-url': url,
    'charm-origin': { source: 'local', type: 'charm', id: '' },
    channel: '',
    'num-units': units,
    config: {},
    'config-yaml': '',
    constraints: constraintsOf(wishes),
    placement: units > 0 ? placement(view, model, where) : [],
    ...defined({ 'reuse-machines': reuse || undefined, require, after, storage: directives }),
    Force: false,
  };
  onlyResult(await operator.call<Results>(model, 'Application', 'Deploy', { applications: [args] }));
}

function allowed(view: Reader<Entities>, units: number): number {
  const count = Math.min(units, unitsMax - view.count('unit'));
  if (count < 1) throw new JujuError('', 'the model is full');
  return count;
}

const instanceStatus = (view: Reader<Entities>, machine: string): string =>
  view.get('status', statusId('instance', machine))?.status ?? 'pending';

function isSubordinate({ metadata }: SimCharm): boolean {
  return metadata?.['subordinate'] === true;
}
