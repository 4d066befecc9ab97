import { status as grpcStatus } from '@grpc/grpc-js';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { Denial } from '../domain/token/denial.ts';
import type { TokenUse } from '../domain/token/token-use.ts';
import { count, type MetricCells } from '../observability/metric-cells.ts';
import { FairAmount, streamWeights } from '../support/fair-share.ts';
import { addressFromText, type ClientAddress } from '../worker/limits/address-finder.ts';
import type { AddressLimiter } from '../worker/limits/address-limiter.ts';
import { sparseDenials } from '../worker/sync/sparse-denials.ts';
import { censusOf, type SyncCensus } from '../worker/sync/sync-census.ts';
import { admitCall, denialOf, type Refused, refusalNow } from './admission.ts';
import type { Configurations, HeldEnvironment } from './configurations.ts';
import { flagdMetrics, type RefusedStatus, refusedStatuses } from './flagd-protocol.ts';
import { type FlagdCall, FlagdStream, streamPlaceOf } from './flagd-stream.ts';
import type { SendRoom } from './send-room.ts';

/** A client that has not taken a configuration for so long is cut off. */
export const takeMsMax = 60_000;

const codes: Readonly<Record<RefusedStatus, grpcStatus>> = {
  'invalid-argument': grpcStatus.INVALID_ARGUMENT,
  unauthenticated: grpcStatus.UNAUTHENTICATED,
  'permission-denied': grpcStatus.PERMISSION_DENIED,
  'not-found': grpcStatus.NOT_FOUND,
  'resource-exhausted': grpcStatus.RESOURCE_EXHAUSTED,
  unavailable: grpcStatus.UNAVAILABLE,
};

const crowded: Refused = {
  status: 'resource-exhausted',
  detail: 'No more streams can be opened for this project, or its organisation, at present. Try again later.',
};

const tooManyFailures: Refused = {
  status: 'resource-exhausted',
  detail:
    'Too many failed authentication attempts from this address. Wait a minute before you retry, and check the token.',
};

export interface FlagdStreamsOptions {
  readonly streamsMax: number;
  /** Failed authentications by address. A valid token passes whatever others of its address have tried. */
  readonly failures: AddressLimiter;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly queries: RecordQueries;
  readonly configurations: Configurations;
  readonly room: SendRoom;
  readonly cells: MetricCells;
  /** Brings `queries` to the newest state. */
  readonly refresh: () => void;
  /** Why nobody is served at present; null: everybody is. */
  readonly refusalOfAll: () => Refused | null;
  readonly noteStream: (peer: string, change: number) => void;
  readonly cut: (peer: string) => void;
  readonly onUsed: (use: TokenUse) => void;
  readonly onDenied: (denial: Denial) => void;
}

/** All open streams: who may open one, how many, and when they end. */
export class FlagdStreams {
  readonly #options: FlagdStreamsOptions;
  readonly #streams = new Set<FlagdStream>();
  readonly #places: FairAmount;
  readonly #denials = sparseDenials();

