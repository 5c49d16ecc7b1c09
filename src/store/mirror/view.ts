import type { KindOf, Reader } from '../store.ts';
import type { Entries } from './entries.ts';
import type { Entry } from './entry-set.ts';
import { everything } from './table.ts';

/** Data that a view reads from. */
export interface Source {
  readonly revision: number;
  get(space: string, kind: string, id: string): Entry | undefined;
  revisionOf(space: string, kind: string, id: string): number;
  find(space: string, kind: string, index: string, value: string): Entries | undefined;
  count(space: string, kind: string, index: string, value: string): number;
  spaces(): Iterable<string>;
}

/** A Reader of one space of a source. */
export class View<K> implements Reader<K> {
  readonly space: string;
  readonly #source: Source;

  constructor(source: Source, space: string) {
    this.#source = source;
    this.space = space;
  }

  get revision(): number {
    return this.#source.revision;
  }

  get<P extends KindOf<K>>(kind: P, id: string): K[P] | undefined {
    return this.#source.get(this.space, kind, id)?.doc as K[P] | undefined;
  }

  revisionOf(kind: KindOf<K>, id: string): number {
    return this.#source.revisionOf(this.space, kind, id);
  }

  list<P extends KindOf<K>>(kind: P): Iterable<K[P]> {
    return this.#source.find(this.space, kind, everything, '')?.docs<K[P] & object>() ?? [];
  }

  find<P extends KindOf<K>>(kind: P, index: string, value: string): Iterable<K[P]> {
    return this.#source.find(this.space, kind, index, value)?.docs<K[P] & object>() ?? [];
  }

  count(kind: KindOf<K>, index: string = everything, value = ''): number {
    return this.#source.count(this.space, kind, index, value);
  }

  in(space: string): Reader<K> {
    return new View<K>(this.#source, space);
  }

  spaces(): Iterable<string> {
    return this.#source.spaces();
  }
}
