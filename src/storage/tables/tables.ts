import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { WriteTarget } from '../write-target.ts';
import { activityTable, tokenUseTable } from './activity.ts';
import { audienceTable } from './audiences.ts';
import { auditTable } from './audit.ts';
import { changeLogTable } from './change-log.ts';
import { environmentVersionTable, numberChanges } from './environment-versions.ts';
import { evaluationCountTable } from './evaluation-counts.ts';
import { flagTable } from './flags.ts';
import { identityTable } from './identities.ts';
import { keptAnswerTable } from './kept-answers.ts';
import { memberTable } from './members.ts';
import { countWrittenBytes, metaTable } from './meta.ts';
import { oneTimeLinkTable } from './one-time-links.ts';
import { organisationTable } from './organisations.ts';
import { outboxTable } from './outbox.ts';
import { projectRecordsTable } from './project-records.ts';
import { projectTable } from './projects.ts';
import { sessionTable } from './sessions.ts';
import type { Answers, ChangeWriters, QuestionedView, RecordKind, Table } from './table.ts';
import { tokenTable } from './tokens.ts';

/** Every table of the store, in the order in which they are checked. */
export const tables = [
  metaTable,
  organisationTable,
  memberTable,
  projectTable,
  sessionTable,
  oneTimeLinkTable,
  identityTable,
  flagTable,
  audienceTable,
  projectRecordsTable,
  tokenTable,
  auditTable,
  changeLogTable,
  activityTable,
  tokenUseTable,
  outboxTable,
  keptAnswerTable,
  evaluationCountTable,
  environmentVersionTable,
] as const satisfies readonly Table[];

/** Every database but the indexes. */
export const recordKinds: readonly RecordKind[] = tables.flatMap((table: Table) => table.kinds);

/** The intersection of a union's members. */
type Every<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Listed = (typeof tables)[number];

/** A question that no table answers does not compile. */
const answers: Answers = Object.assign({}, ...tables.map((table) => table.answers)) as Every<
  Listed['answers']
>;

/** The questions are made once for all views: a view is made for each snapshot that is pinned. */
class AnsweringView {
  readonly view: QuestionedView;

  constructor(view: QuestionedView) {
    this.view = view;
  }
}

for (const [question, answer] of Object.entries<(view: QuestionedView, ...asked: never[]) => unknown>(
  answers,
)) {
  Object.defineProperty(AnsweringView.prototype, question, {
    // Bound, so that each can be taken out of its object: `({ flag }) => flag(id)`.
    get(this: AnsweringView) {
      const { view } = this;
      return (first: never, second: never) => answer(view, first, second);
    },
  });
}

/** Answers the rules' questions from one view. */
export function createRecordQueries(view: QuestionedView): RecordQueries {
  return new AnsweringView(view) as unknown as RecordQueries;
}

/** A kind of change that no table writes does not compile. */
const changeWriters: ChangeWriters = Object.assign({}, ...tables.map(({ writes }) => writes)) as Every<
  Listed['writes']
>;

/** Writes decided changes into the open write transaction, and counts their bytes. */
export function applyChanges(target: WriteTarget, changes: readonly RecordChange[]): void {
  const before = target.space.bytes;
  for (const change of changes) changeWriters[change.kind](target, change as never);
  countWrittenBytes(target, changes, target.space.bytes - before);
  numberChanges(target, changes);
}
