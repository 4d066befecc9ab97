import { formatSyncPosition } from '../domain/sync/sync-position.ts';
import type { Encoding } from './environment.ts';
import { existsIn } from './environment-place.ts';
import { streamEvent } from './stream.ts';

/** Browsers that lose their streams together come back within this time, at random. */
const retryMs = { least: 1000, most: 8000 };
/** A comment: it keeps proxies from closing an idle connection. */
export const comment: Uint8Array = Buffer.from(':\n\n');

/** Events of OFREP: the flags of the environment have changed, never what. Each event makes a browser ask for all flags. */
export const ofrepEvents: Encoding = {
  kind: 'ofrep',
  eventEveryMs: 1000,
  stallMs: 30_000,
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

/** The first bytes of a stream: without bytes the head of the answer is not sent. */
export function ofrepGreeting(): Uint8Array {
  const retry = retryMs.least + Math.floor(Math.random() * (retryMs.most - retryMs.least));
  return Buffer.from(`retry: ${retry}\n\n`);
}
