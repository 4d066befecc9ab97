import { type Static, Type } from 'typebox';
import { shape, text } from './view-parts.ts';

const count = Type.Integer({ minimum: 0 });

export const syncedEnvironmentSchema = shape({
  /** Null in a single-environment project. */
  environment: Type.Union([text, Type.Null()]),
  /** How they follow it: by sync, as burgee-client does, or by flagd's protocol. */
  kind: Type.Union([Type.Literal('sync'), Type.Literal('flagd')]),
  /** Programs that have a stream open to the service that answers; of a cluster, to this node. */
  streams: count,
  /** The number of the environment's last change. */
  version: count,
  /** What the programs were sent, newest first. */
  versions: Type.Array(shape({ version: count, streams: count })),
  /** Programs that were not sent anything yet. */
  starting: count,
  /** For how many milliseconds the furthest of the others has been without the last change; within a second. */
  lagMs: count,
});
export type SyncedEnvironmentView = Static<typeof syncedEnvironmentSchema>;

/** As of a few seconds ago. An environment stands there once for each kind of program that it has a stream of. */
export const syncStreamsSchema = shape({ environments: Type.Array(syncedEnvironmentSchema) });
