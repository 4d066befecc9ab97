import type { FirstOwnerOffer } from '../domain/session/first-owner-offer.ts';

/** What the console's API knows of the settings, on every thread. */
export interface ConsoleSettings {
  readonly tokenPrefix: string;
  /** Without a trailing slash: what links are built from, never the Host header. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  /** The name of the OpenID provider to sign in with; null when none is configured. */
  readonly openIdName: string | null;
  /** Whether denial emails go out. */
  readonly isMailConfigured: boolean;
  /** The link by which this process lets the first Owner in. */
  readonly firstOwnerOffer: FirstOwnerOffer;
}
