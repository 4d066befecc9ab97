/** The parts of the package that tests use; it publishes no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface ProviderAccount {
    readonly accountId: string;
    claims(): Promise<Readonly<Record<string, unknown>>>;
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface ProviderContext {
    readonly oidc: {
      readonly session?: { readonly accountId?: string };
      readonly provider: {
        readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => Grant;
      };
    };
  }

  export interface ProviderConfiguration {
    readonly clients: readonly Readonly<Record<string, unknown>>[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly cookies: { readonly keys: readonly string[] };
    readonly conformIdTokenClaims: boolean;
    readonly pkce: { readonly required: () => boolean };
    readonly ttl: Readonly<Record<string, number>>;
    readonly features: { readonly devInteractions: { readonly enabled: boolean } };
    readonly interactions: {
      readonly url: (context: unknown, interaction: { readonly uid: string }) => string;
    };
    readonly loadExistingGrant: (context: ProviderContext) => Promise<Grant>;
    readonly findAccount: (context: unknown, id: string) => ProviderAccount | undefined;
  }

  export type InteractionResult =
    | { readonly login: { readonly accountId: string } }
    | { readonly error: string; readonly error_description: string };

  export default class Provider {
    constructor(issuer: string, configuration: ProviderConfiguration);
    callback(): RequestListener;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: InteractionResult,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }
}
