import { newSecret } from '../../../contracts/console/console-context.ts';
import type { OpenIdPerson } from '../../../contracts/console/step-bodies.ts';
import type { Logger } from '../../../observability/logger.ts';
import { monotonicMs } from '../../../support/monotonic-clock.ts';
import { type OpenIdCookie, openIdCookie } from './open-id-cookie.ts';
import { OpenIdFault, openIdFaultOf } from './open-id-fault.ts';
import type { OpenIdProvider } from './open-id-provider.ts';
import { type PendingSignIn, PendingSignIns } from './pending-sign-ins.ts';

/** Exchanges with the provider at once: each holds some connections and takes at most ten seconds. */
const atOnce = 32;

/** A sign-in that has begun, and where its browser goes. */
export interface BegunSignIn {
  readonly signIn: PendingSignIn;
  readonly url: string;
}

/** Sends browsers to the OpenID provider, and receives those that come back. */
export class OpenIdDesk {
  readonly cookie: OpenIdCookie;
  readonly #provider: OpenIdProvider;
  readonly #log: Logger;
  readonly #pending = new PendingSignIns();
  #underWay = 0;

  constructor(provider: OpenIdProvider, baseUrl: string, log: Logger) {
    this.#provider = provider;
    this.#log = log;
    this.cookie = openIdCookie(baseUrl);
  }

  /** @throws OpenIdFault when the provider's page is not known, and the provider does not tell it */
  async begin(
    begun: Pick<PendingSignIn, 'linkSecret' | 'back' | 'limitKey'>,
    requestId: string,
  ): Promise<BegunSignIn> {
    const secrets = { state: newSecret(), nonce: newSecret(), codeVerifier: newSecret() };
    const signIn: PendingSignIn = { ...begun, ...secrets, browserSecret: newSecret() };
    try {
      const url = await this.#provider.signInUrl(signIn);
      this.#pending.add(signIn, monotonicMs());
      return { signIn, url };
    } catch (thrown) {
      throw this.#told(thrown, requestId);
    }
  }

  /** @returns the sign-in that this browser has begun, which is not pending any more; null when there is none. */
  take(rawQuery: string, cookies: readonly string[]): PendingSignIn | null {
    const state = new URLSearchParams(rawQuery).get('state');
    if (state === null) return null;
    return this.#pending.take(state, this.cookie.read(state, cookies), monotonicMs());
  }

  /** @returns whom the provider vouches for. @throws OpenIdFault */
  async receive(rawQuery: string, signIn: PendingSignIn, requestId: string): Promise<OpenIdPerson> {
    if (this.#underWay >= atOnce) throw new OpenIdFault('unavailable', 'too many people sign in at once');
    this.#underWay += 1;
    try {
      return await this.#provider.receive(rawQuery, signIn);
    } catch (thrown) {
      throw this.#told(thrown, requestId);
    } finally {
      this.#underWay -= 1;
    }
  }

  #told(thrown: unknown, requestId: string): OpenIdFault {
    const fault = openIdFaultOf(thrown);
    const { refusal, message } = fault;
    if (refusal !== 'denied')
      this.#log.warn({ requestId, refusal, reason: message }, 'OpenID sign-in failed');
    return fault;
  }
}
