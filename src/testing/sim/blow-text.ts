import { restoreText } from './restores.ts';
import type { Blow } from './script.ts';

/** Describes a fault at a given time. */
export function blowText(blow: Blow): string {
  switch (blow.blow) {
    case 'crash-controller':
      return `controller ${(blow.which ?? 0) + 1} is killed before its step ${blow.step} from here`;
    case 'cut-controllers':
      return blow.which === undefined
        ? `the controllers are cut off from each other for ${blow.forMs / 1000} s`
        : `controller ${blow.which + 1} is cut off from the others for ${blow.forMs / 1000} s`;
    case 'crash-agent':
      return `the agent of machine [${blow.pick}] is killed before its step ${blow.step} from here`;
    case 'reboot':
      return `machine [${blow.pick}] reboots`;
    case 'lose':
      return `machine [${blow.pick}] is gone for good, its instance ${blow.instance}`;
    case 'cut-off':
      return `machine [${blow.pick}] is cut off for ${blow.forMs / 1000} s`;
    case 'halt':
      return `the instance of machine [${blow.pick}] stops`;
    case 'zone-down':
      return `zone ${blow.zone + 1} is down for ${blow.forMs / 1000} s`;
    case 'quota':
      return `the cloud has room for ${blow.spare} more instances, for ${blow.forMs / 1000} s`;
    case 'credential':
      return `the credential is refused for ${blow.forMs / 1000} s`;
    case 'stray':
      return `an instance appears in model ${blow.place}, of machine [${blow.machine}]`;
    default:
      return restoreText(blow);
  }
}
