import type { FirstOwnerOffer } from '../domain/session/first-owner-offer.ts';

/** The settings that the console's API needs on every thread. */
export interface ConsoleSettings {
  readonly tokenPrefix: string;
  /** Without a trailing slash. Links are built from it, never from the Host header. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  /** Name of the OpenID provider for signing in; null when none is configured. */
  readonly openIdName: string | null;
  /** Whether denial emails are sent. */
  readonly isMailConfigured: boolean;
  /** Whether this service is a node of a cluster. */
  readonly isCluster: boolean;
  /**
   * Milliseconds after which a change whose request has arrived at all is stored, or never will be: its body may take
   * the request's deadline, its turn at the writer as long again, and a cluster has a wait of its own.
   */
  readonly changeMsMax: number;
  /** The link with which this process admits the first Owner. */
  readonly firstOwnerOffer: FirstOwnerOffer;
}
