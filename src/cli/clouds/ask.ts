/** Questions in Juju's form: on stdout, until the answer is one. Errors: plain Error when the input ends. */
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

/** Until it passes `check`, which says what is wrong with it. */
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

/** One of several; an empty answer is `usual`. */
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
    /** '' = there is none. */
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
