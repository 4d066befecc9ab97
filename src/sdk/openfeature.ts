import {
  ErrorCode,
  type EvaluationContext,
  type FlagMetadata,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
  StandardResolutionReasons,
} from '@openfeature/server-sdk';
import type { BurgeeClient, ClientOptions, ClientStatus, FallbackReason } from './burgee-client.ts';
import { checkOptions } from './client-options.ts';
import { connect } from './connect.ts';

const errorCodes = {
  'flag-not-found': ErrorCode.FLAG_NOT_FOUND,
  'not-ready': ErrorCode.PROVIDER_NOT_READY,
} as const satisfies Record<FallbackReason, ErrorCode>;

/**
 * Burgee as a provider of OpenFeature's server SDK: answers come from the process's own memory.
 *
 *     await OpenFeature.setProviderAndWait(new BurgeeProvider({ url, project, environment, token }));
 */
export class BurgeeProvider implements Provider {
  readonly metadata = { name: 'burgee' } as const;
  readonly runsOn = 'server';
  readonly events = new OpenFeatureEventEmitter();
  readonly #source: ClientOptions | BurgeeClient;
  /** Null before `initialize`. */
  #client: BurgeeClient | null = null;
  #removals: (() => void)[] = [];
  /** How often it was closed. */
  #closings = 0;

  /**
   * @param source options of `connect`; or a client, which the provider closes when it is shut down
   * @throws TypeError for wrong options
   */
  constructor(source: ClientOptions | BurgeeClient) {
    if (!isClient(source)) checkOptions(source);
    this.#source = source;
  }

  /** The client itself, for `explain`, or for `isOn` where microseconds count. Null until it was initialized. */
  get client(): BurgeeClient | null {
    return this.#client;
  }

  /** @throws Error when there is no configuration to answer from; the provider keeps trying, and emits READY when it has one */
  async initialize(): Promise<void> {
    const closings = this.#closings;
    const client = isClient(this.#source) ? this.#source : await connect(this.#source);
    if (closings !== this.#closings) {
      await client.close();
      throw new Error('The provider was closed while it was being initialized.');
    }
    this.#client = client;
    this.#removals = [
      client.on('change', (names) => {
        this.events.emit(ProviderEvents.ConfigurationChanged, {
          flagsChanged: [...names],
          metadata: { flagSetId: client.flagSetId, version: client.version ?? '' },
        });
      }),
      client.on('status', (status, why) => this.#emit(status, why)),
    ];
    if (client.status === 'error') throw new Error(client.why);
    // The SDK sets a provider to READY when its initialization ends: STALE must follow that.
    if (client.status === 'stale') setImmediate(() => this.#emit(client.status, client.why));
  }

  async onClose(): Promise<void> {
    this.#closings += 1;
    for (const remove of this.#removals) remove();
    this.#removals = [];
    const client = this.#client;
    this.#client = null;
    await client?.close();
  }

  #emit(status: ClientStatus, message: string): void {
    if (status === 'ready') this.events.emit(ProviderEvents.Ready, { message });
    else if (status === 'stale') this.events.emit(ProviderEvents.Stale, { message });
    else this.events.emit(ProviderEvents.Error, { message, errorCode: ErrorCode.GENERAL });
  }

  resolveBooleanEvaluation(
    flagKey: string,
    defaultValue: boolean,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<boolean>> {
    return Promise.resolve(this.#resolve(flagKey, defaultValue, context));
  }

  #resolve(flagKey: string, defaultValue: boolean, context: EvaluationContext): ResolutionDetails<boolean> {
    const client = this.#client;
    const answer = client === null ? 'not-ready' : client.evaluate(flagKey, context);
    if (client === null || typeof answer === 'string')
      return this.#fault(answer as FallbackReason, flagKey, defaultValue);
    return {
      value: answer.value,
      variant: answer.value ? 'on' : 'off',
      reason: answer.openFeatureReason,
      flagMetadata: metadataOf(client, answer),
    };
  }

  #fault(reason: FallbackReason, flagKey: string, defaultValue: boolean): ResolutionDetails<boolean> {
    const explained = this.#client?.explain(flagKey, {}, defaultValue).explanation;
    return {
      value: defaultValue,
      reason: StandardResolutionReasons.ERROR,
      errorCode: errorCodes[reason],
      errorMessage: explained ?? 'The provider has not been initialized.',
    };
  }

  resolveStringEvaluation(flagKey: string, defaultValue: string): Promise<ResolutionDetails<string>> {
    return Promise.resolve(this.#mismatch(flagKey, defaultValue));
  }

  resolveNumberEvaluation(flagKey: string, defaultValue: number): Promise<ResolutionDetails<number>> {
    return Promise.resolve(this.#mismatch(flagKey, defaultValue));
  }

  resolveObjectEvaluation<Value extends JsonValue>(
    flagKey: string,
    defaultValue: Value,
  ): Promise<ResolutionDetails<Value>> {
    return Promise.resolve(this.#mismatch(flagKey, defaultValue));
  }

  #mismatch<Value>(flagKey: string, value: Value): ResolutionDetails<Value> {
    const found = this.#client?.explain(flagKey, {}, false);
    if (found === undefined || found.flagId === null) {
      const { errorCode, errorMessage } = this.#fault(
        (found?.reason ?? 'not-ready') as FallbackReason,
        flagKey,
        false,
      );
      return {
        value,
        reason: StandardResolutionReasons.ERROR,
        ...{ errorCode, errorMessage },
      } as ResolutionDetails<Value>;
    }
    return {
      value,
      reason: StandardResolutionReasons.ERROR,
      errorCode: ErrorCode.TYPE_MISMATCH,
      errorMessage: `Flag ${JSON.stringify(flagKey)} is a boolean, as all flags of Burgee are: ask with getBooleanValue.`,
    };
  }
}

function isClient(source: ClientOptions | BurgeeClient): source is BurgeeClient {
  return typeof (source as Partial<BurgeeClient> | null)?.isOn === 'function';
}

function metadataOf(
  { flagSetId }: BurgeeClient,
  { flagId, revision, reason }: { flagId: string; revision: number; reason: string },
): FlagMetadata {
  return { flagId, flagSetId, version: String(revision), reason };
}
