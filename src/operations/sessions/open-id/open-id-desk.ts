import type { OpenIdRefusal } from '../../../domain/session/open-id-rules.ts';
import type { Logger } from '../../../observability/logger.ts';
import { monotonicMs } from '../../../support/monotonic-clock.ts';
import { newSecret } from '../../console-context.ts';
import type { OpenIdPerson } from '../step-bodies.ts';
import { OpenIdFault, openIdFaultOf } from './open-id-fault.ts';
import type { BegunSignIn, OpenIdPort, SignInBeginning } from './open-id-protocol.ts';
import type { OpenIdProvider } from './open-id-provider.ts';
import { type PendingSignIn, PendingSignIns } from './pending-sign-ins.ts';

/** Exchanges with the provider at once: each has some connections and takes at most ten seconds. */
const atOnce = 32;
/** Browsers that wait, for ten seconds at most, for the metadata of a silent provider: each costs little. */
const beginningMax = 1024;
const tooMany = 'too many people sign in at once';

/**
 * Sends browsers to the OpenID provider, and receives those that return. The process has one, on the main thread: the
 * provider's metadata is fetched once, and each pending sign-in is finished once, by any worker.
 */
export class OpenIdDesk implements OpenIdPort {
  readonly #provider: OpenIdProvider;
  readonly #log: Logger;
  readonly #pending = new PendingSignIns();
  #underWay = 0;
  #beginning = 0;

  constructor(provider: OpenIdProvider, log: Logger) {
    this.#provider = provider;
    this.#log = log;
  }

  async begin(beginning: SignInBeginning, requestId: string): Promise<BegunSignIn | OpenIdRefusal> {
    this.#beginning += 1;
    try {
      if (this.#beginning > beginningMax) throw new OpenIdFault('unavailable', tooMany);
      return await this.#begin(beginning);
    } catch (thrown) {
      return this.#tell(thrown, requestId);
    } finally {
      this.#beginning -= 1;
    }
  }

  async #begin(beginning: SignInBeginning): Promise<BegunSignIn> {
    const secrets = { state: newSecret(), nonce: newSecret(), codeVerifier: newSecret() };
    const signIn: PendingSignIn = { ...beginning, ...secrets, browserSecret: newSecret() };
    const url = await this.#provider.signInUrl(signIn);
    this.#pending.add(signIn, monotonicMs());
    return { signIn, url };
  }

  async take(state: string, browserSecret: string | null): Promise<PendingSignIn | null> {
    return this.#pending.take(state, browserSecret, monotonicMs());
  }

  async receive(
    rawQuery: string,
    signIn: PendingSignIn,
    requestId: string,
  ): Promise<OpenIdPerson | OpenIdRefusal> {
    this.#underWay += 1;
    try {
      if (this.#underWay > atOnce) throw new OpenIdFault('unavailable', tooMany);
      return await this.#provider.receive(rawQuery, signIn);
    } catch (thrown) {
      return this.#tell(thrown, requestId);
    } finally {
      this.#underWay -= 1;
    }
  }

  /** @returns the reason that the browser gets; the log has the cause */
  #tell(thrown: unknown, requestId: string): OpenIdRefusal {
    const { refusal, message } = openIdFaultOf(thrown);
    if (refusal !== 'denied')
      this.#log.warn({ requestId, refusal, reason: message }, 'OpenID sign-in failed');
    return refusal;
  }
}
