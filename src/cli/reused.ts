import type { CommandContext } from './context.ts';
import { bool } from './flags.ts';

export const reuseFlag = bool(
  '--reuse-machines',
  'Place units without --to on machines that never had a unit (default: the model setting reuse-machines)',
);

/** Returns the flag in the form of the API's params. Without the flag, the model's setting applies. */
export function reuseParam(
  givenFlags: ReadonlySet<string>,
  reuseMachines: boolean,
): { 'reuse-machines'?: boolean } {
  return givenFlags.has('reuseMachines') ? { 'reuse-machines': reuseMachines } : {};
}

/** Prints reused machines: `unit mysql/0: reuses machine 3` */
export function printReused(
  context: CommandContext,
  { reused = [] }: { readonly reused?: readonly { unit: string; machine: string }[] | undefined },
): void {
  for (const { unit, machine } of reused) context.info(`unit ${unit}: reuses machine ${machine}`);
}
