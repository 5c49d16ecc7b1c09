/** Completion of command lines in bash, zsh and fish, and manual pages, as the build has made them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli, prepareCli, succeed, writeCharm } from '../../src/testing/cli-world.ts';
import { outputOf } from './output-of.ts';

const root = join(import.meta.dirname, '../..');
const share = join(root, 'share');

prepareCli(async () => {
  await succeed('add-model shop');
  writeCharm('web');
  await succeed('deploy ./web -n 2');
  await succeed('deploy ./web weather');
});

/** Returns an environment in which `grigri` is this clone's, with the client's files of the test. */
function environment(): Record<string, string> {
  return {
    PATH: [join(root, 'bin'), process.env['PATH']].join(delimiter),
    HOME: cli.folder,
    JUJU_DATA: join(cli.folder, 'juju'),
    XDG_CONFIG_HOME: join(cli.folder, 'config'),
    TERM: 'dumb',
  };
}

/** Programs by shell that print the completions of the line in that shell, one candidate per line. */
const shells: Readonly<Record<string, (line: string) => readonly [string, ...string[]]>> = {
  bash: (line) => [
    'bash',
    '--norc',
    '-c',
    `source "$1"; COMP_LINE=$2 COMP_POINT=\${#2}
    read -r -a COMP_WORDS <<<"$2"; [[ $2 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); compopt() { :; }
    _grigri; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    join(share, 'bash-completion/completions/grigri'),
    line,
  ],
  zsh: (line) => [
    'zsh',
    '-f',
    '-c',
    `compdef() { : }; _files() { : }
    compadd() { print -l -- "\${(@P)\${@[-1]}}" }
    source "$1"; words=(\${(z)2}); [[ $2 == *' ' ]] && words+=(''); CURRENT=\${#words}
    _grigri`,
    'zsh',
    join(share, 'zsh/site-functions/_grigri'),
    line,
  ],
  fish: (line) => [
    'fish',
    '--no-config',
    '-c',
    'source $argv[1]; complete -C $argv[2]',
    join(share, 'fish/vendor_completions.d/grigri.fish'),
    line,
  ],
};

describe.each(Object.keys(shells))('%s', (shell) => {
  async function candidates(line: string): Promise<string[]> {
    const printed = await outputOf(shells[shell]!(line), environment());
    return printed.split('\n').filter(Boolean).sort();
  }

  test.each([
    ['grigri depl', ['deploy']],
    ['grigri wait', ['wait-for']],
    ['grigri wait-for ', ['application', 'machine', 'model', 'unit']],
    ['grigri remove-unit --dest', ['--destroy-storage']],
    ['grigri status --format s', ['short', 'summary']],
    ['grigri config we', ['weather', 'web']],
    ['grigri remove-unit web', ['web/0', 'web/1']],
    ['grigri remove-machine ', ['0', '1', '2']],
    ['grigri config -m shop weat', ['weather']],
    ['grigri show-model sh', ['shop']],
    ['grigri show-user ad', ['admin']],
    ['grigri help plug', ['plugins']],
    ['grigri completion f', ['fish']],
    ['grigri retry-provisioning ', ['0', '1', '2']],
    ['grigri grant-secret mine wea', ['weather']],
    ['grigri disable-command rem', ['remove-object']],
  ])('"%s" becomes %j', async (line, expected) => {
    // Completion gives up on a controller that takes over two seconds, as it may on a busy host: the check is repeated.
    await expect.poll(() => candidates(line)).toEqual(expected);
  });
});

test('bash keeps what is before a colon in a word', async () => {
  const [program, ...args] = shells['bash']!('grigri status -m ctrl:sh');
  // bash itself splits the word at the colon.
  const split = args.map((one) =>
    one.replace('read -r -a COMP_WORDS <<<"$2"', 'COMP_WORDS=(grigri status -m ctrl : sh)'),
  );
  await expect.poll(() => outputOf([program, ...split], environment())).toBe('shop\n');
});

test('fish completes files where there is nothing else', async () => {
  const [program, ...args] = shells['fish']!('grigri add-cloud --file ./package-l');
  await expect.poll(() => outputOf([program, ...args], environment())).toContain('./package-lock.json');
});

test('bash finds the script by the program’s name, and all shells load it without a word', async () => {
  const env = environment();
  const asked = 'source <(grigri completion bash); complete -p grigri';
  expect(await outputOf(['bash', '--norc', '-c', asked], env)).toContain('-F _grigri grigri');
  const loaded =
    'autoload -U compinit; compinit -u -D; source <(grigri completion zsh); print $_comps[grigri]';
  expect(await outputOf(['zsh', '-f', '-c', loaded], env)).toBe('_grigri\n');
  expect(await outputOf(['fish', '--no-config', '-c', 'grigri completion fish | source'], env)).toBe('');
});

test('a link to the program is completed by its own name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-link-'));
  try {
    symlinkSync(join(root, 'bin/grigri'), join(folder, 'juju'));
    const env = { ...environment(), PATH: [folder, process.env['PATH']].join(delimiter) };
    const asked = `source <(juju completion bash); complete -p juju; COMP_LINE='juju depl' COMP_POINT=9 COMP_CWORD=1
      COMP_WORDS=(juju depl); _juju; echo "\${COMPREPLY[@]}"`;
    expect(await outputOf(['bash', '--norc', '-c', asked], env)).toBe(
      'complete -o default -F _juju juju\ndeploy\n',
    );
    const loaded = 'autoload -U compinit; compinit -u -D; source <(juju completion zsh); print $_comps[juju]';
    expect(await outputOf(['zsh', '-f', '-c', loaded], env)).toBe('_juju\n');
    const fish = 'juju completion fish | source; complete -C "juju depl"';
    expect(await outputOf(['fish', '--no-config', '-c', fish], env)).toBe('deploy\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('manual pages', () => {
  const folder = join(share, 'man/man1');
  const pages = (): string[] => readdirSync(folder).sort();

  test('each command and alias has a manual page', async () => {
    const listed = (await outputOf(['grigri', 'help', 'commands'], environment()))
      .trimEnd()
      .split('\n')
      .map((line) => `grigri-${line.split(' ')[0]}.1`);
    expect(pages()).toEqual([...listed, 'grigri.1'].sort());
  });

  test('man finds the manual pages beside the program', async () => {
    const env = { ...environment(), MANPATH: '', MANWIDTH: '80' };
    expect(await outputOf(['man', '-P', 'cat', 'grigri-deploy'], env)).toContain('--num-units');
    expect(await outputOf(['man', '-P', 'cat', 'grigri-add-relation'], env)).toContain('grigri integrate');
    expect(await outputOf(['man', '-P', 'cat', 'grigri'], env)).toContain('JUJU_MODEL');
  });

  test('groff and mandoc report no warnings about the manual pages', async () => {
    const files = pages()
      .map((page) => join(folder, page))
      .filter((path) => !readFileSync(path, 'utf8').startsWith('.so '));
    const groff = ['-c', 'exec groff -man -ww -z -Tutf8 "$@" 2>&1', 'sh', ...files];
    expect(await outputOf(['sh', ...groff], { LC_ALL: 'C.UTF-8' })).toBe('');
    const mandoc = ['-c', 'mandoc -T lint -W warning "$@" 2>&1; true', 'sh', ...files];
    const complaints = (await outputOf(['sh', ...mandoc], {}))
      .split('\n')
      // Dates are left out, since they would change the pages with each build.
      .filter((line) => line !== '' && !line.includes('missing date'));
    expect(complaints).toEqual([]);
  });
});
