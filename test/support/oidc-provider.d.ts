/** What tests use of the package, which publishes no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export interface ProviderAccount {
    readonly accountId: string;
    claims(): Promise<Readonly<Record<string, unknown>>>;
  }

  export interface ProviderConfiguration {
    readonly clients: readonly Readonly<Record<string, unknown>>[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly cookies: { readonly keys: readonly string[] };
    readonly conformIdTokenClaims: boolean;
    readonly pkce: { readonly required: () => boolean };
    readonly ttl: Readonly<Record<string, number>>;
    readonly findAccount: (context: unknown, id: string) => ProviderAccount | undefined;
  }

  export default class Provider {
    constructor(issuer: string, configuration: ProviderConfiguration);
    callback(): RequestListener;
  }
}
