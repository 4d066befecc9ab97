import type { OpenIdRefusal } from '../../../domain/session/open-id-rules.ts';
import { consoleRoutes } from '../../console-routes.ts';
import { consoleApiPath } from '../../match-route.ts';
import type { OpenIdPerson } from '../step-bodies.ts';
import type { PendingSignIn } from './pending-sign-ins.ts';

/** What a sign-in begins with. */
export type SignInBeginning = Pick<PendingSignIn, 'linkSecret' | 'back' | 'limitKey'>;

/** A sign-in that has begun, and where its browser goes. */
export interface BegunSignIn {
  readonly signIn: PendingSignIn;
  readonly url: string;
}

/** What a request holds of the process' OpenID desk: browsers may come back to another worker. */
export interface OpenIdPort {
  begin(beginning: SignInBeginning, requestId: string): Promise<BegunSignIn | OpenIdRefusal>;
  /** @returns the sign-in of this state and browser, which is not pending any more; null when there is none. */
  take(state: string, browserSecret: string | null): Promise<PendingSignIn | null>;
  /** @param rawQuery that the browser came back with. @returns whom the provider vouches for */
  receive(rawQuery: string, signIn: PendingSignIn, requestId: string): Promise<OpenIdPerson | OpenIdRefusal>;
}

/** Where the provider sends browsers back to. */
export const openIdCallbackPath = `${consoleApiPath}${consoleRoutes['finish-open-id'].slice('GET '.length)}`;
