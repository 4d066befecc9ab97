import type { FirstOwnerOffer } from '../domain/session/first-owner-offer.ts';

/** The settings that the console's API needs on every thread. */
export interface ConsoleSettings {
  readonly tokenPrefix: string;
  /** Without a trailing slash. Links that leave the service are built from it, never from the Host header. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  /** The addresses of both, where they were set; otherwise pages of the console show the address in the browser. */
  readonly shown: { readonly baseUrl?: string; readonly docsUrl?: string };
  /** Name of the OpenID provider for signing in; null when none is configured. */
  readonly openIdName: string | null;
  /** Whether denial emails are sent. */
  readonly isMailConfigured: boolean;
  /** Whether this service is a node of a cluster. */
  readonly isCluster: boolean;
  /** The link of this process for the first Owner. */
  readonly firstOwnerOffer: FirstOwnerOffer;
}

/** @returns the path below which a proxy serves this service, without a slash at its end; empty for a host of its own */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}