  constructor(options: FlagdStreamsOptions) {
    this.#options = options;
    this.#places = new FairAmount(options.streamsMax, streamWeights);
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Whether a stream is open that was not told to end. */
  get hasUnended(): boolean {
    for (const { isEnding } of this.#streams) if (!isEnding) return true;
    return false;
  }

  /** @param isOnce whether the call gets one configuration, and ends */
  open(call: FlagdCall, isOnce: boolean): void {
    const { queries, configurations, room, tokenPrefixesAccepted, cells } = this.#options;
    const unserved = this.#options.refusalOfAll();
    if (unserved !== null) {
      this.#refuse(call, unserved);
      return;
    }
    this.#options.refresh();
    const { selector } = call.request;
    const admission = admitCall(queries, call.metadata, selector, tokenPrefixesAccepted);
    if (!admission.ok) {
      const { refused, refusal } = admission;
      const { text, limitKey } = addressOf(call);
      const denial = refusal === null ? null : denialOf(refusal, call.getPath(), text);
      if (denial !== null && this.#denials.pass(denial.tokenId, denial.at)) this.#options.onDenied(denial);
      const isFailure = refusal?.isFailedAuthentication ?? false;
      const mayFail = !isFailure || this.#options.failures.take(limitKey);
      this.#refuse(call, mayFail ? refused : tooManyFailures);
      return;
    }
    const place = streamPlaceOf(admission.target);
    const { projectId, accountId, tokenId, environment, environmentNumber } = place;
    if (!this.#places.take(place, 1)) {
      this.#refuse(call, crowded);
      return;
    }
    const onSent = (): void => count(cells, flagdMetrics.metrics.sent);
    const end = (ended: FlagdCall, status: RefusedStatus, detail: string): void =>
      this.#refuse(ended, { status, detail });
    const stream = new FlagdStream({ call, place, room, isOnce, onSent, end });
    this.#hold(stream, call);
    const synced = { projectId, accountId, environmentNumber, name: environment };
    stream.begin(configurations.hold(synced, () => stream.offer()));
    const use = { tokenId, at: Date.now(), route: call.getPath(), environment };
    this.#options.onUsed({ ...use, address: addressOf(call).text, count: 1 });
  }

  #hold(stream: FlagdStream, call: FlagdCall): void {
    const { peer, place } = stream;
    this.#streams.add(stream);
    this.#options.noteStream(peer, 1);
    const close = (): void => {
      if (!this.#streams.delete(stream)) return;
      stream.close();
      this.#places.give(place, 1);
      this.#options.noteStream(peer, -1);
    };
    call.once('cancelled', close);
    call.once('close', close);
  }

  #refuse(call: FlagdCall, { status, detail }: Refused): void {
    count(this.#options.cells, flagdMetrics.metrics.refused, refusedStatuses.indexOf(status));
    // Never OK: after it some providers take the stream for finished, and stay with what they have.
    call.emit('error', { code: codes[status], details: detail });
  }

  /** Ends streams whose token or environment is no more. */
  checkAll(): void {
    const known = new Map<string, Refused | null>();
    for (const stream of this.#streams) {
      const { tokenId, projectId, environment } = stream.place;
      const key = `${tokenId}/${projectId}/${environment ?? ''}`;
      if (!known.has(key)) known.set(key, refusalNow(this.#options.queries, stream.place));
      const refused = known.get(key) ?? null;
      if (refused !== null) stream.end(refused.status, refused.detail);
    }
  }

  /** Who is connected, for the people of each project. */
  census(now: number): readonly SyncCensus[] {
    const known = new Map<HeldEnvironment, (number | null)[]>();
    for (const { environment, knownNumber } of this.#streams) {
      if (environment === null) continue;
      const of = known.get(environment);
      if (of === undefined) known.set(environment, [knownNumber]);
      else of.push(knownNumber);
    }
    return Array.from(known, ([{ place, seen }, numbers]) => {
      const { projectId, name } = place;
      const version = this.#options.configurations.newestNumber(place);
      return censusOf({ projectId, name, kind: 'flagd', version, seen }, numbers, now);
    });
  }

  /** Cuts off clients that take nothing. Others of the same connection go with them: a provider has one stream. */
  cutSlow(): void {
    const now = performance.now();
    for (const stream of this.#streams) {
      if (now - stream.sendingSince < takeMsMax) continue;
      count(this.#options.cells, flagdMetrics.metrics.cut);
      this.#options.cut(stream.peer);
    }
  }

  /** Ends so many of the streams that were not told to end yet. */
  endSome(most: number, { status, detail }: Refused): void {
    let left = most;
    for (const stream of this.#streams) {
      if (left === 0) return;
      if (stream.isEnding) continue;
      stream.end(status, detail);
      left -= 1;
    }
  }
}

/** Without the port. An IPv4 client of a listener for both kinds has its own address. */
function addressOf(call: FlagdCall): ClientAddress {
  const text = call.getPeer().replace(/:\d+$/, '');
  // The peer of a connection that has closed has no address.
  return addressFromText(text) ?? { text, limitKey: text };
}
