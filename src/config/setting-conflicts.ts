import type { SettingSource } from './setting.ts';
import { environmentName, flagName } from './setting-names.ts';
import type { SettingName } from './settings.ts';

const samePort =
  'The admin port must not be the public port, whatever the addresses: choose another one with --admin-port (BURGEE_ADMIN_PORT).';

/** @returns what is wrong with settings that are right one by one, each with what to do. */
export function settingConflicts(
  values: ReadonlyMap<SettingName, unknown>,
  sources: ReadonlyMap<SettingName, SettingSource>,
): readonly string[] {
  const problems: string[] = [];
  if (values.get('port') !== 0 && values.get('adminPort') === values.get('port')) problems.push(samePort);
  return [...problems, ...openIdConflicts(values, sources)];
}

/** Without an issuer nothing is signed in with; with one, the provider must know who asks and where people come back to. */
function* openIdConflicts(
  values: ReadonlyMap<SettingName, unknown>,
  sources: ReadonlyMap<SettingName, SettingSource>,
): Generator<string> {
  const isGiven = (name: SettingName): boolean => typeof values.get(name) === 'string';
  if (!isGiven('openIdIssuer')) {
    if (values.get('openIdIssuer') !== null) return;
    for (const name of ['openIdClientId', 'openIdClientSecret'] as const) {
      if (isGiven(name))
        yield `${named(name)} does nothing without an issuer: set ${named('openIdIssuer')} too`;
    }
    return;
  }
  if (values.get('openIdClientId') === null) {
    yield `${named('openIdIssuer')} needs ${named('openIdClientId')}: the id that the provider gave this service when it was registered there`;
  }
  if (sources.get('baseUrl') === 'default') {
    yield `${named('openIdIssuer')} needs ${named('baseUrl')}: the provider sends people back to <base-url>/console/api/openid/callback`;
  }
}

function named(name: SettingName): string {
  return `${flagName(name)} (${environmentName(name)})`;
}
