import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { OpenIdProvider } from '../../../src/operations/sessions/open-id/open-id-provider.ts';
import type { SignInProof } from '../../../src/operations/sessions/open-id/sealed-sign-in.ts';

/* Providers as they are: what each of them does differently from the library's own one in the tests of the console. */

const [clientId, clientSecret] = ['burgee', 'gloas-abc_d.e'];
const proof: SignInProof = { state: 'state', nonce: 'nonce', codeVerifier: 'v'.repeat(43) };
const email = 'ada@acme.example';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' };

interface Quirks {
  /** What the provider calls itself, from its address. */
  readonly issuerOf?: (address: string) => string;
  readonly methods?: readonly string[];
  /** Splits the credentials of Basic without percent-decoding them, as GitLab does. */
  readonly isBasicRaw?: boolean;
  readonly claims?: object;
  readonly userInfo?: object;
}

function idToken(issuer: string, claims: object): string {
  const now = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: 'RS256', kid: 'k' },
    { iss: issuer, sub: 'ada', aud: clientId, nonce: proof.nonce, iat: now, exp: now + 60, ...claims },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = createSign('sha256').update(parts.join('.')).sign(privateKey, 'base64url');
  return [...parts, signature].join('.');
}

/** Starts a provider with these quirks. @returns the service's view of it */
async function startProvider(t: Test, quirks: Quirks): Promise<OpenIdProvider> {
  const server = createServer(async (request, response) => {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = quirks.issuerOf?.(address) ?? address;
    let body = '';
    for await (const part of request) body += part;
    const isRight = (): boolean => {
      const { authorization = '' } = request.headers;
      const form = new URLSearchParams(body);
      if (!authorization.startsWith('Basic ')) return form.get('client_secret') === clientSecret;
      const [, secret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
      return (quirks.isBasicRaw === true ? secret : decodeURIComponent(secret)) === clientSecret;
    };
    const answers: Record<string, () => object> = {
      '/.well-known/openid-configuration': () => ({
        ...{ issuer, jwks_uri: `${address}/keys`, response_types_supported: ['code'] },
        ...{ authorization_endpoint: `${address}/authorize`, token_endpoint: `${address}/token` },
        ...{ subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['RS256'] },
        token_endpoint_auth_methods_supported: quirks.methods ?? ['client_secret_basic'],
        ...(quirks.userInfo === undefined ? {} : { userinfo_endpoint: `${address}/userinfo` }),
      }),
      '/keys': () => ({ keys: [jwk] }),
      '/token': () => ({
        access_token: createHash('sha256').update('a').digest('hex'),
        token_type: 'Bearer',
        id_token: idToken(issuer, quirks.claims ?? {}),
      }),
      '/userinfo': () => ({ sub: 'ada', ...quirks.userInfo }),
    };
    const isRefused = request.url === '/token' && !isRight();
    const answer = isRefused ? { error: 'invalid_client' } : (answers[request.url ?? '']?.() ?? {});
    response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new OpenIdProvider({ issuer, clientId, clientSecret, baseUrl: 'http://flags.test' });
  t.teardown(() => {
    provider.close();
    server.closeAllConnections();
    server.close();
  });
  return provider;
}

const verified = { email, email_verified: true };
const both = ['client_secret_basic', 'client_secret_post'];
const signIns: Readonly<Record<string, readonly [Quirks, isEmailVerified: boolean]>> = {
  'everything in the ID token': [{ claims: verified }, true],
  'Basic that is not decoded, and the body': [{ claims: verified, methods: both, isBasicRaw: true }, true],
  'the email in the user info': [{ userInfo: verified }, true],
  'the email in both, and that it is verified in the user info': [
    { claims: { email }, userInfo: verified },
    true,
  ],
  'another email in the user info, which is verified': [
    { claims: { email }, userInfo: { email: 'other@acme.example', email_verified: true } },
    false,
  ],
  'an email that is not verified, and is in the user info': [
    { claims: { email, email_verified: false }, userInfo: verified },
    false,
  ],
  'no word of whether the email is verified': [{ claims: { email }, userInfo: { email } }, false],
};

for (const [what, [quirks, isEmailVerified]] of Object.entries(signIns)) {
  t.test(`a person signs in: ${what}`, async (t) => {
    const provider = await startProvider(t, quirks);
    t.match(await provider.receive('code=c&state=state', proof), { subject: 'ada', email, isEmailVerified });
  });
}

t.test('an issuer that differs is logged next to the expected one', async (t) => {
  const provider = await startProvider(t, { issuerOf: (address) => `${address}/` });
  const path = await startProvider(t, { issuerOf: (address) => `${address}/o/burgee/` });
  await t.resolves(provider.find(), 'the library adds the slash itself');
  await t.rejects(path.find(), {
    message: /expected the issuer "http:\/\/127\.0\.0\.1:\d+\/?", the provider's is ".*\/o\/burgee\/"/,
  });
});
