/**
 * Downloads of resources by units that are under way, with their progress. They are forgotten when the process ends.
 */
export class ResourceDownloads {
  /** Model and unit → resource → downloads of it. */
  readonly #units = new Map<string, Map<string, Set<Progress>>>();

  /** Begins a download; `from` is what the unit has of it already. */
  begin(
    key: { readonly model: string; readonly unit: string; readonly name: string },
    from: number,
  ): Progress {
    const unitKey = `${key.model} ${key.unit}`;
    let ofUnit = this.#units.get(unitKey);
    if (!ofUnit) this.#units.set(unitKey, (ofUnit = new Map()));
    let downloads = ofUnit.get(key.name);
    if (!downloads) ofUnit.set(key.name, (downloads = new Set()));
    const started = downloads;
    const progress: Progress = {
      bytes: from,
      end: () => {
        started.delete(progress);
        if (started.size === 0 && ofUnit.get(key.name) === started) ofUnit.delete(key.name);
        if (ofUnit.size === 0 && this.#units.get(unitKey) === ofUnit) this.#units.delete(unitKey);
      },
    };
    started.add(progress);
    return progress;
  }

  /** Bytes of each resource that the unit is downloading. */
  ofUnit(model: string, unit: string): Readonly<Record<string, number>> {
    const ofUnit = this.#units.get(`${model} ${unit}`);
    if (!ofUnit) return {};
    return Object.fromEntries(
      [...ofUnit].map(([name, downloads]) => [name, Math.max(...[...downloads].map(({ bytes }) => bytes))]),
    );
  }
}

interface Progress {
  /** Bytes that were sent, those of an earlier part included. */
  bytes: number;
  end(): void;
}
