import type { SyncedEnvironmentView } from '../../contracts/console/sync-views.ts';

/** The call of a request for the streams of all workers, which the main thread counts. */
export interface SyncStreamsPort {
  list(projectId: string): Promise<readonly SyncedEnvironmentView[]>;
}
