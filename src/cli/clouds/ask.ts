/** Questions in Juju's form on stdout, repeated until the answer is valid. Errors: plain Error when the input ends. */
import type { CommandContext } from '../context.ts';

export async function ask(
  context: CommandContext,
  question: string,
  { hidden = false }: { hidden?: boolean } = {},
): Promise<string> {
  context.io.stdout.write(`${question}: `);
  const answer = await context.io.stdin.readLine({ hidden });
  if (answer === undefined) throw new Error('the input ended before all questions were answered');
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
    const problem = check(answer);
    if (problem === undefined) return answer;
    if (problem !== '') context.io.stdout.write(`${problem}\n\n`);
  }
}

/** Asks for one of several options; an empty answer means `usual`. */
export async function askOneOf(
  context: CommandContext,
  {
    title,
    question,
    choices,
    defaultAnswer,
    problemWith,
  }: {
    title: string;
    question: string;
    choices: readonly string[];
    /** Default answer; '' means that there is none. */
    defaultAnswer: string;
    problemWith: (answer: string) => string;
  },
): Promise<string> {
  context.io.stdout.write(`${title}\n${choices.map((choice) => `  ${choice}\n`).join('')}\n`);
  const shown = defaultAnswer === '' ? question : `${question} [${defaultAnswer}]`;
  const answer = await askUntil(context, shown, (text) =>
    choices.includes(text) || (text === '' && defaultAnswer !== '')
      ? undefined
      : text === ''
        ? ''
        : problemWith(text),
  );
  return answer || defaultAnswer;
}
