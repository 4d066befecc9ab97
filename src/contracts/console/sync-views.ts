import { type Static, Type } from 'typebox';
import { shape, text } from './view-parts.ts';

const count = Type.Integer({ minimum: 0 });

export const syncedEnvironmentSchema = shape({
  /** Null in a single-environment project. */
  environment: Type.Union([text, Type.Null()]),
  /** Programs that have a stream open to the service that answers; of a cluster, to this node. */
  streams: count,
  /** The number of the environment's last change. */
  version: count,
  /** What the programs know, newest first. */
  versions: Type.Array(shape({ version: count, streams: count })),
  /** By how much the furthest is behind: the difference of the numbers; 0 when all know the last change. */
  lag: count,
});
export type SyncedEnvironmentView = Static<typeof syncedEnvironmentSchema>;

/** As of a few seconds ago. Environments without a stream are left out. */
export const syncStreamsSchema = shape({ environments: Type.Array(syncedEnvironmentSchema) });
