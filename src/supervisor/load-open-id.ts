import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { OpenIdDesk } from '../operations/sessions/open-id/open-id-desk.ts';
import type { OpenIdProvider } from '../operations/sessions/open-id/open-id-provider.ts';

interface OpenId {
  readonly provider: OpenIdProvider;
  readonly desk: OpenIdDesk;
}

/**
 * Loads OpenID's parts only if a provider is configured. A provider that is down is asked again when it is
 * needed.
 * @returns null if no provider is configured
 */
export async function loadOpenId(config: Config, log: Logger): Promise<OpenId | null> {
  const { openIdIssuer: issuer, openIdClientId: clientId, openIdClientSecret, baseUrl } = config;
  if (issuer === null || clientId === null) return null;
  const { OpenIdProvider } = await import('../operations/sessions/open-id/open-id-provider.ts');
  const { OpenIdDesk } = await import('../operations/sessions/open-id/open-id-desk.ts');
  const provider = new OpenIdProvider({ issuer, clientId, clientSecret: openIdClientSecret, baseUrl });
  const { redirectUrl } = provider;
  const fields = { issuer, redirectUrl };
  provider.find().then(
    () => log.info(fields, 'the OpenID provider answers'),
    (fault: Error) =>
      log.warn(
        { ...fields, reason: fault.message },
        'the OpenID provider does not answer as it should; it is asked again with each sign-in',
      ),
  );
  return { provider, desk: new OpenIdDesk(provider, log) };
}
