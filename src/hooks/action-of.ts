import { JujuError } from '../core/errors.ts';
import type { HookContext, HookEvent } from './context.ts';

/** Returns the action that the context belongs to. Errors: plain JujuError outside an action. */
export function actionOf(context: HookContext): NonNullable<HookEvent['action']> {
  if (!context.event.action) throw new JujuError('', 'not running an action');
  return context.event.action;
}
