import { recordCodec } from './record-codec.ts';

type ChangeKind = 'flag' | 'project' | 'everything';

/** What workers drop from their caches. `everything` stands for a transaction too large to be listed. */
export interface ChangeLogEntry {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** Empty for `everything`. */
  readonly projectId: string;
  /** Of the flag, the audience or the project itself; empty for `everything`. */
  readonly id: string;
  readonly environment: string | null;
}

type ChangeLogRow = readonly [
  sequence: number,
  kind: ChangeKind,
  projectId: string,
  id: string,
  environment: string | null,
];

export const changeLogRecord = recordCodec<ChangeLogEntry, ChangeLogRow>({
  database: 'change-log',
  version: 1,
  toRow: (it) => [it.sequence, it.kind, it.projectId, it.id, it.environment],
  fromRow: ([sequence, kind, projectId, id, environment]) => ({ sequence, kind, projectId, id, environment }),
});
