import * as client from 'openid-client';
import { monotonicMs } from '../../../support/monotonic-clock.ts';
import { within } from '../../../support/within.ts';
import type { OpenIdPerson } from '../step-bodies.ts';
import { BoundedFetch } from './bounded-fetch.ts';
import { OpenIdFault, openIdFaultOf } from './open-id-fault.ts';
import { openIdCallbackPath } from './open-id-protocol.ts';
import type { SignInProof } from './pending-sign-ins.ts';
import { personOf } from './person-of.ts';

export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. Never logged. */
  readonly clientSecret: string | null;
  /** Without a trailing slash: what the address that the provider sends people back to begins with. */
  readonly baseUrl: string;
}

/** Everything that a call of this class asks the provider is over by then. */
const timeoutMs = 10_000;
/** After it a provider is asked again how it is to be spoken to. */
const metadataAgeMs = 60 * 60 * 1000;
const scope = 'openid email profile';

/**
 * The OpenID provider, by the code flow with PKCE. What it says of itself is asked for when it is first needed, kept for
 * an hour, and asked for again at once after a failure: it may be down while this service starts.
 */
export class OpenIdProvider {
  readonly #settings: OpenIdSettings;
  readonly #fetch = new BoundedFetch(timeoutMs);
  #found: { readonly configuration: client.Configuration; readonly at: number } | null = null;
  #finding: Promise<client.Configuration> | null = null;

  constructor(settings: OpenIdSettings) {
    this.#settings = settings;
  }

  /** Where the provider sends people back to: from the base URL, never from the Host header. */
  get redirectUrl(): string {
    return `${this.#settings.baseUrl}${openIdCallbackPath}`;
  }

  /** Asks the provider how it is to be spoken to, unless that is known. @throws OpenIdFault */
  async find(): Promise<void> {
    await inTime(this.#configuration());
  }

  /** @returns the provider's page that a browser signs in at. @throws OpenIdFault */
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
   * @param rawQuery that the browser came back with, as received
   * @returns whom the provider vouches for
   * @throws OpenIdFault
   */
  async receive(rawQuery: string, proof: SignInProof): Promise<OpenIdPerson> {
    return inTime(this.#exchange(new URL(`${this.redirectUrl}?${rawQuery}`), proof));
  }

  /** Ends what is being asked. */
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
    if (claims === undefined) throw new OpenIdFault('provider-failed', 'there is no ID token in the answer');
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    // Providers may tell of a person's email there alone.
    const more =
      claims['email'] === undefined && hasUserInfo
        ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
    return personOf({ ...more, ...claims });
  }

  async #configuration(): Promise<client.Configuration> {
    const found = this.#found;
    if (found !== null && monotonicMs() - found.at < metadataAgeMs) return found.configuration;
    this.#finding ??= this.#discover().finally(() => {
      this.#finding = null;
    });
    // What was known goes on being used while the provider does not answer.
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
    const proof = clientSecret === null ? client.None() : secretProof(clientSecret);
    const configuration = await client.discovery(address, clientId, undefined, proof, options);
    this.#found = { configuration, at: monotonicMs() };
    return configuration;
  }
}

/** As the provider wants to be shown the secret; Basic is what it takes when it does not say. */
function secretProof(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, self, body, headers) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost = !taken.includes('client_secret_basic') && taken.includes('client_secret_post');
    return (isPost ? post : basic)(server, self, body, headers);
  };
}

/** @throws OpenIdFault for every failure, and when it takes too long */
async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    if (await within(timeoutMs, work)) return await work;
  } catch (thrown) {
    throw openIdFaultOf(thrown);
  }
  throw new OpenIdFault('provider-unreachable', `no answer within ${timeoutMs / 1000} seconds`);
}
