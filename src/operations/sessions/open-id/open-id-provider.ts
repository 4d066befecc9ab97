import * as client from 'openid-client';
import { monotonicMs } from '../../../support/monotonic-clock.ts';
import { within } from '../../../support/within.ts';
import type { OpenIdPerson } from '../step-bodies.ts';
import { BoundedFetch } from './bounded-fetch.ts';
import { OpenIdFault, openIdFaultOf } from './open-id-fault.ts';
import { openIdCallbackPath } from './open-id-protocol.ts';
import { personOf } from './person-of.ts';
import type { SignInProof } from './sealed-sign-in.ts';

export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. Never logged. */
  readonly clientSecret: string | null;
  /** Without a trailing slash: the base of the address to which the provider sends people back. */
  readonly baseUrl: string;
}

/** Every call of this class ends within this time. */
const timeoutMs = 10_000;
/** After this time the provider's metadata is fetched again. */
const metadataAgeMs = 60 * 60 * 1000;
const scope = 'openid email profile';

/**
 * The OpenID provider, by the code flow with PKCE. Its metadata is fetched when it is first needed, kept for an hour,
 * and fetched again after a failure: the provider may be down while this service starts.
 */
export class OpenIdProvider {
  readonly #settings: OpenIdSettings;
  readonly #fetch = new BoundedFetch(timeoutMs);
  #found: { readonly configuration: client.Configuration; readonly at: number } | null = null;
  #finding: Promise<client.Configuration> | null = null;

  constructor(settings: OpenIdSettings) {
    this.#settings = settings;
  }

  /** The address to which the provider sends people back: from the base URL, never from the Host header. */
  get redirectUrl(): string {
    return `${this.#settings.baseUrl}${openIdCallbackPath}`;
  }

  /** Fetches the provider's metadata, unless it is known. @throws OpenIdFault */
  async find(): Promise<void> {
    await inTime(this.#configuration());
  }

  /** @returns the provider's page at which a browser signs in. @throws OpenIdFault */
  async signInUrl({ state, nonce, codeVerifier }: SignInProof): Promise<string> {
    const configuration = await inTime(this.#configuration());
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUrl,
      scope,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * @param rawQuery with which the browser returned, as received
   * @returns the person that the provider vouches for
   * @throws OpenIdFault
   */
  async receive(rawQuery: string, proof: SignInProof): Promise<OpenIdPerson> {
    return inTime(this.#exchange(new URL(`${this.redirectUrl}?${rawQuery}`), proof));
  }

  /** Ends requests under way. */
  close(): void {
    this.#fetch.close();
  }

  async #exchange(cameBack: URL, { state, nonce, codeVerifier }: SignInProof): Promise<OpenIdPerson> {
    const configuration = await this.#configuration();
    const tokens = await client.authorizationCodeGrant(configuration, cameBack, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new OpenIdFault('provider-failed', 'the answer has no ID token');
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    // Some providers give a person's email, or that it is verified, only there.
    const isWhole = claims['email'] !== undefined && claims['email_verified'] !== undefined;
    if (isWhole || !hasUserInfo) return personOf(claims);
    const { email_verified, ...more } = await client.fetchUserInfo(
      configuration,
      tokens.access_token,
      claims.sub,
    );
    const isSameEmail = more.email === (claims['email'] ?? more.email);
    return personOf({ ...more, ...(isSameEmail ? { email_verified } : {}), ...claims });
  }

  async #configuration(): Promise<client.Configuration> {
    const found = this.#found;
    if (found !== null && monotonicMs() - found.at < metadataAgeMs) return found.configuration;
    this.#finding ??= this.#discover().finally(() => {
      this.#finding = null;
    });
    // Known metadata stays in use while the provider does not answer.
    return found === null ? this.#finding : this.#finding.catch(() => found.configuration);
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const address = new URL(issuer);
    const options: client.DiscoveryRequestOptions = {
      [client.customFetch]: (url, request) => this.#fetch.send(url, request),
      timeout: timeoutMs / 1000,
      execute: [
        client.enableNonRepudiationChecks,
        ...(address.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    };
    const proof = clientSecret === null ? client.None() : secretProof(clientId, clientSecret);
    const configuration = await client.discovery(address, clientId, undefined, proof, options);
    this.#found = { configuration, at: monotonicMs() };
    return configuration;
  }
}

/**
 * The method by which the provider receives the secret; Basic if its metadata has none. Basic encodes all but letters
 * and digits, which some providers, GitLab among them, do not decode: the body has one encoding only.
 */
function secretProof(id: string, secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  const isPlain = /^[0-9A-Za-z]*$/.test(id + secret);
  return (server, self, body, headers) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost =
      taken.includes('client_secret_post') && !(isPlain && taken.includes('client_secret_basic'));
    return (isPost ? post : basic)(server, self, body, headers);
  };
}

/** @throws OpenIdFault for every failure, and after a timeout */
async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    if (await within(timeoutMs, work)) return await work;
  } catch (thrown) {
    throw openIdFaultOf(thrown);
  }
  throw new OpenIdFault('provider-unreachable', `no answer within ${timeoutMs / 1000} seconds`);
}
