/** Questions in Juju's form on stdout, repeated until the answer is valid. Errors: plain Error when the input ends. */
import type { CommandContext } from '../context.ts';

export async function ask(
  context: CommandContext,
  question: string,
  { hidden = false }: { hidden?: boolean } = {},
): Promise<string> {
  context.io.stdout.write(`${question}: `);
  const answer = await context.io.stdin.readLine({ hidden });
  if (answer === undefined) throw new Error('the input ended before everything was answered');
  context.io.stdout.write('\n');
  return answer.trim();
}

/** Asks until the answer passes `check`, which returns the problem with it. */
export async function askUntil(
  context: CommandContext,
  question: string,
  check: (answer: string) => string | undefined,
): Promise<string> {
  for (;;) {
    const answer = await ask(context, question);
    const wrong = check(answer);
    if (wrong === undefined) return answer;
    if (wrong !== '') context.io.stdout.write(`${wrong}\n\n`);
  }
}

/** Asks for one of several options; an empty answer means `usual`. */
export async function askOneOf(
  context: CommandContext,
  {
    title,
    question,
    choices,
    usual,
    wrong,
  }: {
    title: string;
    question: string;
    choices: readonly string[];
    /** Default answer; '' means that there is none. */
    usual: string;
    wrong: (answer: string) => string;
  },
): Promise<string> {
  context.io.stdout.write(`${title}\n${choices.map((choice) => `  ${choice}\n`).join('')}\n`);
  const shown = usual === '' ? question : `${question} [${usual}]`;
  const answer = await askUntil(context, shown, (text) =>
    choices.includes(text) || (text === '' && usual !== '') ? undefined : text === '' ? '' : wrong(text),
  );
  return answer || usual;
}
