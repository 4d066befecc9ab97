import type { SyncedEnvironmentView } from '../../contracts/console/sync-views.ts';

/** The way of a request to what the process knows of the streams of all workers. */
export interface SyncStreamsPort {
  list(projectId: string): Promise<readonly SyncedEnvironmentView[]>;
}
