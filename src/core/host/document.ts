import { defineKind } from '../kind.ts';

/**
 * A host that a machine was enlisted on, and what is left of the machine's record after its removal. It keeps two
 * machines from sharing a host, and tells an agent that was away that its machine is gone. Controller space; id =
 * `<model uuid> <machine id>`.
 */
export interface HostDoc {
  readonly model: string;
  readonly machine: string;
  readonly instanceId: string;
  /** Nonce and password hash by which the agent of the removed machine still authenticates, since `at`. */
  readonly gone?: { readonly at: string; readonly nonce: string; readonly passwordHash: string };
}

/** Prefix of the nonce of enlisted machines, by which their agents know that they have to clean up the host. */
const enlistedNonce = 'manual:';

export function isEnlistedNonce(nonce: string): boolean {
  return nonce.startsWith(enlistedNonce);
}

/** The id `<model uuid> <machine id>`. */
export function hostId({ model, machine }: Pick<HostDoc, 'model' | 'machine'>): string {
  return `${model} ${machine}`;
}

export const host = defineKind<HostDoc>()({
  space: 'controller',
  idOf: hostId,
  indexes: {
    model: ({ model }) => model,
    /** Hosts that are in use by a machine. */
    instance: (doc) => (doc.gone ? undefined : doc.instanceId),
  },
});
