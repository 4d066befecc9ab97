import { setTimeout } from 'node:timers/promises';
import { parseTagCondition } from '../domain/management/entity-tag.ts';
import { ProblemList } from '../domain/problem-list.ts';
import { tenantOf } from '../domain/project/project.ts';
import type { SyncTarget } from '../domain/sync/sync-guard.ts';
import { formatSyncPosition, isUpToDate, readSyncPosition } from '../domain/sync/sync-position.ts';
import type { ApiRequest } from '../operations/api-request.ts';
import { snapshotPieces } from '../streams/configuration.ts';
import { sparseDenials } from '../streams/sparse-denials.ts';
import type { PinnedState } from '../streams/store-watch.ts';
import { HttpOutlet, type StreamServer } from '../streams/stream-server.ts';
import { syncEvents } from '../streams/sync-events.ts';
import { accountNameOf } from '../support/fair-share.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import type { LongAnswers } from './answers/long-answers.ts';
import { clientOf, credentialClient, Pool } from './limits/quota.ts';
import type { WorkerStreamMeter } from './stream-meter.ts';
import type { ReportUsage, UsageReports } from './usage-reports.ts';

export interface SyncAnswersOptions {
  readonly streams: StreamServer;
  /** Open streams. */
  readonly quotas: Pool;
  readonly longAnswers: LongAnswers;
  readonly streamMeter: WorkerStreamMeter;
  readonly usageReports: UsageReports;
  readonly reportUsage: ReportUsage;
  /** The longest that a client waits for the counting of its report. */
  readonly requestDeadlineMs: number;
  onFault(fault: unknown, request: ApiRequest): void;
}

const stopping = 'The service is stopping. Retry in a moment.';
const tooManyStreams =
  'No more event streams can be opened for this client at present. Ask for the configuration without a stream, or retry later.';
const tooManyReports = 'Too many reports of usage are being counted for this client. Retry in a moment.';
/** Clients that got no slot retry after this many seconds, at random between the two. */
const retry = { least: 10, most: 40 };
/** The most reports of usage in progress on a worker. */
const reportsMax = 256;

/** Responses of sync: a stream, a snapshot, and the receipt for a report of usage. */
export class SyncAnswers {
  readonly #options: SyncAnswersOptions;
  readonly #reports = new Pool(reportsMax, 1, { isUndivided: true });

  constructor(options: SyncAnswersOptions) {
    this.#options = options;
  }

  /** Opens a stream of events. */
  open(request: ApiRequest, { token, project, environment, environmentNumber }: SyncTarget): void {
    const { streams, quotas, streamMeter } = this.#options;
    if (streams.isClosed) {
      request.refuseUnavailable(stopping);
      return;
    }
    const quota = quotas.quotaOf(credentialClient(token.id));
    if (!quota.take(1)) {
      streamMeter.countRefused('all');
      const seconds = Math.round(retry.least + Math.random() * (retry.most - retry.least));
      request.refuse({ code: 'service-unavailable', detail: tooManyStreams }, seconds);
      return;
    }
    request.begin(200, { contentType: 'text/event-stream' });
    const { exchange, call } = request;
    if (exchange.isOver) {
      quota.end();
      return;
    }
    const name = environment?.name ?? null;
    streams.open({
      kind: 'sync',
      outlet: new HttpOutlet(exchange),
      tokenId: token.id,
      known: call.header === null ? null : readSyncPosition(call.header),
      source: () => streams.environment({ projectId: project.id, environmentNumber, name }, syncEvents),
      onOver: () => quota.end(),
    });
  }

