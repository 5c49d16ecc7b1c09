/** Another controller in the fuzzer, with macaroons that are valid for the items of its requests, and with others. */
import { createSecretKey, randomUUID } from 'node:crypto';
import type { Entities } from '../../src/core/kinds.ts';
import { limits } from '../../src/core/limits.ts';
import { OfferMacaroons, type Consent } from '../../src/controller/macaroons/offer-macaroons.ts';
import type { Services } from '../../src/controller/services.ts';
import { macaroonToJson } from '../../src/kit/macaroon/encode.ts';
import { addCondition } from '../../src/kit/macaroon/macaroon.ts';
import type { Commit, Reader, Store } from '../../src/store/store.ts';
import { pick } from '../../src/testing/fuzz/arguments.ts';
import { brokenArguments } from '../../src/testing/fuzz/valid-arguments.ts';
import type { Random } from '../../src/forecast/world/random.ts';

/** Kinds of macaroons that are shown: the first two most of the time. */
const kinds = [
  'valid',
  'ofAnother',
  'ofUser',
  'expired',
  'foreign',
  'mangled',
  'tooLong',
  'caveats',
  'many',
] as const;
type Kind = (typeof kinds)[number];
/** Kinds with which no relation is made, whatever else the request says. */
const worthless: ReadonlySet<Kind> = new Set(['ofAnother', 'expired', 'foreign', 'tooLong', 'caveats']);
/** Start of the tokens of relations that were never made. */
const neverMade = 'dead0000-';
const foreignKey = createSecretKey(Buffer.alloc(32, 7));
const dayMs = 86_400_000;

interface Needs {
  readonly running: () => { readonly store: Store<Entities>; readonly services: Services };
  readonly model: () => string;
  readonly view: () => Reader<Entities>;
}
type Item = Readonly<Record<string, unknown>>;

export class OtherController {
  readonly #needs: Needs;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Returns the arguments of a call of CrossModelRelations, with macaroons in its items. */
  fill(args: unknown, random: Random): unknown {
    if (typeof args !== 'object' || args === null) return args;
    const filled = (item: unknown): unknown =>
      typeof item === 'object' && item !== null && random.chance(0.95)
        ? this.#withMacaroons(item as Item, random)
        : item;
    return Object.fromEntries(
      Object.entries(args).map(([name, list]) => [
        name,
        Array.isArray(list) ? list.slice(0, 100).map(filled) : (list as unknown),
      ]),
    );
  }

  #withMacaroons(item: Item, random: Random): Item {
    const kind = random.chance(0.7) ? 'valid' : pick(random, kinds);
    const isRegistration = 'source-model-tag' in item;
    const named = item['relation-token'];
    const token = isRegistration || typeof named !== 'string' ? undefined : named;
    const macaroons = this.#macaroons(kind, token, random);
    if (!isRegistration) return { ...item, macaroons };
    if (worthless.has(kind))
      return { ...item, macaroons, 'relation-token': `${neverMade}${randomUUID().slice(9)}` };
    return {
      ...item,
      macaroons,
      'relation-token': random.chance(0.3) ? randomUUID() : item['relation-token'],
    };
  }

  #macaroons(kind: Kind, relation: string | undefined, random: Random): unknown {
    const { store, services } = this.#needs.running();
    const now = services.clock.now();
    const offer = [...this.#needs.view().list('offer')][0]?.uuid ?? randomUUID();
    const to = relation === undefined ? {} : { relation };
    const consent: Consent = { user: 'admin', since: now, offer, model: this.#needs.model(), ...to };
    const by = (own: Partial<Pick<Services, 'agentKey' | 'clock'>>) =>
      new OfferMacaroons({ store, services: { ...services, ...own } });
    const minted = (of: Consent = consent): unknown => macaroonToJson(by({}).mint(of));
    switch (kind) {
      case 'valid':
        return [minted()];
      case 'ofAnother':
        return [minted({ ...consent, relation: randomUUID() })];
      case 'ofUser':
        return [minted({ ...consent, user: pick(random, ['stranger', 'nobody', 'removed', '']) })];
      case 'expired':
        return [macaroonToJson(by({ clock: { ...services.clock, now: () => now - dayMs } }).mint(consent))];
      case 'foreign':
        return [macaroonToJson(by({ agentKey: foreignKey }).mint(consent))];
      case 'mangled':
        return brokenArguments([minted()], random);
      case 'tooLong':
        return [macaroonToJson(addCondition(by({}).mint(consent), 'x'.repeat(limits.macaroonBytes.max)))];
      case 'caveats': {
        const conditions = Array.from({ length: limits.macaroonCaveats.max }, () => 'true');
        return [macaroonToJson(conditions.reduce(addCondition, by({}).mint(consent)))];
      }
      case 'many':
        return Array.from({ length: limits.macaroons.max + 1 }, () => minted());
    }
  }
}

/** Returns sentences about relations that were made with invalid macaroons. */
export function wrongRelations({ changes }: Pick<Commit<Entities>, 'changes'>): string[] {
  return changes.flatMap(({ kind, after }) => {
    const { remote } = kind === 'relation' && after ? (after as Entities['relation']) : {};
    return remote?.token.startsWith(neverMade)
      ? [`relation ${remote.token} was made with a macaroon that does not count`]
      : [];
  });
}
