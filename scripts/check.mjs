/** `npm run check`: formatter, linter and types side by side; what each says stands together. Exits 1 when one fails. */
import { spawn } from 'node:child_process';

const checks = [
  'oxlint --type-aware --deny-warnings src bench examples scripts test',
  'prettier --check --log-level warn .',
  'tsc --noEmit',
];

const codes = await Promise.all(checks.map(run));
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

/** Resolves with its exit code; null when it could not run or was killed. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (said += text));
    child.on('close', (code) => {
      process.stdout.write(said);
      resolve(code);
    });
  });
}
