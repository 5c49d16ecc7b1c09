import { toYamlWithAliases } from '../../../kit/yaml/write.ts';
import { customOf } from './custom.ts';
import { renderInstallScript, type UserDataParams } from './install-script.ts';

const scriptAt = '/var/lib/juju/first-boot.sh';

/**
 * Renders the `#cloud-config` document that carries the script and those parts of `cloudinit-userdata` that are for
 * cloud-init. Errors: as renderInstallScript.
 */
export async function renderUserData(params: UserDataParams, arch: string): Promise<string> {
  const script = await renderInstallScript(params, arch);
  const { rest } = customOf(params.boot);
  const { write_files: files, ...others } = rest;
  const document = {
    output: { all: '| tee -a /var/log/cloud-init-output.log' },
    ...others,
    // Upgrades are left to the script, which can report them.
    package_upgrade: false,
    write_files: [
      ...(Array.isArray(files) ? (files as unknown[]) : []),
      { path: scriptAt, permissions: '0700', owner: 'root:root', content: script },
    ],
    runcmd: [['sh', scriptAt]],
  };
  // Quoting keeps strings strings: cloud-init reads YAML 1.1, where a plain `0700` or `yes` is not one.
  return `#cloud-config\n${toYamlWithAliases(document)}`;
}
