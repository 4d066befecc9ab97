import { usageBytesMax } from '../../domain/sync/sync-usage.ts';

/** An operation of sync. A worker answers it: it opens a stream, sends a snapshot, or counts a report of usage. */
export interface SyncOperation {
  readonly api: 'sync';
  readonly actor: 'sync';
  readonly id: string;
  /** Method and path. Denials use it as the endpoint's name. */
  readonly route: string;
  readonly isReport: boolean;
  /** Null: it takes no body. */
  readonly bodyBytesMax: number | null;
}

/** The path of sync below the base URL. */
export const syncPath = '/sync/v1';

function syncRead(id: string, route: `GET ${string}`): SyncOperation {
  return { api: 'sync', actor: 'sync', id, route, isReport: false, bodyBytesMax: null };
}

function syncReport(id: string, route: `POST ${string}`): SyncOperation {
  return { api: 'sync', actor: 'sync', id, route, isReport: true, bodyBytesMax: usageBytesMax };
}

export const syncOperations: readonly SyncOperation[] = [
  syncRead('sync', `GET ${syncPath}/{projectId}`),
  syncRead('sync-environment', `GET ${syncPath}/{projectId}/{environment}`),
  syncReport('report', `POST ${syncPath}/usage/{projectId}`),
  syncReport('report-environment', `POST ${syncPath}/usage/{projectId}/{environment}`),
];
