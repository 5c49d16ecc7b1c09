/** First boot of machines that download their agent: docs/user-data.md. */
export { renderUserData } from './cloud-config.ts';
export { firstBootOf, parseCloudinitUserdata, systemSettingsOf } from './first-boot.ts';
export { proxyVariables } from './proxy-files.ts';
export { renderSettingsScript } from './settings-script.ts';
export { renderInstallScript, type UserDataParams } from './install-script.ts';
export { removalScript } from './removal.ts';
