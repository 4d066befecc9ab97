import type { Test } from 'tap';
import type { BootedServer } from '../support/booted-server.ts';
import type { Settings } from '../support/burgee-command.ts';
import {
  clientId,
  clientSecret,
  type OpenIdProviderOptions,
  startOpenIdProvider,
  type TestProvider,
} from '../support/open-id-provider.ts';
import { ProviderVisitor } from '../support/provider-visitor.ts';
import type { ConsoleClient, ConsoleResponse } from './console-client.ts';
import { bootConsole, person } from './console-fixture.ts';

const oneOrganisation = {
  organisations: [
    { name: 'acme', plan: 'enterprise', members: [person('owner'), person('admin'), person('viewer')] },
  ],
};

/** Differs from the address that tests send to, so that a URL built from the Host header would show. */
export const baseUrl = 'http://flags.example.test';
export const redirectUrl = `${baseUrl}/console/api/openid/callback`;

export const people: OpenIdProviderOptions['people'] = {
  ada: { email: 'Owner@acme.example', email_verified: true, name: 'Ada' },
  bob: { email: 'viewer@acme.example', email_verified: false, name: ' Bob at the provider ' },
  stranger: { email: 'nobody@acme.example', email_verified: true },
  nameless: {},
  impostor: { email: 'owner@acme.example', email_verified: true },
};

export function settingsOf({ issuer }: { readonly issuer: string }): Settings {
  return {
    BURGEE_BASE_URL: baseUrl,
    BURGEE_OPEN_ID_ISSUER: issuer,
    BURGEE_OPEN_ID_CLIENT_ID: clientId,
    BURGEE_OPEN_ID_CLIENT_SECRET: clientSecret,
    BURGEE_OPEN_ID_NAME: 'Acme Login',
  };
}

/** Starts a provider, and a service that uses it. */
export async function bootWithProvider(
  t: Test,
  document: unknown = oneOrganisation,
  options: Partial<OpenIdProviderOptions> = {},
): Promise<{ readonly provider: TestProvider; readonly server: BootedServer }> {
  const provider = await startOpenIdProvider(t, { redirectUrl, people, ...options });
  const server = await bootConsole(t, document, settingsOf(provider));
  return { provider, server };
}

/** @returns the provider's URL to which the page goes */
export async function startAt(client: ConsoleClient, body: unknown = {}): Promise<string> {
  const answer = await client.send('POST', '/openid/start', body);
  if (answer.status !== 200) throw new Error(`cannot start: ${answer.status} ${answer.text}`);
  return String(answer.json.url);
}

/** Follows the provider's redirect. @param address the complete URL */
export function comeBack(client: ConsoleClient, address: string): Promise<ConsoleResponse> {
  const { pathname, search } = new URL(address);
  return client.send('GET', `${pathname.slice('/console/api'.length)}${search}`);
}

/** A complete sign-in, from the page and back to it. */
export async function signInByOpenId(
  client: ConsoleClient,
  login: string,
  body: unknown = {},
): Promise<ConsoleResponse> {
  const url = await startAt(client, body);
  return comeBack(client, await new ProviderVisitor().signIn(url, login));
}

/** @returns the reason of a failed sign-in */
export function refusalIn(answer: ConsoleResponse): string | null {
  const location = new URL(answer.header('location') ?? '/', baseUrl);
  return location.pathname === '/console/sign-in' ? location.searchParams.get('openid') : null;
}
