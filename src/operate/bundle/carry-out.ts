/** Execution of a bundle's steps, one after the other, with a record of what each step made. */
import { allOk, call, only } from '../../client/calls.ts';
import { splitTrust } from '../../core/application/options.ts';
import { withoutDyingUnits, type BundleModel } from '../../core/bundle/bundle-model.ts';
import type { StepNames } from '../../core/bundle/describe-step.ts';
import type {
  AddMachineStep,
  AddUnitStep,
  BundleStep,
  DeployStep,
  MachineRef,
  RefreshStep,
  UnitPlacement,
  UnitRef,
} from '../../core/bundle/step.ts';
import { unitName } from '../../core/bundle/unit-name.ts';
import { JujuError } from '../../core/errors.ts';
import { hostOf } from '../../core/names.ts';
import { machineScope, type Placement } from '../../core/placement.ts';
import type { RequirementsChange } from '../../wire/facades/requirements.ts';
import { applicationTag, machineTag, unitTag } from '../../wire/tags.ts';
import { constraintsToWire } from '../constraints.ts';
import { callDeploy, optionTexts } from '../deploy/call-deploy.ts';
import type { CharmSource } from '../deploy/charm-source.ts';
import { attachResource, sendResources } from '../deploy/resources.ts';
import { consumeOffer, grantOffer, offerEndpoints } from '../offers.ts';
import type { Operator } from '../operator.ts';
import { rollingToWire } from '../refresh/rollout.ts';
import type { ControllerSession, ModelSession, OpenController } from '../sessions.ts';
import { sourceOf, type BundleResources } from './bundle-resources.ts';
import { defined } from '../../core/defined.ts';

/** Maximum number of units without a placement that one call adds. */
const unitsMax = 100;

interface BundleWork {
  readonly operator: Operator;
  readonly session: ModelSession;
  readonly model: BundleModel;
  readonly charms: ReadonlyMap<string, CharmSource>;
  readonly resources: BundleResources;
  readonly openController: OpenController;
  /** Ids of the bundle's machines → ids of the model's machines. */
  readonly machines: ReadonlyMap<string, string>;
  readonly force: boolean;
  /** Value as in DeployRequest. */
  readonly reuse?: boolean;
}

/** Groups the steps that become one call: units of the same application without a placement. */
export function* batched<S extends { readonly kind: string }>(
  steps: readonly S[],
): Iterable<readonly [S, ...S[]]> {
  let batch: [S, ...S[]] | undefined;
  for (const step of steps) {
    if (batch && batch.length < unitsMax && isAnywhere(step) && isSameAnywhere(step, batch[0])) {
      batch.push(step);
      continue;
    }
    if (batch) yield batch;
    batch = [step];
  }
  if (batch) yield batch;
}

export class BundleRun {
  readonly #work: BundleWork;
  readonly #urls = new Map<string, string>();
  readonly #machineByStep = new Map<string, string>();
  readonly #units = new Map<string, string[]>();
  readonly #changes: RequirementsChange[] = [];

