/** Model of applications and relations only, with their computed requirements. It counts reads. */
import { parseMetadata, type CharmMeta } from '../core/charm/metadata.ts';
import type { RelationEndpoint } from '../core/relation/document.ts';
import { checkAddRelation, type RelationSide } from '../core/relation/check-add.ts';
import { applicationView, inferEndpoints } from '../core/relation/infer-endpoints.ts';
import { formatEndpoint, relationKey } from '../core/relation/key.ts';
import { touchedBy, type RequirementModel, type RequiringApplication } from '../core/requirements/graph.ts';
import {
  missingStatus,
  requirementsOf,
  type Missing,
  type RequireMode,
} from '../core/requirements/requirement.ts';
import { settle, type Settled } from '../core/requirements/settle.ts';
import { defined } from '../core/defined.ts';

interface Application {
  readonly meta: CharmMeta;
  readonly asked: readonly string[] | undefined;
  missing?: readonly Missing[];
}
interface Related {
  readonly endpoints: readonly [RelationEndpoint, RelationEndpoint];
}
type Raw = Readonly<Record<string, unknown>>;

export class ModelOfRequirements implements RequirementModel {
  /** Number of applications looked up, relations asked for, and relations returned. */
  reads = 0;
  readonly applications = new Map<string, Application>();
  readonly related = new Map<string, Related>();
  readonly #byEnd = new Map<string, Map<string, Related>>();
  readonly #charms: Readonly<Record<string, CharmMeta>>;
  #mode: RequireMode;

  /** Charms by name, as metadata.yaml has them. */
  constructor(charms: Readonly<Record<string, Raw>>, mode: RequireMode = 'declared') {
    this.#charms = Object.fromEntries(
      Object.entries(charms).map(([name, raw]) => [name, parseMetadata({ name, ...raw })]),
    );
    this.#mode = mode;
  }

  deploy(charm: string, name = charm, asked?: readonly string[]): Settled {
    this.add(charm, name, asked);
    return this.settle([name]);
  }

  /** Adds an application without settling. */
  add(charm: string, name: string, asked?: readonly string[]): void {
    const meta = this.#charms[charm];
    if (!meta) throw new Error(`there is no charm ${charm}`);
    this.applications.set(name, { meta, asked });
  }

  integrate(a: string, b: string): Settled {
    return this.settle(this.relate(a, b));
  }

  /** Adds a relation without settling. Returns the applications that it touches. */
  relate(a: string, b: string): string[] {
    const { key, endpoints } = checkAddRelation(this.#sides(a, b));
    const relation: Related = { endpoints };
    this.related.set(key, relation);
    for (const end of this.#endsOf(relation)) {
      const relations = this.#byEnd.get(end);
      if (relations) relations.set(key, relation);
      else this.#byEnd.set(end, new Map([[key, relation]]));
    }
    return touchedBy(this, relation);
  }

  removeRelation(a: string, b: string): Settled {
    const key = relationKey(this.#sides(a, b).map(({ endpoint }) => endpoint));
    return this.settle(this.#remove(key));
  }

  removeApplication(name: string): Settled {
    const keys = [...(this.#byEnd.get(name)?.keys() ?? [])];
    this.applications.delete(name);
    return this.settle(new Set(keys.flatMap((key) => this.#remove(key))));
  }

  require(mode: RequireMode): Settled {
    this.#mode = mode;
    return this.settle(this.applications.keys());
  }

  settle(touched: Iterable<string>): Settled {
    const alive = [...touched].filter((name) => this.applications.has(name));
    const settled = settle(this, alive);
    for (const [name, missing] of settled.changed) {
      const application = this.applications.get(name);
      if (!application) throw new Error(`${name} is not there, and changed`);
      if (missing) application.missing = missing;
      else delete application.missing;
    }
    return settled;
  }

  /** Missing requirements of each pending application. */
  get missing(): Record<string, readonly Missing[]> {
    const waiting = [...this.applications].flatMap(([name, { missing }]) =>
      missing ? [[name, missing]] : [],
    );
    return Object.fromEntries(waiting);
  }

  get waits(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.missing).map(([name, missing]) => [name, missingStatus(missing).message]),
    );
  }

  application(name: string): RequiringApplication | undefined {
    this.reads++;
    const application = this.applications.get(name);
    if (!application) return undefined;
    const { meta, asked, missing } = application;
    return {
      subordinate: meta.subordinate,
      requirements: requirementsOf(meta, asked, this.#mode),
      ...defined({ missing }),
    };
  }

  *relations(application: string, endpoint?: string): Iterable<Related> {
    this.reads++;
    const end = endpoint === undefined ? application : `${application}:${endpoint}`;
    for (const relation of this.#byEnd.get(end)?.values() ?? []) {
      this.reads++;
      yield relation;
    }
  }

  #remove(key: string): string[] {
    const relation = this.related.get(key);
    if (!relation) return [];
    this.related.delete(key);
    for (const end of this.#endsOf(relation)) this.#byEnd.get(end)?.delete(key);
    return touchedBy(this, relation);
  }

  #endsOf({ endpoints }: Related): string[] {
    return endpoints.flatMap((end) => [end.application, formatEndpoint(end)]);
  }

  #sides(...names: readonly [string, string]): [RelationSide, RelationSide] {
    const [a, b] = inferEndpoints(names, (name) => {
      const application = this.applications.get(name);
      if (!application) return undefined;
      const { meta, asked } = application;
      return applicationView(name, meta, requirementsOf(meta, asked, this.#mode));
    });
    const side = (endpoint: RelationEndpoint): RelationSide => ({
      endpoint,
      life: 'alive',
      subordinate: this.applications.get(endpoint.application)?.meta.subordinate === true,
      base: { name: 'ubuntu', channel: '24.04/stable' },
      free: false,
      charmBases: [],
      relations: 0,
    });
    return [side(a), side(b)];
  }
}

/** Returns an endpoint of a charm that declares it as required. */
export function required(its: string, more: Raw = {}): Raw {
  return { interface: its, optional: false, ...more };
}
