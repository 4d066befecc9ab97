/** Prefix of every environment variable that Burgee reads. */
export const environmentPrefix = 'BURGEE_';

/** The environment variable and the flag that name the configuration file; they are no settings themselves. */
export const configFileVariable = `${environmentPrefix}CONFIG`;
export const configFileFlag = '--config';

/** @returns `BURGEE_DATA_DIR` for `dataDir`. */
export function environmentName(settingName: string): string {
  return environmentPrefix + settingName.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** @returns `--data-dir` for `dataDir`. */
export function flagName(settingName: string): string {
  return `--${settingName.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
