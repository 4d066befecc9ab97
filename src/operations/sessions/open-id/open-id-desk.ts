import type { OpenIdRefusal } from '../../../domain/session/open-id-rules.ts';
import type { Logger } from '../../../observability/logger.ts';
import { widestNetwork } from '../../../support/address-networks.ts';
import { HeldSlots } from '../../../support/fair-share.ts';
import type { OpenIdPerson } from '../step-bodies.ts';
import { OpenIdFault, openIdFaultOf } from './open-id-fault.ts';
import type { OpenIdPort, SignInPage } from './open-id-protocol.ts';
import type { OpenIdProvider } from './open-id-provider.ts';
import type { SignInProof } from './sealed-sign-in.ts';

/** The most exchanges with the provider at once: each has some connections and takes at most ten seconds. */
const atOnce = 32;
/** An address may take half of the free ones. */
const weightOfAddress = 1;
/** The most browsers that wait for the metadata of a silent provider, each for ten seconds at most. They cost little. */
const beginningMax = 1024;
const tooMany = 'too many people sign in at once';

/**
 * Sends browsers to the OpenID provider, and receives those that return. The process has one, on the main thread: the
 * provider's metadata is fetched once.
 */
export class OpenIdDesk implements OpenIdPort {
  readonly #provider: OpenIdProvider;
  readonly #log: Logger;
  /** Exchanges, by address or the IPv6 network around it. */
  readonly #underWay = new HeldSlots();
  #beginning = 0;

  constructor(provider: OpenIdProvider, log: Logger) {
    this.#provider = provider;
    this.#log = log;
  }

  async begin(proof: SignInProof, requestId: string): Promise<SignInPage | OpenIdRefusal> {
    this.#beginning += 1;
    try {
      if (this.#beginning > beginningMax) throw new OpenIdFault('unavailable', tooMany);
      return { url: await this.#provider.signInUrl(proof) };
    } catch (thrown) {
      return this.#tell(thrown, requestId);
    } finally {
      this.#beginning -= 1;
    }
  }

  async receive(
    rawQuery: string,
    proof: SignInProof,
    limitKey: string,
    requestId: string,
  ): Promise<OpenIdPerson | OpenIdRefusal> {
    const network = widestNetwork(limitKey);
    if (!this.#underWay.hasShareFor(network, atOnce, weightOfAddress)) {
      return this.#tell(new OpenIdFault('unavailable', tooMany), requestId);
    }
    this.#underWay.take(network);
    try {
      return await this.#provider.receive(rawQuery, proof);
    } catch (thrown) {
      return this.#tell(thrown, requestId);
    } finally {
      this.#underWay.give(network);
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
