import { seriesOfBase, type Base } from '../base.ts';
import { formatConstraints } from '../constraints.ts';
import { filled, formatExposed } from './format-bundle.ts';
import { unitLabel } from './map-machines.ts';
import { formatStorage } from './storage.ts';
import { defined } from '../defined.ts';
import type {
  AddMachineStep,
  AddUnitStep,
  BundleStep,
  DeployStep,
  OfferStep,
  UnitPlacement,
} from './step.ts';

/**
 * A step for clients that let the controller plan (wire.md#bundle-changes). `$deploy-1` in its arguments stands for the
 * result of the step with that id.
 */
export interface BundleChange {
  readonly id: string;
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Ids of the steps that come first. */
  readonly requires: readonly string[];
}

/** The changes for a plan that makes everything anew from charms that the model has. */
export function mapArgs(steps: readonly BundleStep[]): BundleChange[] {
  const targets = steps.flatMap((step) =>
    'at' in step && step.at.on.kind === 'of-unit' ? [unitLabel(step.at.on.unit)] : [],
  );
  const changes = new Changes(new Set(targets));
  for (const step of steps) changes.add(step);
  return changes.made;
}

/** Facts about an application that are known when its units are added. */
interface Made {
  readonly id: string;
  readonly machine: { readonly base: Base; readonly constraints: string };
  /** Ids of the steps that add the application's relations, which precede its units. */
  readonly relations: string[];
}

class Changes {
  readonly made: BundleChange[] = [];
  /** Units on whose machines others are placed. Clients cannot ask for a unit's machine, so it is made first. */
  readonly #targets: ReadonlySet<string>;
  readonly #charms = new Map<string, string>();
  readonly #applications = new Map<string, Made>();
  /** Ids of the steps that make or consume offers, by the name of the offer or of the consumed application. */
  readonly #offers = new Map<string, string>();
  readonly #consumed = new Map<string, string>();
  /** Ids of steps that make machines, by step id, number in the bundle, or existing unit. */
  readonly #machines = new Map<string, string>();

  constructor(targets: ReadonlySet<string>) {
    this.#targets = targets;
  }

  add(step: BundleStep): void {
    switch (step.kind) {
      case 'deploy':
        return this.#deploy(step);
      case 'expose': {
        const { id } = this.#application(step.application);
        const endpoints = step.endpoints && formatExposed(step.endpoints);
        this.#change('expose', { application: `$${id}`, 'exposed-endpoints': endpoints }, [id]);
        return;
      }
      case 'offer':
        return this.#offer(step);
      case 'grant': {
        const { offer, user, access } = step;
        this.#change('grantOfferAccess', { user, access, offer }, [known(this.#offers.get(offer), offer)]);
        return;
      }
      case 'consume': {
        const { saas, url } = step;
        this.#consumed.set(saas, this.#change('consumeOffer', { url, 'application-name': saas }, []));
        return;
      }
      case 'integrate':
        return this.#integrate(step.endpoints);
      case 'add-machine':
        return this.#addMachine(step);
      case 'add-unit':
        return this.#addUnit(step);
      case 'annotate': {
        const { on, annotations } = step;
        const [type, id] =
          'application' in on
            ? ['application', this.#application(on.application).id]
            : ['machine', this.#machine(`bundle ${on.machine}`)];
        this.#change('setAnnotations', { id: `$${id}`, 'entity-type': type, annotations }, [id]);
        return;
      }
      case 'attach':
      case 'upload':
      case 'bind':
      case 'refresh':
      case 'set-options':
      case 'set-constraints':
      case 'set-after':
        throw new Error(`${step.kind} is of a model that has something, or lacks charms`);
    }
  }

  #deploy(step: DeployStep): void {
    const { application, charm, base, options, constraints, bindings, resources, storage } = step;
    const url = 'url' in charm ? charm.url : charm.path;
    const charmId = this.#charms.get(url) ?? this.#change('addCharm', { charm: url, ...baseOf(base) }, []);
    this.#charms.set(url, charmId);
    // Trust is granted by the client.
    const { trust: _, ...own } = options;
    const text = formatConstraints(constraints);
    const args = {
      charm: `$${charmId}`,
      ...baseOf(base),
      application,
      'num-units': 0,
      options: own,
      constraints: text,
      resources,
      ...defined({ storage: storage && formatStorage(storage) }),
      'endpoint-bindings': bindings,
    };
    const id = this.#change('deploy', args, [charmId]);
    this.#applications.set(application, { id, machine: { base, constraints: text }, relations: [] });
  }

  #integrate(endpoints: readonly [string, string]): void {
    const ends = endpoints.map((end) => {
      const [name = '', ...endpoint] = end.split(':');
      const consumed = this.#consumed.get(name);
      const made = consumed === undefined ? this.#application(name) : { id: consumed };
      return { made, text: [`$${made.id}`, ...endpoint].join(':') };
    });
    const [endpoint1, endpoint2] = ends.map(({ text }) => text);
    const requires = ends.map(({ made }) => made.id);
    const id = this.#change('addRelation', { endpoint1, endpoint2 }, requires);
    for (const { made } of ends) if ('relations' in made) made.relations.push(id);
  }

