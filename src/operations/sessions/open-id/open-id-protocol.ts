import type { OpenIdRefusal } from '../../../domain/session/open-id-rules.ts';
import { consoleRoutes } from '../../console-routes.ts';
import { consoleApiPath } from '../../match-route.ts';
import type { OpenIdPerson } from '../step-bodies.ts';
import type { SignInProof } from './sealed-sign-in.ts';

/** The provider's page at which a browser signs in. */
export interface SignInPage {
  readonly url: string;
}

/** The calls of a request to the process' OpenID desk: a browser may return to another worker or another node. */
export interface OpenIdPort {
  begin(proof: SignInProof, requestId: string): Promise<SignInPage | OpenIdRefusal>;
  /**
   * @param rawQuery with which the browser returned
   * @param limitKey of its address, which gets a share of the exchanges
   * @returns the person that the provider vouches for
   */
  receive(
    rawQuery: string,
    proof: SignInProof,
    limitKey: string,
    requestId: string,
  ): Promise<OpenIdPerson | OpenIdRefusal>;
}

/** The path to which the provider sends browsers back. */
export const openIdCallbackPath = `${consoleApiPath}${consoleRoutes['finish-open-id'].slice('GET '.length)}`;
