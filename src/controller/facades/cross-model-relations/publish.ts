import { networkOf } from '../../../core/cidr.ts';
import { hasCode, JujuError } from '../../../core/errors.ts';
import type { Life } from '../../../core/life.ts';
import { checkLimit, limits } from '../../../core/limits.ts';

import type { SideChange } from '../../../core/relation/side.ts';
import { defined } from '../../../core/defined.ts';
import type { crossModelRelations as spec } from '../../../wire/facades/cross-model-relations.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { pauseOf } from '../shared/pause.ts';
import { checkRelation, findRelation, modelOf, type Proof } from './relation.ts';

type Change = ParamsOf<typeof spec, 'PublishRelationChanges'>['changes'][number];

/** Maximum number of units in one change of the model. */
const batch = 100;
const lives: readonly Life[] = ['alive', 'dying', 'dead'];

/** Takes over what consuming sides tell of themselves. What is told of a relation that is gone changes nothing. */
export async function publishRelationChanges(
  call: Call,
  { changes }: ParamsOf<typeof spec, 'PublishRelationChanges'>,
): Promise<ResultOf<typeof spec, 'PublishRelationChanges'>> {
  const results = await bulk(call, changes, async (change) => {
    try {
      const token = tokenFor(call, change);
      if (token !== undefined) await publish(call, token, change);
    } catch (error) {
      if (!hasCode(error, 'macaroon discharge required')) throw error;
      // The macaroons are of this relation, and to leave it nobody needs access.
      const { 'application-settings': _settings, ...leaving } = change;
      await publish(call, change['relation-token'], { ...leaving, 'changed-units': [] });
      if (change.life === 'alive') throw error;
    }
    return {};
  });
  return { results };
}

async function publish(call: Call, token: string, change: Change): Promise<void> {
  const pause = pauseOf(call);
  for (const part of partsOf(change)) {
    await pause();
    await modelOf(call).publish(token, part);
  }
}

/** Takes over the networks that consuming sides' units come from. */
export async function publishIngressNetworkChanges(
  call: Call,
  { changes }: ParamsOf<typeof spec, 'PublishIngressNetworkChanges'>,
): Promise<ResultOf<typeof spec, 'PublishIngressNetworkChanges'>> {
  const results = await bulk(call, changes, async (change) => {
    const token = tokenFor(call, change);
    if (token === undefined) return {};
    checkLimit(limits.viaCidrs, change.networks.length);
    const networks = change['ingress-required']
      ? [...new Set(change.networks.map(checkedNetwork))].sort()
      : [];
    await modelOf(call).publish(token, { life: 'alive', forced: false, units: [], departed: [], networks });
    return {};
  });
  return { results };
}

function checkedNetwork(cidr: string): string {
  const network = networkOf(cidr);
  if (network === undefined) throw new JujuError('not valid', `CIDR "${cidr.slice(0, 100)}" not valid`);
  return network;
}

/**
 * Returns the relation's token, if the item's macaroons allow it; undefined when there is no such relation, which is no
 * error for a caller that tells of its end. Errors: those of OfferMacaroons.check.
 */
function tokenFor(call: Call, item: Proof & { readonly 'relation-token': string }): string | undefined {
  const token = item['relation-token'];
  if (!findRelation(call, token)) return undefined;
  checkRelation(call, token, item);
  return token;
}

/** Splits a change into parts with a batch of units each; at least one. Errors: `not valid`, `quota limit exceeded`. */
function partsOf(change: Change): SideChange[] {
  const life = lives.find((one) => one === change.life);
  if (!life) throw new JujuError('not valid', `life "${change.life.slice(0, 100)}" not valid`);
  const { 'application-settings': settings, 'force-cleanup': forced = false } = change;
  const units = change['changed-units'].map((unit) => ({
    number: numberOf(unit['unit-id']),
    ...defined({ settings: unit.settings && textsOf(unit.settings) }),
  }));
  const departed = change['departed-units'].map(numberOf);
  const side = {
    life,
    forced,
    isForeign: true as const,
    ...defined({ settings: settings && textsOf(settings) }),
  };
  const parts: SideChange[] = [];
  for (let at = 0; at === 0 || at < Math.max(units.length, departed.length); at += batch)
    parts.push({
      ...side,
      units: units.slice(at, at + batch),
      departed: departed.slice(at, at + batch),
    });
  return parts;
}

function numberOf(number: number): number {
  if (number < 0) throw new JujuError('not valid', `unit ${number} not valid`);
  checkLimit(limits.remoteUnitNumber, number);
  return number;
}

/** Settings are texts, as hook tools have them. */
function textsOf(settings: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(settings)) {
    if (typeof value !== 'string')
      throw new JujuError('not valid', `setting "${key.slice(0, 100)}" not valid: it is no text`);
    texts[key] = value;
  }
  return texts;
}
