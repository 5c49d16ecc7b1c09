import type { Entities, Kind } from '../../core/kinds.ts';
import type { Reader } from '../../store/store.ts';

type Root = Reader<Entities>;

/** Kinds of the controller's space whose documents are about a model, beside its record. */
export const aboutModels: ReadonlySet<string> = new Set([
  'access',
  'last-login',
  'offer-access',
] satisfies Kind[]);

/** The documents of several controllers as one: of each model where it is, and of all else those of the first one. */
export class JointReader implements Root {
  readonly space: string;
  readonly #roots: readonly Root[];
  readonly #ownerOf: (model: string) => number | undefined;

  constructor(roots: readonly Root[], ownerOf: (model: string) => number | undefined, space = '') {
    this.#roots = roots;
    this.#ownerOf = ownerOf;
    this.space = space;
  }

  get revision(): number {
    return this.#roots.reduce((sum, { revision }) => sum + revision, 0);
  }

  get<P extends Kind>(kind: P, id: string): Entities[P] | undefined {
    if (this.space !== '') return this.#one().get(kind, id);
    return this.#roots
      .map((root) => root.get(kind, id))
      .find((doc, place) => doc && this.#isShown(kind, doc, place));
  }

  revisionOf(kind: Kind, id: string): number {
    return this.#one().revisionOf(kind, id);
  }

  list<P extends Kind>(kind: P): Iterable<Entities[P]> {
    return this.#all(kind, (root) => root.list(kind));
  }

  find<P extends Kind>(kind: P, index: string, value: string): Iterable<Entities[P]> {
    return this.#all(kind, (root) => root.find(kind, index, value));
  }

  count(kind: Kind, index?: string, value?: string): number {
    if (this.space !== '') return this.#one().count(kind, index, value);
    return [...(index === undefined ? this.list(kind) : this.find(kind, index, value ?? ''))].length;
  }

  in(space: string): JointReader {
    return new JointReader(this.#roots, this.#ownerOf, space);
  }

  spaces(): Iterable<string> {
    return new Set(this.#roots.flatMap((root) => [...root.spaces()]));
  }

  #one(): Root {
    const place = this.space === '' ? 0 : (this.#ownerOf(this.space) ?? 0);
    return this.#roots[place]!.in(this.space);
  }

  #all<P extends Kind>(kind: P, read: (root: Root) => Iterable<Entities[P]>): Iterable<Entities[P]> {
    if (this.space !== '') return read(this.#one());
    return this.#roots.flatMap((root, place) =>
      [...read(root)].filter((doc) => this.#isShown(kind, doc, place)),
    );
  }

  /** Whether a document of the controller's space is shown as the controller at that place has it. */
  #isShown(kind: Kind, doc: object, place: number): boolean {
    const { uuid, model } = doc as { readonly uuid?: string; readonly model?: string };
    if (kind === 'removed-model') return true;
    if (kind === 'model') return (this.#ownerOf(uuid ?? '') ?? 0) === place;
    if (aboutModels.has(kind)) return (this.#ownerOf(model ?? '') ?? 0) === place;
    return place === 0;
  }
}
