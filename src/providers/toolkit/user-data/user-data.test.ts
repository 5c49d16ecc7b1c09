import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { FirstBoot } from '../../contract/provider.ts';
import { renderInstallScript, renderUserData, removalScript, type UserDataParams } from './index.ts';
import { accounts, packages, sayings } from './install-parts.ts';
import { aptProxyConf, proxyEnvironment, proxySystemd } from './proxy-files.ts';
import { assignments, quoted } from './shell.ts';
import { supervisor } from './supervisor.ts';

const none = { http: '', https: '', ftp: '', no: '' };
const boot: FirstBoot = {
  authorizedKeys: ['ssh-ed25519 AAAA me@here'],
  proxies: none,
  aptProxies: none,
  snapProxies: none,
  aptMirror: '',
  refresh: true,
  upgrade: true,
  custom: {},
  download: {
    addresses: ['10.0.0.1:17070', '[fd00::1]:17070'],
    caCert: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    path: '/model/m-uuid/tools/3.6.28-ubuntu-',
    bundle: (arch) => Promise.resolve({ sha256: `sum of ${arch}`, size: 1 }),
  },
};
const params: UserDataParams = {
  machineId: '3',
  nonce: 'machine-0:abc',
  base: { name: 'debian', channel: '12/stable' },
  boot,
  agent: {
    toolsDir: '/unused',
    dataDir: '/var/lib/juju',
    agentConf: '# format 2.0\napipassword: "sec-ret_1"\n',
    version: '3.6.28',
  },
};
const shells = ['sh', 'dash', 'bash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0);
const folder = mkdtempSync(join(tmpdir(), 'grigri-user-data-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the values of the variables that the script begins with, as a shell reads them. */
function valuesIn(script: string, names: readonly string[]): string[] {
  const head = script.slice(0, script.indexOf('\nset -u -f\n'));
  const print = names.map((name) => `printf '%s\\0' "$${name}"`).join('\n');
  const output = execFileSync('sh', ['-c', `${head}\n${print}`], { cwd: folder, encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

describe('the script', () => {
  test.each(shells)('The script is valid syntax for %s', async (shell) => {
    const texts = {
      install: await renderInstallScript(params, 'amd64'),
      controller: await renderInstallScript({ ...params, agent: undefined } as never, 'amd64'),
      removal: removalScript(),
      supervisor: supervisor(['/a/node', 'b c'], '/log'),
    };
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(join(folder, name), text);
      execFileSync(shell, ['-n', join(folder, name)]);
    }
  });

  test('The script assigns every value unchanged', async () => {
    const script = await renderInstallScript({ ...params, machineId: '0/lxd/1' }, 'arm64');
    expect(
      valuesIn(script, [
        'NONCE',
        'KEYS',
        'ADDRESSES',
        'BUNDLE_PATH',
        'BOOT_PATH',
        'SHA256',
        'TOOLS',
        'CONF',
        'SERVICE',
      ]),
    ).toEqual([
      'machine-0:abc',
      'ssh-ed25519 AAAA me@here',
      '10.0.0.1:17070 [fd00::1]:17070',
      '/model/m-uuid/tools/3.6.28-ubuntu-arm64',
      '/model/m-uuid/machine/0-lxd-1/boot',
      'sum of arm64',
      '3.6.28-ubuntu-arm64',
      '/var/lib/juju/agents/machine-0-lxd-1/agent.conf',
      'jujud-machine-0-lxd-1',
    ]);
  });

  test('The script executes no command that is hidden in a value', async () => {
    const evil = `'; touch ${join(folder, 'pwned')}; $(touch ${join(folder, 'pwned')}) \`touch ${join(folder, 'pwned')}\` "'`;
    const hostile: UserDataParams = {
      ...params,
      nonce: `${evil}\nuser = "root:x"`,
      boot: {
        ...boot,
        authorizedKeys: [`ssh-rsa A ${evil}`, 'ssh-rsa B\nssh-rsa C'],
        proxies: { http: evil, https: `${evil}\nevil`, ftp: '', no: evil },
        aptProxies: { http: `${evil}\nDir "/"`, https: '', ftp: '', no: '*,evil "; x' },
        aptMirror: evil,
        custom: { packages: [evil], postruncmd: [['printf', '%s', evil]] },
      },
    };
    const script = await renderInstallScript(hostile, 'amd64');
    const [nonce, keys, environment, header, packages, apt] = valuesIn(script, [
      'NONCE',
      'KEYS',
      'PROXY_ENVIRONMENT',
      'NONCE_HEADER',
      'PACKAGES',
      'APT_PROXIES',
    ]);
    expect(nonce).toBe(hostile.nonce);
    // A key that spans two lines is dropped.
    expect(keys).toBe(`ssh-rsa A ${evil}`);
    expect(packages).toBe(evil);
    expect(header).not.toMatch(/["\n]/);
    expect(apt!.match(/"/g)).toHaveLength(2);
    // Login shells read this file.
    const seen = execFileSync('sh', ['-c', `${environment}\nprintf '%s' "$http_proxy"`], {
      encoding: 'utf8',
    });
    expect(seen).toBe(evil);
    // The last command comes from the document.
    const command = /\nafter\(\) \{\n {2}custom ([\s\S]*)\n {2}:\n\}/.exec(script)![1]!;
    expect(execFileSync('sh', ['-c', `sh -c ${command}`], { encoding: 'utf8' })).toBe(evil);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  test('The script contains no password except in agent.conf', async () => {
    const script = await renderInstallScript(params, 'amd64');
    expect(script.split('sec-ret_1')).toHaveLength(2);
  });

  test('The script reads the password from agent.conf', async () => {
    const script = await renderInstallScript(params, 'amd64');
    const sed = /secret=\$\((sed -n '[^\n]*) "\$CONF"\)/.exec(script)![1]!;
    for (const line of ['apipassword: "sec-ret_1"', 'apipassword: sec-ret_1']) {
      const conf = join(folder, 'agent.conf');
      writeFileSync(conf, `tag: machine-0\n${line}\noldpassword: "x"\n`);
      expect(execFileSync('sh', ['-c', `${sed} ${conf}`], { encoding: 'utf8' })).toBe('sec-ret_1\n');
    }
  });

  test("The script of a controller's instance has no agent", async () => {
    const { agent: _, ...more } = params;
    const { download: _download, ...withoutDownload } = boot;
    const script = await renderInstallScript({ ...more, boot: withoutDownload }, 'amd64');
    expect(valuesIn(script, ['NONCE', 'ADDRESSES'])).toEqual(['machine-0:abc', '']);
    expect(script.slice(script.lastIndexOf('\nprepare\n'))).not.toMatch(/agent|credentials/);
  });

  test('The script cannot be rendered without a source of the agent', async () => {
    const { download: _, ...rest } = boot;
    await expect(renderInstallScript({ ...params, boot: rest }, 'amd64')).rejects.toMatchObject({
      class: 'bad request',
    });
  });
});

describe('the cloud-config document', () => {
  test('The cloud-config document carries the complete script', async () => {
    const text = await renderUserData(params, 'amd64');
    expect(text).toMatch(/^#cloud-config\n/);
    const document = parse(text, { version: '1.1' }) as {
      write_files: { content: string }[];
      runcmd: unknown;
    };
    expect(document.write_files).toEqual([
      {
        path: '/var/lib/juju/first-boot.sh',
        permissions: '0700',
        owner: 'root:root',
        content: await renderInstallScript(params, 'amd64'),
      },
    ]);
    expect(document.runcmd).toEqual([['sh', '/var/lib/juju/first-boot.sh']]);
  });

  test("The cloud-config document has the model's other cloud-init settings", async () => {
    const custom = {
      packages: ['htop', ['nginx', '1.2']],
      package_upgrade: false,
      package_update: false,
      preruncmd: ['echo a'],
      postruncmd: [['echo', 'b c']],
      'ca-certs': { trusted: ['PEM'] },
      write_files: [{ path: '/etc/x' }],
    };
    const text = await renderUserData({ ...params, boot: { ...boot, custom } }, 'amd64');
    const document = parse(text, { version: '1.1' }) as Record<string, unknown>;
    expect(document).toMatchObject({ 'ca-certs': { trusted: ['PEM'] }, package_upgrade: false });
    expect(document).not.toHaveProperty('packages');
    const files = document['write_files'] as { path: string; content: string }[];
    expect(files.map(({ path }) => path)).toEqual(['/etc/x', '/var/lib/juju/first-boot.sh']);
    const script = files[1]!.content;
    expect(valuesIn(script, ['PACKAGES', 'REFRESH', 'UPGRADE'])).toEqual(['htop\nnginx=1.2', '', '']);
    expect(script).toContain(`before() {\n  custom ${quoted('echo a')}\n`);
    expect(script).toContain(`after() {\n  custom ${quoted("'echo' 'b c'")}\n`);
  });
});

describe('proxies', () => {
  const proxies = { http: 'http://u:p%40@h:1', https: 'http://s:2', ftp: '', no: ' a , b' };

  test('Proxies are exported for shells', () => {
    expect(proxyEnvironment(proxies)).toBe(
      `export http_proxy='http://u:p%40@h:1'\nexport HTTP_PROXY='http://u:p%40@h:1'\n` +
        `export https_proxy='http://s:2'\nexport HTTPS_PROXY='http://s:2'\n` +
        `export no_proxy='a,b'\nexport NO_PROXY='a,b'\n`,
    );
  });

  test('Proxies are set for services', () => {
    expect(proxySystemd({ ...none, http: 'http://u:p%40"@h:1' })).toBe(
      '[Manager]\nDefaultEnvironment="http_proxy=http://u:p%%40\\"@h:1" "HTTP_PROXY=http://u:p%%40\\"@h:1"\n',
    );
  });

  test('Proxies are set for apt', () => {
    expect(aptProxyConf(proxies)).toBe(
      `Acquire::http::Proxy "http://u:p%40@h:1";\nAcquire::https::Proxy "http://s:2";\n` +
        `Acquire::http::Proxy::"a" "DIRECT";\nAcquire::https::Proxy::"a" "DIRECT";\n` +
        `Acquire::http::Proxy::"b" "DIRECT";\nAcquire::https::Proxy::"b" "DIRECT";\n`,
    );
  });

  test('Unset proxies render nothing', () => {
    const lonely = { ...none, no: 'a' };
    expect([proxyEnvironment(lonely), proxySystemd(lonely), aptProxyConf(lonely)]).toEqual(['', '', '']);
  });
});

test.each(["it's", '$HOME `x` "y" \\', 'a\nb\n', "''", '', '-n'])(
  'Text %j is quoted as one shell word',
  (text) => {
    const script = `${assignments({ WORD: text })}printf '%s' "$WORD"`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(text);
  },
);

describe('the mirror of apt', () => {
  /** Runs the script's own awk on a file of sources. */
  async function mirrored(sources: string, system: { id: string; codename: string }): Promise<string> {
    const script = await renderInstallScript(params, 'amd64');
    const program = /DISTRIBUTION=\$ID awk '\n([\s\S]*?)\n {4}' "\$file" "\$file"/.exec(script)![1]!;
    const file = join(folder, 'sources');
    writeFileSync(file, sources);
    const env = { ...process.env, MIRROR: 'http://m/x', SUITE: system.codename, DISTRIBUTION: system.id };
    return execFileSync('awk', [program, file, file], { env, encoding: 'utf8' });
  }

  test.each([
    [
      'one-line sources of Debian',
      { id: 'debian', codename: 'bookworm' },
      'deb http://deb.example/debian bookworm main\ndeb [signed-by=/a b=c] http://deb.example/debian bookworm-updates main\n' +
        'deb http://security.example/debian-security bookworm-security main\n# deb http://deb.example/debian x y\n',
      'deb http://m/x bookworm main\ndeb [signed-by=/a b=c] http://m/x bookworm-updates main\n' +
        'deb http://security.example/debian-security bookworm-security main\n# deb http://m/x x y\n',
    ],
    [
      'deb822 sources of Ubuntu',
      { id: 'ubuntu', codename: 'noble' },
      'Types: deb\nURIs: http://archive.example/ubuntu/\nSuites: noble noble-updates\nComponents: main\n\n' +
        'Types: deb\nURIs: http://security.example/ubuntu/\nSuites: noble-security\nComponents: main\n',
      'Types: deb\nURIs: http://m/x\nSuites: noble noble-updates\nComponents: main\n\n' +
        'Types: deb\nURIs: http://m/x\nSuites: noble-security\nComponents: main\n',
    ],
    [
      'sources of other archives, unchanged',
      { id: 'debian', codename: 'bookworm' },
      'deb https://tools.example/linux/debian bookworm-docker stable\n',
      'deb https://tools.example/linux/debian bookworm-docker stable\n',
    ],
  ])('The mirror is applied once to %s', async (_, system, before, after) => {
    expect(await mirrored(before, system)).toBe(after);
    expect(await mirrored(after, system)).toBe(after);
    expect(readFileSync(join(folder, 'sources'), 'utf8')).toBe(after);
  });

  test('Files that the mirror replaced are restored, unless they were changed since', () => {
    const juju = join(folder, 'juju');
    const [ours, theirs, next] = ['ours', 'theirs', 'next'].map((name) => join(folder, `${name}.list`)) as [
      string,
      string,
      string,
    ];
    for (const file of [ours, theirs]) writeFileSync(file, 'deb http://a/ x main\n');
    const undo = /^undo\(\) \{\n[\s\S]*?\n\}\n/m.exec(removalScript())![0];
    const run = (script: string): void => {
      const tools = `${sayings}\nJUJU=${juju}\nmkdir -p $JUJU\n${accounts}\n${packages}\n${undo}\n`;
      execFileSync('sh', ['-c', tools + script], { encoding: 'utf8' });
    };
    for (const mirror of ['b', 'b', 'c'])
      for (const file of [ours, theirs])
        run(`printf 'deb http://${mirror}/ x main\\n' >${next}; replace ${file} ${next}`);
    expect(readFileSync(ours, 'utf8')).toBe('deb http://c/ x main\n');
    writeFileSync(theirs, 'deb http://d/ x main\n');
    for (const _ of ['once', 'again']) {
      run('while IFS= read -r change; do undo "$change"; done <$JUJU/host-changes');
      expect(readFileSync(ours, 'utf8')).toBe('deb http://a/ x main\n');
      expect(readFileSync(theirs, 'utf8')).toBe('deb http://d/ x main\n');
    }
  });

  test.each(shells)('keys of the model follow it, and keys of others stay (%s)', (shell) => {
    const [juju, home] = [join(folder, `keys-${shell}`), join(folder, `home-${shell}`)];
    const file = join(home, '.ssh/authorized_keys');
    const sync = (...keys: string[]): string[] => {
      const script = `${assignments({ KEYS: keys.join('\n') })}${sayings}\n${accounts}
JUJU=${juju}; WORK=${juju}/work; mkdir -p $WORK
id() { :; }; chown() { :; }; key_file() { home=${home}; file=${file}; }
sync_keys`;
      execFileSync(shell, ['-c', script], { encoding: 'utf8' });
      return readFileSync(file, 'utf8').trimEnd().split('\n');
    };
    expect(sync('ssh-rsa A me', 'ssh-rsa B')).toEqual(['ssh-rsa A me', 'ssh-rsa B']);
    // The file has another user's line without a line end, and a key that the model will have as well.
    writeFileSync(file, 'ssh-rsa A me\nssh-rsa B\nssh-rsa own # mine\nssh-rsa C');
    expect(sync('ssh-rsa B', 'ssh-rsa C', 'ssh-rsa D')).toEqual([
      'ssh-rsa B',
      'ssh-rsa own # mine',
      'ssh-rsa C',
      'ssh-rsa D',
    ]);
    // Keys that the host had before stay when the model drops them.
    expect(sync()).toEqual(['ssh-rsa own # mine', 'ssh-rsa C']);
    expect(readFileSync(join(juju, 'host-changes'), 'utf8')).not.toContain('key ');
    // Text that grep would take for a pattern is taken literally.
    expect(sync('ssh-rsa .*')).toEqual(['ssh-rsa own # mine', 'ssh-rsa C', 'ssh-rsa .*']);
    expect(sync('ssh-rsa B')).toEqual(['ssh-rsa own # mine', 'ssh-rsa C', 'ssh-rsa B']);
  });
});
