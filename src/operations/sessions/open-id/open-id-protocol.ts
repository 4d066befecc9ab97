import type { OpenIdRefusal } from '../../../domain/session/open-id-rules.ts';
import { consoleRoutes } from '../../console-routes.ts';
import { consoleApiPath } from '../../match-route.ts';
import type { OpenIdPerson } from '../step-bodies.ts';
import type { PendingSignIn } from './pending-sign-ins.ts';

/** The input of a sign-in. */
export type SignInBeginning = Pick<PendingSignIn, 'linkSecret' | 'back' | 'limitKey'>;

/** A sign-in that has begun, and the address for its browser. */
export interface BegunSignIn {
  readonly signIn: PendingSignIn;
  readonly url: string;
}

/** The way of a request to the process' OpenID desk: a browser may return to another worker. */
export interface OpenIdPort {
  begin(beginning: SignInBeginning, requestId: string): Promise<BegunSignIn | OpenIdRefusal>;
  /** @returns the sign-in of this state and browser, which is then no longer pending; null when there is none. */
  take(state: string, browserSecret: string | null): Promise<PendingSignIn | null>;
  /** @param rawQuery with which the browser returned. @returns the person that the provider vouches for */
  receive(rawQuery: string, signIn: PendingSignIn, requestId: string): Promise<OpenIdPerson | OpenIdRefusal>;
}

/** The path to which the provider sends browsers back. */
export const openIdCallbackPath = `${consoleApiPath}${consoleRoutes['finish-open-id'].slice('GET '.length)}`;
