import type { Denial } from '../domain/token/denial.ts';
import type { TokenUse } from '../domain/token/token-use.ts';
import { eventLoopActive, eventLoopDelay } from '../observability/event-loop.ts';
import { counter, durationBounds, gauge, histogram, layOut } from '../observability/metric.ts';
import type { LogLines } from '../observability/thread-log.ts';
import type { StreamCensus } from '../streams/stream-census.ts';

/** What the thread of flagd's sync needs to start. */
export interface FlagdSetup {
  readonly directory: string;
  readonly mapBytes: number;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Paths of PEM files; null: connections are not encrypted. */
  readonly tls: TlsFiles | null;
  readonly streamsMax: number;
  readonly connectionsMax: number;
  /** Failed authentications per minute and address. */
  readonly failedAuthenticationLimit: number;
  /** The present token prefix, and former ones whose tokens still work. */
  readonly tokenPrefixesAccepted: readonly string[];
  /** The memory of a `StoreVersion`. */
  readonly storeVersion: SharedArrayBuffer;
  /** The memory of a `FilePlace`: the data file that the writer has opened. */
  readonly dataFilePlace: SharedArrayBuffer;
  /** The memory of a `LeaseCell`; null: this is not a node of a cluster. */
  readonly leaseMemory: SharedArrayBuffer | null;
  readonly logLevel: string;
  readonly logMemory: SharedArrayBuffer;
  /** The thread's cells of `flagdMetrics`. */
  readonly metrics: SharedArrayBuffer;
}

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Messages to the thread. `stop`: end all streams, and end. */
export type FlagdRequest = { readonly kind: 'stop' };

/** Messages of the thread. */
export type FlagdMessage =
  | { readonly kind: 'ready'; readonly port: number }
  /** It cannot start; the message is for the operator. */
  | { readonly kind: 'fatal'; readonly message: string }
  | { readonly kind: 'log'; readonly lines: LogLines }
  | { readonly kind: 'used'; readonly use: TokenUse }
  | { readonly kind: 'denied'; readonly denial: Denial }
  | { readonly kind: 'synced'; readonly census: readonly StreamCensus[] };

/** The status of gRPC with which a call is refused or ended. */
export const refusedStatuses = [
  'invalid-argument',
  'unauthenticated',
  'permission-denied',
  'not-found',
  'resource-exhausted',
  'unavailable',
] as const;
export type RefusedStatus = (typeof refusedStatuses)[number];

/** Written by the thread of flagd's sync only. */
export const flagdMetrics = layOut({
  connections: gauge('burgee_flagd_connections', "Connections of flagd's providers."),
  streams: gauge('burgee_flagd_streams', "Open streams of flagd's providers."),
  refused: counter(
    'burgee_flagd_refused_total',
    "Calls of flagd's providers that were refused, and streams that were ended, by the status of gRPC.",
    refusedStatuses.map((status) => ({ status })),
  ),
  cut: counter(
    'burgee_flagd_cut_total',
    "Connections of flagd's providers that were closed because they took nothing for too long (slow), had no stream (idle), were beyond a limit (crowded), or sent a request that was too long or never complete (request).",
    [{ reason: 'slow' }, { reason: 'idle' }, { reason: 'crowded' }, { reason: 'request' }],
  ),
  sent: counter('burgee_flagd_configurations_total', 'Configurations that streams were sent whole.'),
  unsent: gauge('burgee_flagd_unsent_bytes', 'Bytes of configurations that are being sent.'),
  translation: histogram(
    'burgee_flagd_translation_seconds',
    "Time to read an environment and write it in flagd's format, once for all streams.",
    durationBounds,
  ),
  loopDelay: eventLoopDelay('flagd'),
  loopActive: eventLoopActive('flagd'),
});
