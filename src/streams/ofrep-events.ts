import { formatSyncPosition } from '../domain/sync/sync-position.ts';
import type { Encoding } from './environment.ts';
import { existsIn } from './environment-exists.ts';
import { httpStallMs, streamEvent } from './stream.ts';

/** Browsers that lose their streams together reconnect after a random time between these. */
const retryMs = { least: 1000, most: 8000 };
/** A comment: it keeps proxies from closing an idle connection. */
export const comment: Uint8Array = Buffer.from(':\n\n');

/** Events of OFREP. An event says that flags of the environment have changed, not which. The browser then fetches all flags. */
export const ofrepEvents: Encoding = {
  kind: 'ofrep',
  eventEveryMs: 1000,
  stallMs: httpStallMs,
  hasDeltas: false,
  need: ({ history, version }, known) =>
    known?.history === history && known.number === version ? null : 'refetch',
  make: ({ history, version }) => {
    const known = { history, number: version };
    const etag = formatSyncPosition(known);
    const lastModified = Math.floor(Date.now() / 1000);
    const data = JSON.stringify({ type: 'refetchEvaluation', etag, lastModified });
    return streamEvent('refetch', Buffer.from(`id: ${etag}\ndata: ${data}\n\n`), known);
  },
  beat: () => comment,
  /** A project without access to the Evaluation API has no events. */
  check: ({ place, watch }) => {
    const project = watch.state.snapshot.queries.project(place.projectId);
    return project?.evaluationAccess === true && existsIn(project, place) ? null : 'environment';
  },
  farewell: () => null,
};

/** The first bytes of a stream. The head of the response is sent with its first bytes. */
export function ofrepGreeting(): Uint8Array {
  const retry = retryMs.least + Math.floor(Math.random() * (retryMs.most - retryMs.least));
  return Buffer.from(`retry: ${retry}\n\n`);
}