  /** Sends the configuration as it is on the disk: a state that is not there yet could be lost. */
  giveSnapshot(request: ApiRequest, target: SyncTarget): void {
    const state = this.#options.streams.pin();
    state.whenSettled(() => this.#sendSnapshot(request, target, state));
  }

  /** @param state that is settled; it is released here */
  #sendSnapshot(request: ApiRequest, target: SyncTarget, state: PinnedState): void {
    const { exchange, call, head } = request;
    if (exchange.isOver) {
      state.release();
      return;
    }
    const { token, project, environment, environmentNumber } = target;
    const { history, snapshot } = state;
    const number = snapshot.sync.versionOf(project.id, environmentNumber);
    const version = formatSyncPosition({ history, number });
    const fields = { contentType: 'application/json', entityTag: `"${version}"` };
    if (isKnown(call.header, state, number)) {
      state.release();
      request.answer(304, '', { entityTag: fields.entityTag });
      return;
    }
    const synced = { projectId: project.id, environmentNumber, name: environment?.name ?? null };
    this.#options.streamMeter.countEvent('sync', 'snapshot');
    this.#options.longAnswers.send({
      exchange,
      status: 200,
      pieces: snapshotPieces(state, synced, version),
      heldBytes: () => 0,
      isPinned: true,
      client: () => clientOf(token.id, head.limitKey),
      release: () => state.release(),
      headers: () => request.headers(200, fields),
      answerWhole: (whole) => request.answer(200, whole, fields),
      refuse: (detail) => request.refuseUnavailable(detail),
      fail: (fault, hasBegun) => {
        this.#options.onFault(fault, request);
        if (!hasBegun) request.fail();
      },
      onOver: () => request.onAnswered(200),
    });
  }

  async takeReport(request: ApiRequest, { project, environmentNumber }: SyncTarget): Promise<void> {
    const tenant = tenantOf(project);
    const quota = this.#reports.quotaOf(credentialClient(accountNameOf(tenant)));
    if (!quota.take(1)) return request.refuseUnavailable(tooManyReports);
    try {
      const { usageReports, requestDeadlineMs } = this.#options;
      const until = monotonicMs() + requestDeadlineMs;
      const isWanted = (): boolean => !request.exchange.isOver && monotonicMs() < until;
      const usage = await usageReports.count(request.call.body, project.id, environmentNumber, isWanted);
      if (usage === null) return request.refuseUnavailable(tooManyReports);
      if (usage instanceof ProblemList) {
        return request.refuse({ code: 'invalid-request', detail: usage.detail() });
      }
      const key = `${project.id}/${environmentNumber}/${usage.reportId}`;
      const isNew = await this.#options.reportUsage(tenant, key, usage.counted);
      const { flags, evaluations, unknownFlags } = usage;
      if (isNew) this.#options.streamMeter.countUsage(evaluations, unknownFlags);
      request.answerJson({ counted: isNew ? flags : 0, unknownFlags, isRepeated: !isNew });
    } finally {
      quota.end();
    }
  }
}

/**
 * Delay of a repeated refusal of one token. Nothing limits the rate of a valid token, and a program that retries at
 * once would keep the worker busy with refusals.
 */
const repeatedRefusalMs = 1000;

/** @returns the writer for sync: a refusal soon after a recorded one of the same token is not recorded, and answered late */
export function sparseRecording(writer: WriterPort): WriterPort {
  const denials = sparseDenials();
  return {
    write: (call) => writer.write(call),
    recordDenial: async (denial) => {
      if (!denials.pass(denial.tokenId, denial.at)) {
        await setTimeout(repeatedRefusalMs, undefined, { ref: false });
        return { kind: 'recorded' };
      }
      const outcome = await writer.recordDenial(denial);
      if (outcome.kind !== 'recorded') denials.forget(denial.tokenId);
      return outcome;
    },
  };
}

/** Whether a client that sends the tags knows everything: it may know a later number than that of the last change. */
function isKnown(header: string | null, { history, number }: PinnedState, version: number): boolean {
  const condition = header === null ? null : parseTagCondition(header);
  if (condition === null) return false;
  return (
    condition.isAny ||
    condition.tags.some(({ opaque }) => {
      const known = readSyncPosition(opaque);
      return known !== null && isUpToDate(known, { history, number }, version);
    })
  );
}
