import { status as grpcStatus } from '@grpc/grpc-js';
import type { SyncTarget } from '../domain/sync/sync-guard.ts';
import type { Denial } from '../domain/token/denial.ts';
import type { TokenUse } from '../domain/token/token-use.ts';
import { count, type MetricCells } from '../observability/metric-cells.ts';
import type { SyncedEnvironment } from '../streams/configuration.ts';
import type { Encoding } from '../streams/environment.ts';
import { sparseDenials } from '../streams/sparse-denials.ts';
import type { StreamEnd } from '../streams/stream.ts';
import type { StreamServer } from '../streams/stream-server.ts';
import { addressFromText, type ClientAddress } from '../worker/limits/address-finder.ts';
import type { AddressLimiter } from '../worker/limits/address-limiter.ts';
import { credentialClient, Pool } from '../worker/limits/quota.ts';
import { admitCall, denialOf, type Refused } from './admission.ts';
import { messageBytesMax } from './flagd-events.ts';
import { type FlagdCall, FlagdOutlet, type UnsentBytes } from './flagd-outlet.ts';
import { flagdMetrics, type RefusedStatus, refusedStatuses } from './flagd-protocol.ts';

const codes: Readonly<Record<RefusedStatus, grpcStatus>> = {
  'invalid-argument': grpcStatus.INVALID_ARGUMENT,
  unauthenticated: grpcStatus.UNAUTHENTICATED,
  'permission-denied': grpcStatus.PERMISSION_DENIED,
  'not-found': grpcStatus.NOT_FOUND,
  'resource-exhausted': grpcStatus.RESOURCE_EXHAUSTED,
  unavailable: grpcStatus.UNAVAILABLE,
};

const tooManyStreams: Refused = {
  status: 'resource-exhausted',
  detail: 'No more streams can be opened for this organisation at present. Try again later.',
};
const tooManyFailures: Refused = {
  status: 'resource-exhausted',
  detail:
    'Too many failed authentication attempts from this address. Wait a minute before you retry, and check the token.',
};

/** What a client gets when its stream ends. Never OK: some providers do not reconnect after it. */
const endings: Readonly<Record<Exclude<StreamEnd, 'slow'>, Refused>> = {
  token: {
    status: 'unauthenticated',
    detail: 'The token has been revoked or has expired. Use another one.',
  },
  environment: { status: 'not-found', detail: 'The environment has been renamed or deleted.' },
  drain: { status: 'unavailable', detail: 'The service is stopping. Connect again.' },
  detached: {
    status: 'unavailable',
    detail:
      'This node is cut off from its cluster and does not know the newest state. Connect again, to another node.',
  },
  fault: {
    status: 'unavailable',
    detail: 'The configuration could not be read. The log of the service says why.',
  },
  'too-large': {
    status: 'resource-exhausted',
    detail: `The configuration of this environment is larger than ${messageBytesMax / 2 ** 20} MiB, the most that providers of flagd are sent. Shorten its lists of cohorts.`,
  },
};

export interface FlagdCallsOptions {
  readonly server: StreamServer;
  readonly encoding: Encoding;
  readonly unsent: UnsentBytes;
  readonly streamsMax: number;
  /** Failed authentications by address. A valid token is accepted however many attempts of its address have failed. */
  readonly failures: AddressLimiter;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly cells: MetricCells;
  isAttached(): boolean;
  /** @param change 1 or -1 */
  noteStream(peer: string, change: number): void;
  cutConnection(peer: string): void;
  onUsed(use: TokenUse): void;
  onDenied(denial: Denial): void;
}

/** The calls of providers: admits them, and opens a stream for each. */
export class FlagdCalls {
  readonly #options: FlagdCallsOptions;
  readonly #streams: Pool;
  readonly #denials = sparseDenials();
  #open = 0;

  constructor(options: FlagdCallsOptions) {
    this.#options = options;
    const { streamsMax } = options;
    this.#streams = new Pool(streamsMax, 1, { isUndivided: true });
  }

  /** Calls that are not closed. The client of an ended stream may not have received the end yet. */
  get open(): number {
    return this.#open;
  }

  /** @param isOnce whether the call gets one configuration, and ends */
  answer(call: FlagdCall, isOnce: boolean): void {
    const { server, tokenPrefixesAccepted, isAttached } = this.#options;
    if (server.isClosed || !isAttached()) {
      this.#refuse(call, endings[server.isClosed ? 'drain' : 'detached']);
      return;
    }
    const state = server.pin();
    const { queries } = state.snapshot;
    const admission = admitCall(queries, call.metadata, call.request.selector, tokenPrefixesAccepted);
    state.release();
    if (admission.ok) this.#follow(call, isOnce, admission.target);
    else this.#refuseCall(call, admission);
  }

  #refuseCall(
    call: FlagdCall,
    { refused, refusal }: Extract<ReturnType<typeof admitCall>, { ok: false }>,
  ): void {
    const { text, limitKey } = addressOf(call);
    const denial = refusal === null ? null : denialOf(refusal, call.getPath(), text);
    if (denial !== null && this.#denials.pass(denial.tokenId, denial.at)) this.#options.onDenied(denial);
    const isFailure = refusal?.isFailedAuthentication ?? false;
    const mayFail = !isFailure || this.#options.failures.take(limitKey);
    this.#refuse(call, mayFail ? refused : tooManyFailures);
  }

  #follow(
    call: FlagdCall,
    isOnce: boolean,
    { token, project, environment, environmentNumber }: SyncTarget,
  ): void {
    const { server, encoding, unsent, noteStream, cutConnection, onUsed } = this.#options;
    const name = environment?.name ?? null;
    const account = project.organisationId ?? project.id;
    const slot = this.#streams.quotaOf(credentialClient(account));
    if (!slot.take(1)) {
      this.#refuse(call, tooManyStreams);
      return;
    }
    const peer = call.getPeer();
    noteStream(peer, 1);
    this.#open += 1;
    call.once('close', () => {
      this.#open -= 1;
    });
    const place: SyncedEnvironment = { projectId: project.id, environmentNumber, name };
    server.open({
      kind: 'flagd',
      outlet: new FlagdOutlet({
        ...{ call, isOnce, unsent, account, cutConnection },
        refuse: (ended, reason) => this.#refuse(ended, endings[reason]),
      }),
      tokenId: token.id,
      known: null,
      source: () => server.environment(place, encoding),
      onOver: () => {
        slot.end();
        noteStream(peer, -1);
      },
    });
    const use = { tokenId: token.id, at: Date.now(), route: call.getPath(), environment: name, count: 1 };
    onUsed({ ...use, address: addressOf(call).text });
  }

  #refuse(call: FlagdCall, { status, detail }: Refused): void {
    count(this.#options.cells, flagdMetrics.metrics.refused, refusedStatuses.indexOf(status));
    call.emit('error', { code: codes[status], details: detail });
  }
}

/** Without the port. An IPv4 client of a listener for both kinds has its own address. */
function addressOf(call: FlagdCall): ClientAddress {
  const text = call.getPeer().replace(/:\d+$/, '');
  // The peer of a connection that has closed has no address.
  return addressFromText(text) ?? { text, limitKey: text };
}
