import { JujuError } from '../errors.ts';

/** The result of `plan`; its errors name the application of the bundle, unless they do so by themselves. */
export function ofApplication<T>(name: string, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof JujuError) || error.message.startsWith(`application "${name}"`)) throw error;
    throw new JujuError(error.code, `application "${name}": ${error.message}`, { cause: error });
  }
}
