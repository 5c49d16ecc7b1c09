/** Ids that are longer hold no count, but a hash or a UUID. */
const countedMax = 32;

/**
 * Map by id that is fast for ids that are counted up, `17` or `mysql/17`: each hundred of them has a map of its own.
 * One large map spreads neighbours over all of its memory, so that a deploy waits for the memory at each new id.
 */
export class IdMap<V> {
  readonly #others = new Map<string, V>();
  readonly #hundreds = new Map<string, Map<string, V>>();
  /** The hundred that was used last: neighbours are used one after the other. */
  #last: { readonly prefix: string; readonly map: Map<string, V> } | undefined;

  get(id: string): V | undefined {
    return (isCounted(id) ? this.#hundred(id) : this.#others)?.get(id);
  }

  set(id: string, value: V): void {
    if (!isCounted(id)) this.#others.set(id, value);
    else (this.#hundred(id) ?? this.#newHundred(id)).set(id, value);
  }

  delete(id: string): void {
    if (!isCounted(id)) return void this.#others.delete(id);
    const hundred = this.#hundred(id);
    hundred?.delete(id);
    if (hundred?.size !== 0) return;
    this.#hundreds.delete(prefixOf(id));
    this.#last = undefined;
  }

  #hundred(id: string): Map<string, V> | undefined {
    const last = this.#last;
    if (last && id.length === last.prefix.length + 2 && id.startsWith(last.prefix)) return last.map;
    const prefix = prefixOf(id);
    const map = this.#hundreds.get(prefix);
    if (map) this.#last = { prefix, map };
    return map;
  }

  #newHundred(id: string): Map<string, V> {
    const prefix = prefixOf(id);
    const map = new Map<string, V>();
    this.#hundreds.set(prefix, map);
    this.#last = { prefix, map };
    return map;
  }
}

function isCounted(id: string): boolean {
  const { length } = id;
  return length > 2 && length <= countedMax && isDigit(id, length - 1) && isDigit(id, length - 2);
}

function isDigit(id: string, place: number): boolean {
  const code = id.charCodeAt(place);
  return code >= 48 && code <= 57;
}

function prefixOf(id: string): string {
  return id.slice(0, -2);
}
