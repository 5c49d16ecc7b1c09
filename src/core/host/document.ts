import { defineKind } from '../kind.ts';

/**
 * Controller space; id = `<model uuid> <machine id>`: a host that a machine was made of, and what is left of the machine's
 * record when it is removed. By it no two machines are on one host, and an agent that was away learns that it has to go.
 */
export interface HostDoc {
  readonly model: string;
  readonly machine: string;
  readonly instanceId: string;
  /** What the agent of the machine that there was can prove itself by. */
  readonly gone?: { readonly at: string; readonly nonce: string; readonly passwordHash: string };
}

/** Begins the nonce of every machine that was enlisted: its agent knows by it that it has to clean its host up. */
const enlistedNonce = 'manual:';

export function isEnlistedNonce(nonce: string): boolean {
  return nonce.startsWith(enlistedNonce);
}

/** `<model uuid> <machine id>` */
export function hostId({ model, machine }: Pick<HostDoc, 'model' | 'machine'>): string {
  return `${model} ${machine}`;
}

export const host = defineKind<HostDoc>()({
  space: 'controller',
  idOf: hostId,
  indexes: {
    /** Hosts that are machines now. */
    instance: (doc) => (doc.gone ? undefined : doc.instanceId),
  },
});
