import { errorEnvelope } from '../contracts/error-envelope.ts';
import { parseTagCondition } from '../domain/management/entity-tag.ts';
import { ProblemList } from '../domain/problem-list.ts';
import { tenantOf } from '../domain/project/project.ts';
import type { SyncTarget } from '../domain/sync/sync-guard.ts';
import { formatSyncPosition, isUpToDate, readSyncPosition } from '../domain/sync/sync-position.ts';
import type { ApiReply, ApiRequest } from '../operations/api-reply.ts';
import { snapshotPieces } from '../streams/configuration.ts';
import type { PinnedState } from '../streams/store-watch.ts';
import { HttpOutlet, type StreamServer } from '../streams/stream-server.ts';
import { syncEvents } from '../streams/sync-events.ts';
import { accountNameOf } from '../support/fair-share.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { LongAnswers } from './answers/long-answers.ts';
import { credentialClient, Pool } from './limits/quota.ts';
import type { StreamRoom } from './limits/stream-room.ts';
import type { WorkerStreamMeter } from './stream-meter.ts';
import type { ReportUsage, UsageReports } from './usage-reports.ts';

export interface SyncAnswersOptions {
  readonly docsUrl: string;
  readonly streams: StreamServer;
  readonly room: StreamRoom;
  readonly longAnswers: LongAnswers;
  readonly streamMeter: WorkerStreamMeter;
  readonly usageReports: UsageReports;
  readonly reportUsage: ReportUsage;
  /** The longest that a client waits for the counting of its report. */
  readonly requestDeadlineMs: number;
}

export const syncStopping = 'The service is stopping. Retry in a moment.';
const tooManyStreams =
  'No more event streams can be opened for this client at present. Ask for the configuration without a stream, or retry later.';
const tooManyReports = 'Too many reports of usage are being counted for this client. Retry in a moment.';
/** Seconds after which clients that got no slot come back, at random. */
const retry = { least: 10, most: 40 };
/** Reports of usage that a worker has under way. */
const reportsMax = 256;

/** Responses of sync: a stream, a snapshot, and the receipt for a report of usage. */
export class SyncAnswers {
  readonly #options: SyncAnswersOptions;
  readonly #onFault: (fault: unknown, request: ApiRequest) => void;
  readonly #reports = new Pool(reportsMax, 1, { isUndivided: true });

  constructor(options: SyncAnswersOptions, onFault: (fault: unknown, request: ApiRequest) => void) {
    this.#options = options;
    this.#onFault = onFault;
  }

  /** Opens a stream of events. */
  open(reply: ApiReply, { token, project, environment, environmentNumber }: SyncTarget): void {
    const { streams, room, streamMeter } = this.#options;
    if (streams.isClosed) {
      reply.refuseUnavailable(syncStopping);
      return;
    }
    const tenant = tenantOf(project);
    const holder = { ...tenant, token: token.id };
    const refused = room.take(holder);
    if (refused !== null) {
      streamMeter.countRefused(refused);
      const seconds = Math.round(retry.least + Math.random() * (retry.most - retry.least));
      reply.refuse({ code: 'service-unavailable', detail: tooManyStreams }, seconds);
      return;
    }
    reply.begin(200, { contentType: 'text/event-stream' }, token.id);
    const { exchange, request } = reply;
    if (exchange.isOver) {
      room.give(holder);
      return;
    }
    const { header } = request;
    const name = environment?.name ?? null;
    streams.open({
      kind: 'sync',
      outlet: new HttpOutlet(exchange),
      tokenId: token.id,
      known: header === null ? null : readSyncPosition(header),
      source: () => streams.environment({ projectId: project.id, environmentNumber, name }, syncEvents),
      onOver: () => room.give(holder),
    });
  }

  /** @param state that is settled; it is released here */
  giveSnapshot(reply: ApiReply, target: SyncTarget, state: PinnedState): void {
    const { exchange, request } = reply;
    if (exchange.isOver) {
      state.release();
      return;
    }
    const { token, project, environment, environmentNumber } = target;
    const { history, snapshot } = state;
    const number = snapshot.sync.versionOf(project.id, environmentNumber);
    const version = formatSyncPosition({ history, number });
    const fields = { contentType: 'application/json', entityTag: `"${version}"` };
    if (isKnown(request.header, state, number)) {
      state.release();
      reply.answer(304, '', { entityTag: fields.entityTag }, token.id);
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
      holder: () => ({
        asker: token.id,
        project: project.id,
        organisation: project.organisationId,
        address: request.limitKey,
      }),
      release: () => state.release(),
      headers: () => reply.headers(200, fields),
      answerWhole: (whole) => reply.answer(200, whole, fields, token.id),
      refuse: (detail) => reply.refuseUnavailable(detail),
      fail: (fault, hasBegun) => {
        this.#onFault(fault, request);
        if (!hasBegun) reply.refuseInternal();
      },
      onOver: () => reply.finishLong(200, token.id),
    });
  }

  /** @param body of the report */
  async takeReport(reply: ApiReply, body: Uint8Array | null, target: SyncTarget): Promise<void> {
    const { token, project, environmentNumber } = target;
    const tenant = tenantOf(project);
    const slot = this.#reports.quotaOf(credentialClient(accountNameOf(tenant)));
    if (!slot.take(1)) return reply.refuseUnavailable(tooManyReports);
    try {
      const { usageReports, requestDeadlineMs } = this.#options;
      const until = monotonicMs() + requestDeadlineMs;
      const isWanted = (): boolean => !reply.exchange.isOver && monotonicMs() < until;
      const usage = await usageReports.count(body, project.id, environmentNumber, isWanted);
      if (usage === null) return reply.refuseUnavailable(tooManyReports);
      if (usage instanceof ProblemList) {
        const problem = { code: 'invalid-request', detail: usage.detail() } as const;
        const refusal = errorEnvelope(problem, this.#options.docsUrl);
        return reply.answer(400, refusal, { contentType: 'application/json' }, token.id);
      }
      const key = `${project.id}/${environmentNumber}/${usage.reportId}`;
      const isNew = await this.#options.reportUsage(tenant, key, usage.counted);
      const { flags, evaluations, unknownFlags } = usage;
      if (isNew) this.#options.streamMeter.countUsage(evaluations, unknownFlags);
      reply.answerJson({ counted: isNew ? flags : 0, unknownFlags, isRepeated: !isNew }, {}, token.id);
    } finally {
      slot.end();
    }
  }
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
