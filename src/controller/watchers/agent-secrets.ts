/**
 * Follows the secrets that may need hooks of a machine's units: those that the units own, or the applications that they
 * lead, and those that the units read. The cost of a change depends on what it concerns, not on the number of secrets.
 */
import type { Entities } from '../../core/kinds.ts';
import type { View } from '../transactions/tx.ts';
import { secretRecord } from './agent-records.ts';
import type { Dispatch } from './dispatch.ts';

interface Needs {
  readonly dispatch: Dispatch;
  readonly modelUuid: string;
  /** Tells that the record with this key has changed. */
  readonly mark: (key: string) => void;
}
type Unit = Pick<Entities['unit'], 'name' | 'application'>;

export class AgentSecrets {
  readonly #needs: Needs;
  readonly #units = new Map<string, UnitSecrets>();

  constructor(dispatch: Dispatch, modelUuid: string, mark: Needs['mark']) {
    this.#needs = { dispatch, modelUuid, mark };
  }

  /** Sets the units of the machine. */
  setUnits(view: View, units: readonly Unit[]): void {
    const names = new Set(units.map(({ name }) => name));
    for (const [name, secrets] of this.#units) {
      if (names.has(name)) continue;
      secrets.stop();
      this.#units.delete(name);
    }
    for (const unit of units)
      if (!this.#units.has(unit.name)) this.#units.set(unit.name, new UnitSecrets(this.#needs, view, unit));
  }

  stop(): void {
    for (const secrets of this.#units.values()) secrets.stop();
    this.#units.clear();
  }
}

class UnitSecrets {
  readonly #needs: Needs;
  readonly #view: View;
  readonly #unit: Unit;
  readonly #ends: (() => void)[] = [];
  readonly #own: OwnedSecrets;
  /** Secrets of the application, while the unit leads it: were they followed by each unit, work would be quadratic. */
  #led: OwnedSecrets | undefined;
  /** Functions that end the subscriptions to each secret that is read. */
  readonly #read = new Map<string, () => void>();

  constructor(needs: Needs, view: View, unit: Unit) {
    this.#needs = needs;
    this.#view = view;
    this.#unit = unit;
    const { name, application } = unit;
    this.#own = this.#follow(`unit ${name}`);
    this.#lead(view.get('lease', application)?.holder);
    this.#ends.push(
      needs.dispatch.on(needs.modelUuid, `lease ${application}`, ({ after }) => this.#lead(after?.holder)),
    );
    this.#followReader();
  }

  stop(): void {
    for (const end of [...this.#ends, ...this.#read.values()]) end();
    this.#own.stop();
    this.#led?.stop();
  }

  #lead(holder: string | undefined): void {
    const { name, application } = this.#unit;
    if ((holder === name) === (this.#led !== undefined)) return;
    const before = this.#led;
    this.#led = before ? undefined : this.#follow(`application ${application}`);
    // Secrets that the agent was told of are not its concern any more.
    for (const id of before?.stop() ?? []) this.#mark(id);
  }

  #follow(owner: string): OwnedSecrets {
    return new OwnedSecrets(this.#needs, this.#view, owner, {
      mark: (id) => this.#mark(id),
      isDue: (id) => secretRecord(this.#view, this.#unit.name, id) !== null,
    });
  }

  #followReader(): void {
    const { dispatch, modelUuid } = this.#needs;
    const { name } = this.#unit;
    this.#ends.push(
      dispatch.on(modelUuid, `secret-consumer@unit ${name}`, ({ before, after }) => {
        const { secret } = (after ?? before)!;
        if (after && !this.#read.has(secret)) this.#read.set(secret, this.#followSecret(secret));
        if (!after) end(this.#read, secret);
        this.#mark(secret);
      }),
    );
    for (const { secret } of this.#view.find('secret-consumer', 'unit', name)) {
      this.#read.set(secret, this.#followSecret(secret));
      // Most secrets need nothing at the beginning of a stream.
      if (secretRecord(this.#view, name, secret)) this.#mark(secret);
    }
  }

  #followSecret(secret: string): () => void {
    const { dispatch, modelUuid } = this.#needs;
    return dispatch.on(modelUuid, `secret ${secret}`, ({ before, after }) => {
      if (before?.latest !== after?.latest) this.#mark(secret);
    });
  }

  #mark(secret: string): void {
    this.#needs.mark(`secret ${this.#unit.name} ${secret}`);
  }
}

/** Follows the secrets of one owner. */
class OwnedSecrets {
  readonly #needs: Needs;
  readonly #mark: (secret: string) => void;
  readonly #end: () => void;
  /** Functions that end the subscriptions to each secret. */
  readonly #followed = new Map<string, () => void>();
  readonly #marked = new Set<string>();

  constructor(
    needs: Needs,
    view: View,
    owner: string,
    { mark, isDue }: { readonly mark: (secret: string) => void; readonly isDue: (secret: string) => boolean },
  ) {
    this.#needs = needs;
    this.#mark = (secret) => {
      this.#marked.add(secret);
      mark(secret);
    };
    const { dispatch, modelUuid } = needs;
    this.#end = dispatch.on(modelUuid, `secret@owner ${owner}`, ({ id, before, after }) => {
      if (after && !this.#followed.has(id)) this.#followed.set(id, this.#followRevisions(id));
      if (!after) end(this.#followed, id);
      if (!before || !after || concerns(before, after)) this.#mark(id);
      if (!after) this.#marked.delete(id);
    });
    for (const { id } of view.find('secret', 'owner', owner)) {
      this.#followed.set(id, this.#followRevisions(id));
      if (isDue(id)) this.#mark(id);
    }
  }

  /** Returns the secrets that were marked. */
  stop(): Iterable<string> {
    this.#end();
    for (const endOne of this.#followed.values()) endOne();
    return this.#marked;
  }

  #followRevisions(secret: string): () => void {
    const { dispatch, modelUuid } = this.#needs;
    return dispatch.on(modelUuid, `secret-revision@secret ${secret}`, ({ before, after }) => {
      const isChanged = (['obsolete', 'told', 'expiring'] as const).some(
        (key) => before?.[key] !== after?.[key],
      );
      if (isChanged) this.#mark(secret);
    });
  }
}

function end(followed: Map<string, () => void>, secret: string): void {
  followed.get(secret)?.();
  followed.delete(secret);
}

function concerns(before: Entities['secret'], after: Entities['secret']): boolean {
  return before.latest !== after.latest || before.label !== after.label || before.rotating !== after.rotating;
}