  #offer({ application, offer, endpoints }: OfferStep): void {
    const { id } = this.#application(application);
    const args = { application: `$${id}`, endpoints, 'offer-name': offer };
    this.#offers.set(offer, this.#change('createOffer', args, [id]));
  }

  #addMachine({ id, for: whose, at, base, constraints }: AddMachineStep): void {
    const change = this.#newMachine(at, { base, constraints: formatConstraints(constraints) });
    this.#machines.set(id, change);
    if ('machine' in whose) this.#machines.set(`bundle ${whose.machine}`, change);
  }

  #addUnit({ unit, at }: AddUnitStep): void {
    const { id, machine, relations } = this.#application(unit.application);
    const isTarget = this.#targets.has(unitLabel(unit));
    const makes = at.container !== undefined || (isTarget && at.on.kind === 'new');
    const to = makes ? `$${this.#newMachine(at, machine)}` : this.#place(at);
    if (to?.startsWith('$')) this.#machines.set(`of ${unitLabel(unit)}`, to.slice(1));
    this.#change('addUnit', { application: `$${id}`, to }, [id, ...relations, ...changeIn(to)]);
  }

  #newMachine(at: UnitPlacement, { base, constraints }: Made['machine']): string {
    const parent = this.#place(at);
    const args = { ...baseOf(base), constraints, 'container-type': at.container, 'parent-id': parent };
    return this.#change('addMachines', args, changeIn(parent));
  }

  #place({ on }: UnitPlacement): string | undefined {
    switch (on.kind) {
      case 'new':
        return undefined;
      case 'directive':
        return on.directive;
      case 'machine':
        return on.id;
      case 'made':
        return `$${this.#machine(on.step)}`;
      case 'of-unit':
        return `$${this.#machine(`of ${unitLabel(on.unit)}`)}`;
    }
  }

  #change(method: string, args: Readonly<Record<string, unknown>>, requires: readonly string[]): string {
    const id = `${method}-${this.made.length}`;
    this.made.push({ id, method, args: filled(args), requires: [...new Set(requires)] });
    return id;
  }

  #application(name: string): Made {
    return known(this.#applications.get(name), name);
  }

  #machine(key: string): string {
    return known(this.#machines.get(key), key);
  }
}

/** The base in both forms, for older and newer clients. */
function baseOf(base: Base): { series: string; base: string } {
  return { series: seriesOfBase(base), base: `${base.name}@${base.channel}` };
}

function changeIn(reference: string | undefined): string[] {
  return reference?.startsWith('$') ? [reference.slice(1)] : [];
}

/** A value that an earlier step of the plan must have produced. */
function known<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} was not made before it is named`);
  return value;
}
