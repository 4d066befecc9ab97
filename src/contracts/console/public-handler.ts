import type { ConsolePrincipal } from '../../domain/console/console-principal.ts';
import type { ConsoleOutcome } from '../../domain/console/console-problem.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { FirstOwnerOffer } from '../../domain/session/first-owner-offer.ts';
import type { ConsoleContext, ConsoleDecision, ConsoleReply, ConsoleRequest } from './console-handler.ts';

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

export interface PublicContext extends ConsoleContext, ConsoleSettings {}

/** A request that needs no session, with where it comes from. */
export interface PublicRequest<Body = unknown> extends ConsoleRequest<Body> {
  readonly address: string;
  readonly userAgent: string;
}

/** @param principal whoever is signed in; null when nobody is. */
export type PublicRead<Body> = (
  queries: RecordQueries,
  request: PublicRequest<Body>,
  principal: ConsolePrincipal | null,
  context: PublicContext,
) => ConsoleOutcome<ConsoleReply>;

export type PublicCommand<Body> = (
  queries: RecordQueries,
  request: PublicRequest<Body>,
  principal: ConsolePrincipal | null,
  context: PublicContext,
) => ConsoleOutcome<ConsoleDecision>;

export interface PublicReadEntry {
  readonly scope: 'public';
  readonly run: PublicRead<never>;
}

export interface PublicCommandEntry {
  readonly scope: 'public';
  readonly run: PublicCommand<never>;
}
