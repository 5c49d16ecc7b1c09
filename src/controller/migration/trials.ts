/** Reports of the agents of a model that is being migrated: whether each reaches the target (migration.md#agents-follow). */
export class Trials {
  readonly #reports = new Map<string, Map<string, string>>();

  /** Notes what an agent found; `problem` '' = it could log in. Kept in memory: agents report again and again. */
  note(migration: string, machine: string, problem: string): void {
    let ofMigration = this.#reports.get(migration);
    if (!ofMigration) this.#reports.set(migration, (ofMigration = new Map()));
    ofMigration.set(machine, problem);
  }

  /** Problem of a machine's agent; undefined: it has not reported. */
  of(migration: string, machine: string): string | undefined {
    return this.#reports.get(migration)?.get(machine);
  }

  forget(migration: string): void {
    this.#reports.delete(migration);
  }
}
