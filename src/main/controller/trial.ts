/** Start of a program that is being tried: it accepts changes once it has come up and is this controller's program. */
import { request } from 'node:https';
import { confirmedState, readProgramState, writeProgramState } from '../../agent/program/state.ts';
import { choiceFile } from '../launch/controller-programs.ts';
import { getLaunched } from '../launch/launched.ts';

export interface Trial {
  /** Makes the program this controller's, when it serves; it cannot go back then. Errors: when it does not serve. */
  confirm(port: number, caCert: string): Promise<void>;
  /** Notes why this start has failed. */
  fail(error: unknown): void;
}

/** Undefined for a program that is not being tried. */
export function trialOf(dataDir: string): Trial | undefined {
  if (!getLaunched()?.isTrial) return undefined;
  const file = choiceFile(dataDir);
  return {
    async confirm(port, caCert) {
      await checkHealth(port, caCert);
      const state = readProgramState(file);
      if (!state?.trying || state.trying.late) throw new Error('it took too long to come up');
      writeProgramState(file, confirmedState(state));
    },
    fail(error) {
      const state = readProgramState(file);
      const problem = (error instanceof Error ? error.message : String(error)).slice(0, 300);
      if (state?.trying) writeProgramState(file, { ...state, trying: { ...state.trying, problem } });
    },
  };
}

const answerMs = 30_000;

/** Asks this controller, over its listener, whether it is well. Errors: a plain Error with its answer. */
function checkHealth(port: number, ca: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(
      // The certificate is checked; it names the controller by other addresses than this one.
      { host: '127.0.0.1', port, path: '/health', ca, agent: false, checkServerIdentity: () => undefined },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(0, 1000)));
        answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(text.trim()))));
      },
    );
    asked.setTimeout(answerMs, () => asked.destroy(new Error('its own listener does not answer')));
    asked.on('error', reject);
    asked.end();
  });
}