  constructor(work: BundleWork) {
    this.#work = work;
    for (const [application, units] of Object.entries(withoutDyingUnits(work.model).units))
      this.#units.set(
        application,
        units.map(({ name }) => name),
      );
  }

  /** Changes of requirements that the controller reported, in order. */
  get changes(): readonly RequirementsChange[] {
    return this.#changes;
  }

  names(waitsFor: StepNames['waitsFor']): StepNames {
    return {
      unit: (unit) => this.#name(unit),
      machineMadeBy: (step) => this.#machineByStep.get(step),
      waitsFor,
    };
  }

  /** Carries out a step, or a group of `count` steps that begins with it. Errors: the controller's. */
  async do(step: BundleStep, count: number): Promise<void> {
    const { connection } = this.#work.session;
    switch (step.kind) {
      case 'upload':
        return this.#upload(step.path);
      case 'deploy':
        return this.#deploy(step);
      case 'attach': {
        const { operator, session, resources } = this.#work;
        const source = sourceOf(resources, step.application, step.resource);
        return attachResource(operator, session, step.application, source);
      }
      case 'refresh':
        return this.#refresh(step);
      case 'set-options': {
        const config = optionTexts(step.options);
        const args = { application: step.application, generation: 'master', config, 'config-yaml': '' };
        const { results } = await call(connection, 'Application', 'SetConfigs', { Args: [args] });
        return allOk(results, () => step.application);
      }
      case 'set-constraints': {
        const { application } = step;
        const constraints = constraintsToWire(step.constraints);
        await call(connection, 'Application', 'SetConstraints', { application, constraints });
        return;
      }
      case 'set-after': {
        const { application, after } = step;
        const { requirements } = await call(connection, 'Requirements', 'SetAfter', {
          application,
          after: { ...after },
        });
        return this.#recordChange(requirements);
      }
      case 'bind': {
        const args = [
          {
            'application-tag': applicationTag(step.application),
            bindings: { ...step.bindings },
            force: this.#work.force,
          },
        ];
        const { results } = await call(connection, 'Application', 'MergeBindings', { args });
        return allOk(results, () => step.application);
      }
      case 'expose':
        return this.#expose(step);
      case 'offer':
        return offerEndpoints(await this.#openController(), this.#work.session.modelUuid, {
          name: step.offer,
          application: step.application,
          endpoints: step.endpoints,
        });
      case 'grant': {
        const { offer, user, access } = step;
        const url = `${this.#work.session.model}.${offer}`;
        return grantOffer(await this.#openController(), url, { user, access });
      }
      case 'consume':
        await consumeOffer(this.#work.openController, this.#work.session, {
          text: step.url,
          alias: step.saas,
        });
        return;
      case 'integrate': {
        const { requirements } = await call(connection, 'Application', 'AddRelation', {
          endpoints: [...step.endpoints],
        });
        return this.#recordChange(requirements);
      }
      case 'add-machine':
        return this.#addMachine(step);
      case 'add-unit':
        return this.#addUnits(step, count);
      case 'annotate':
        return this.#annotate(step);
    }
  }

  async #annotate({ on: target, annotations }: BundleStep & { kind: 'annotate' }): Promise<void> {
    const entity =
      'application' in target
        ? applicationTag(target.application)
        : machineTag(this.#machineOf(target.machine));
    const { results } = await call(this.#work.session.connection, 'Annotations', 'Set', {
      annotations: [{ entity, annotations: { ...annotations } }],
    });
    return allOk(results, () => entity);
  }

  async #upload(path: string): Promise<void> {
    const { operator, session, charms } = this.#work;
    const source = charms.get(path);
    if (!source) throw new Error(`no charm was read from ${path}`);
    this.#urls.set(path, await source.upload(operator, session));
  }

  async #refresh({ application, charm, rolling }: RefreshStep): Promise<void> {
    const { connection } = this.#work.session;
    const { force } = this.#work;
    const params = {
      application,
      generation: 'master',
      'charm-url': this.#urlOf(application, charm),
      channel: '',
      force,
      'force-units': false,
      'force-base': force,
    };
    const { requirements } = rolling
      ? await call(connection, 'Rollouts', 'Begin', { ...params, ...rollingToWire(rolling) })
      : await call(connection, 'Application', 'SetCharm', params);
    this.#recordChange(requirements);
  }

  #urlOf(application: string, charm: DeployStep['charm']): string {
    const url = 'url' in charm ? charm.url : this.#urls.get(charm.path);
    if (url === undefined) throw new Error(`the charm of ${application} was not uploaded`);
    return url;
  }

  async #deploy(step: DeployStep): Promise<void> {
    const { application: name, charm, base, options, constraints, bindings, require } = step;
    const { operator, session, resources, force } = this.#work;
    const url = this.#urlOf(name, charm);
    const { config, trust = false } = splitTrust(options);
    const request = {
      name,
      base,
      numUnits: 0,
      constraints,
      placement: [],
      config,
      trust,
      endpointBindings: bindings,
      require,
      force,
      ...defined({ storage: step.storage, after: step.after }),
    };
    const pending = await sendResources(operator, session, {
      application: name,
      charmUrl: url,
      resources: Object.keys(step.resources ?? {}).map((one) => sourceOf(resources, name, one)),
    });
    this.#recordChange((await callDeploy(operator, session, request, url, pending)).requirements);
  }

  /** Opens the model's controller, where its offers are made. */
  #openController(): Promise<ControllerSession> {
    return this.#work.openController(this.#work.session.controller);
  }

  async #expose({ application, endpoints = {} }: BundleStep & { kind: 'expose' }): Promise<void> {
    const exposedEndpoints = Object.entries(endpoints).map(([name, { cidrs, spaces }]) => [
      name,
      {
        ...defined({
          'expose-to-spaces': spaces.length > 0 ? [...spaces] : undefined,
          'expose-to-cidrs': cidrs.length > 0 ? [...cidrs] : undefined,
        }),
      },
    ]);
    await call(this.#work.session.connection, 'Application', 'Expose', {
      application,
      ...(exposedEndpoints.length > 0
        ? { 'exposed-endpoints': Object.fromEntries(exposedEndpoints) as Record<string, object> }
        : {}),
    });
  }

  async #addMachine({ id, at: placedAt, base, constraints, annotations }: AddMachineStep): Promise<void> {
    const placement = await this.#placement(placedAt);
    const { machines } = await call(this.#work.session.connection, 'MachineManager', 'AddMachines', {
      params: [
        {
          base: { ...base },
          constraints: constraintsToWire(constraints),
          jobs: ['JobHostUnits'],
          'parent-id': '',
          'container-type': '',
          'instance-id': '',
          nonce: '',
          annotations: { ...annotations },
          ...defined({ placement }),
        },
      ],
    });
    this.#machineByStep.set(id, only(machines).machine);
  }

  async #addUnits({ unit: { application }, at: placedAt }: AddUnitStep, count: number): Promise<void> {
    const placement = await this.#placement(placedAt);
    const { session, reuse } = this.#work;
    const { units, requirements } = await call(session.connection, 'Application', 'AddUnits', {
      application,
      'num-units': count,
      placement: placement ? [placement] : [],
      ...defined({ 'reuse-machines': reuse }),
    });
    this.#units.set(application, [...(this.#units.get(application) ?? []), ...units]);
    this.#recordChange(requirements);
  }

  async #placement({ container, on: target }: UnitPlacement): Promise<Placement | undefined> {
    switch (target.kind) {
      case 'new':
        return container === undefined ? undefined : { scope: container, directive: '' };
      case 'directive':
        return { scope: this.#work.session.modelUuid, directive: target.directive };
      default: {
        const id = await this.#machine(target);
        // A container is made beside the other one, on the same host, and not within it.
        return container === undefined
          ? { scope: machineScope, directive: id }
          : { scope: container, directive: hostOf(id) };
      }
    }
  }

  async #machine(ref: MachineRef): Promise<string> {
    switch (ref.kind) {
      case 'machine':
        return ref.id;
      case 'made': {
        const id = this.#machineByStep.get(ref.step);
        if (id === undefined) throw new Error(`bundle step "${ref.step}" has created no machine`);
        return id;
      }
      case 'of-unit': {
        const unit = this.#name(ref.unit);
        const { results } = await call(this.#work.session.connection, 'Application', 'UnitsInfo', {
          entities: [{ tag: unitTag(unit) }],
        });
        const { machine = '' } = only(results).result ?? {};
        if (machine === '')
          throw new JujuError('', `unit ${unit} has no machine yet, but other units are placed on it`);
        return machine;
      }
    }
  }

  #machineOf(number: string): string {
    return this.#work.machines.get(number) ?? this.#machineByStep.get(`machine ${number}`) ?? number;
  }

  #name(unit: UnitRef): string {
    return unitName(this.#units.get(unit.application) ?? [], unit);
  }

  #recordChange(change: RequirementsChange | undefined): void {
    if (change) this.#changes.push(change);
  }
}

function isAnywhere(step: { readonly kind: string }): step is AddUnitStep {
  if (step.kind !== 'add-unit') return false;
  const { at } = step as AddUnitStep;
  return at.on.kind === 'new' && at.container === undefined;
}

function isSameAnywhere({ unit }: AddUnitStep, other: { readonly kind: string }): boolean {
  return isAnywhere(other) && other.unit.application === unit.application;
}
