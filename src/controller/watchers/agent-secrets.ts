/**
 * Follows the secrets that may need hooks of a machine's units: those that the units and their applications own, and
 * those that the units read. What is added or removed costs what it concerns, not what there is.
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
  readonly #unit: string;
  readonly #ends: (() => void)[] = [];
  /** Ends what is followed of each secret. */
  readonly #own = new Map<string, () => void>();
  readonly #read = new Map<string, () => void>();

  constructor(needs: Needs, view: View, { name, application }: Unit) {
    this.#needs = needs;
    this.#unit = name;
    for (const owner of [`unit ${name}`, `application ${application}`]) this.#followOwner(view, owner);
    this.#followReader(view);
  }

  stop(): void {
    for (const end of [...this.#ends, ...this.#own.values(), ...this.#read.values()]) end();
  }

  #followOwner(view: View, owner: string): void {
    const { dispatch, modelUuid } = this.#needs;
    this.#ends.push(
      dispatch.on(modelUuid, `secret@owner ${owner}`, ({ id, before, after }) => {
        if (after && !this.#own.has(id)) this.#own.set(id, this.#followRevisions(id));
        if (!after) end(this.#own, id);
        if (!before || !after || concerns(before, after)) this.#mark(id);
      }),
    );
    for (const { id } of view.find('secret', 'owner', owner)) {
      this.#own.set(id, this.#followRevisions(id));
      this.#markIfDue(view, id);
    }
  }

  #followRevisions(secret: string): () => void {
    const { dispatch, modelUuid } = this.#needs;
    return dispatch.on(modelUuid, `secret-revision@secret ${secret}`, ({ before, after }) => {
      if (before?.obsolete !== after?.obsolete || before?.expiring !== after?.expiring) this.#mark(secret);
    });
  }

  #followReader(view: View): void {
    const { dispatch, modelUuid } = this.#needs;
    this.#ends.push(
      dispatch.on(modelUuid, `secret-consumer@unit ${this.#unit}`, ({ before, after }) => {
        const { secret } = (after ?? before)!;
        if (after && !this.#read.has(secret)) this.#read.set(secret, this.#followSecret(secret));
        if (!after) end(this.#read, secret);
        this.#mark(secret);
      }),
    );
    for (const { secret } of view.find('secret-consumer', 'unit', this.#unit)) {
      this.#read.set(secret, this.#followSecret(secret));
      this.#markIfDue(view, secret);
    }
  }

  #followSecret(secret: string): () => void {
    const { dispatch, modelUuid } = this.#needs;
    return dispatch.on(modelUuid, `secret ${secret}`, ({ before, after }) => {
      if (before?.latest !== after?.latest) this.#mark(secret);
    });
  }

  #mark(secret: string): void {
    this.#needs.mark(`secret ${this.#unit} ${secret}`);
  }

  /** Most secrets need nothing at the beginning of a stream. */
  #markIfDue(view: View, secret: string): void {
    if (secretRecord(view, this.#unit, secret)) this.#mark(secret);
  }
}

function end(followed: Map<string, () => void>, secret: string): void {
  followed.get(secret)?.();
  followed.delete(secret);
}

function concerns(before: Entities['secret'], after: Entities['secret']): boolean {
  return before.latest !== after.latest || before.label !== after.label || before.rotating !== after.rotating;
}
