import { notValid } from '../../core/errors.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import type { Recipient } from '../../kit/sealed/recipient.ts';
import { sealFor } from '../../kit/sealed/sealed-stream.ts';

/** Errors: `not valid` for a recipient that nothing can be sealed for; `quota limit exceeded`. */
export function checkRecipient(recipient: Recipient): void {
  checkLimit(limits.backupRecipient, JSON.stringify(recipient).length);
  try {
    sealFor(recipient);
  } catch (error) {
    throw notValid(`recipient of the backup not valid: ${error instanceof Error ? error.message : 'no key'}`);
  }
}
