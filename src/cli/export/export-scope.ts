import type { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';

export interface ExportScope {
  readonly queries: RecordQueries;
  /** What a file cannot say, and so is left out. */
  readonly problems: ProblemList;
  readonly onFlag: () => void;
  /** Called before the document is closed: what it throws leaves one that cannot be read. */
  readonly onEnd: () => void;
}
