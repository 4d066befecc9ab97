import type { Project } from '../../domain/project/project.ts';
import { formatSyncPosition, readSyncPosition } from '../../domain/sync/sync-position.ts';
import type { Exchange } from '../../http/exchange.ts';
import { ofrepEventHeaders } from '../../operations/answer-headers.ts';
import { ofrepEvents, ofrepGreeting } from '../../streams/ofrep-events.ts';
import { HttpOutlet, type StreamServer } from '../../streams/stream-server.ts';
import { addressClient, type Pool } from '../limits/quota.ts';

export interface BrowserStreamsOptions {
  readonly server: StreamServer;
  /** Open streams. */
  readonly quotas: Pool;
  readonly meter: { countRefused(kind: 'browsers'): void };
}

/** A browser that asks for the events of an environment. */
export interface FollowingBrowser {
  readonly exchange: Exchange;
  readonly project: Project;
  /** `soleEnvironment` in a single-environment project. */
  readonly environmentNumber: number;
  /** The value of `Last-Event-ID`; empty: it has seen no event. */
  readonly lastEventId: string;
  /** The `limitKey` of its address. */
  readonly limitKey: string;
}

/** Opens streams for browsers that use OFREP. */
export class BrowserStreams {
  readonly #options: BrowserStreamsOptions;

  constructor(options: BrowserStreamsOptions) {
    this.#options = options;
  }

  /** @returns the tag of the present configuration: that of the newest event */
  tagOf({ id }: Project, environmentNumber: number): string {
    const state = this.#options.server.pin();
    try {
      const number = state.snapshot.sync.versionOf(id, environmentNumber);
      return formatSyncPosition({ history: state.history, number });
    } finally {
      state.release();
    }
  }

  /** Opens a stream. @returns false: there is no slot for it, or the service stops; nothing was answered */
  open({ exchange, project, environmentNumber, lastEventId, limitKey }: FollowingBrowser): boolean {
    const { server, quotas, meter } = this.#options;
    if (server.isClosed) return false;
    const quota = quotas.quotaOf(addressClient(limitKey));
    if (!quota.take(1)) {
      meter.countRefused('browsers');
      return false;
    }
    exchange.begin(200, ofrepEventHeaders);
    const environment = project.environments.find(({ number }) => number === environmentNumber);
    const place = { projectId: project.id, environmentNumber, name: environment?.name ?? null };
    server.open({
      kind: 'ofrep',
      outlet: new HttpOutlet(exchange),
      tokenId: null,
      known: readSyncPosition(lastEventId),
      greeting: ofrepGreeting(),
      source: () => server.environment(place, ofrepEvents),
      onOver: () => quota.end(),
    });
    return true;
  }
}
