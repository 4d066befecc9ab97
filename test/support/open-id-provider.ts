import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider, { type InteractionResult } from 'oidc-provider';
import type { Lifetime } from './lifetime.ts';

/** The provider's claims about a person, beside the subject. */
export type Claims = Readonly<Record<string, unknown>>;

export interface OpenIdProviderOptions {
  /** The allowed redirect URIs. */
  readonly redirectUrl: string;
  /** People by subject, which they also enter to sign in. */
  readonly people: Readonly<Record<string, Claims>>;
  /** 0 takes any free port. */
  readonly port?: number;
  /** How the client must authenticate; `none` for a public client. */
  readonly secretIn?: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** Whether the ID token has the email too, or only the user info. */
  readonly hasFullIdToken?: boolean;
}

export interface TestProvider {
  readonly issuer: string;
  readonly port: number;
  /** Paths of the requests, in order. */
  readonly asked: readonly string[];
  /** @returns once it has got this many requests */
  wasAsked(count: number): Promise<void>;
  /** While true, requests get no answer. */
  isStuck: boolean;
  close(): Promise<void>;
}

export const clientId = 'burgee';
export const clientSecret = 'a secret of the client, with 100% of + and : in it'.replaceAll(' ', '_');

/** A real OpenID provider on 127.0.0.1, with sign-in pages. It ends with the test. */
export async function startOpenIdProvider(
  t: Lifetime,
  options: OpenIdProviderOptions,
): Promise<TestProvider> {
  const server = createServer();
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const listener = withPages(createProvider(issuer, options));
  const asked: string[] = [];
  const provider: TestProvider = {
    issuer,
    port,
    asked,
    isStuck: false,
    wasAsked: async (count) => {
      while (asked.length < count) await once(server, 'request');
    },
    close: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  server.on('request', (request: IncomingMessage, response) => {
    asked.push((request.url ?? '').split('?')[0] ?? '');
    if (!provider.isStuck) listener(request, response);
  });
  t.teardown(() => provider.close());
  return provider;
}

function createProvider(issuer: string, options: OpenIdProviderOptions): Provider {
  const { redirectUrl, people, secretIn = 'client_secret_basic', hasFullIdToken = false } = options;
  const client = {
    client_id: clientId,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: secretIn,
    ...(secretIn === 'none' ? {} : { client_secret: clientSecret }),
  };
  return new Provider(issuer, {
    clients: [client],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    cookies: { keys: ['a key for the cookies of a test'] },
    conformIdTokenClaims: !hasFullIdToken,
    pkce: { required: () => true },
    ttl: {
      Interaction: 600,
      Session: 600,
      Grant: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `${pagesPath}${uid}` },
    // People are not asked for consent.
    loadExistingGrant: async ({ oidc }) => {
      const accountId = oidc.session?.accountId ?? '';
      const grant = new oidc.provider.Grant({ clientId, accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    findAccount: (_context, id) => {
      const claims = people[id];
      return claims === undefined
        ? undefined
        : { accountId: id, claims: async () => ({ sub: id, ...claims }) };
    },
  });
}

const pagesPath = '/interaction/';
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Provider</title>
<link rel="icon" href="data:,"><main><h1>The provider</h1><form method="post">
<input type="hidden" name="prompt" value="login"><label>Account <input name="login"></label>
<button>Go on</button></form></main></html>`;

/** The provider with pages of its own, because the package's pages load fonts from another origin. */
function withPages(provider: Provider): RequestListener {
  const listener = provider.callback();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '' } = request;
    if (method === 'GET' && !url.endsWith('/abort')) {
      response.setHeader('content-type', 'text/html');
      response.end(page);
      return;
    }
    const accountId = new URLSearchParams(method === 'POST' ? await text(request) : '').get('login');
    const denied = { error: 'access_denied', error_description: 'cancelled' };
    const result: InteractionResult = accountId === null ? denied : { login: { accountId } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
  return (request, response) => {
    if (!request.url?.startsWith(pagesPath)) listener(request, response);
    else answer(request, response).catch((fault: unknown) => response.destroy(fault as Error));
  };
}
