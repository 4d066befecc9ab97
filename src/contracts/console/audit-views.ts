import { type Static, Type } from 'typebox';
import type { ChainedEntry } from '../../domain/audit/audit-entry.ts';
import { changesFromText } from '../../domain/audit/recorded-changes.ts';
import { shownChange } from '../../domain/audit/shown-changes.ts';
import { id, nullable, shape, text, time } from './view-parts.ts';

const sideCounts = shape({ before: Type.Integer({ minimum: 0 }), after: Type.Integer({ minimum: 0 }) });

export const auditEntryViewSchema = shape({
  id,
  at: time,
  actor: shape({
    kind: Type.Union([
      Type.Literal('token'),
      Type.Literal('member'),
      Type.Literal('operator'),
      Type.Literal('anonymous'),
    ]),
    id: text,
    name: text,
  }),
  action: text,
  projectId: nullable(id),
  projectName: nullable(text),
  targetId: text,
  targetName: text,
  environment: nullable(text),
  changes: Type.Array(
    shape({
      field: text,
      before: Type.Unknown(),
      after: Type.Unknown(),
      /**
       * Null for short lists. For a long list, `before` has the items that only the old list has and `after` those that
       * only the new one has, at most 100 each, and these numbers count the items beyond them. A rule with many values
       * has a `cut` too.
       */
      cut: nullable(sideCounts),
      /** Length of the whole lists, where `cut` is not null. */
      totals: nullable(sideCounts),
    }),
  ),
  requestId: nullable(text),
  address: nullable(text),
});
export type AuditEntryView = Static<typeof auditEntryViewSchema>;

/** Newest first. */
export const auditPageSchema = shape({
  entries: Type.Array(auditEntryViewSchema),
  /** Present names of the audiences whose ids occur in the changes; deleted audiences are missing. */
  audienceNames: Type.Record(Type.String(), text),
  /** The newest sequence that was dropped because of its age; 0 for none. No page has entries up to it. */
  droppedThrough: Type.Integer({ minimum: 0 }),
  /** The cursor of the next page; null at the end. */
  nextCursor: nullable(text),
});
export type AuditPage = Static<typeof auditPageSchema>;

/**
 * An entry as the console shows it.
 * @param projectName present name of its project; null when it concerns none
 */
export function auditEntryView(
  { entry, changesJson }: ChainedEntry,
  projectName: string | null,
): AuditEntryView {
  const { id, at, actor, action, projectId, targetId, targetName, environment, requestId, address } = entry;
  const changes = changesFromText(changesJson).map(shownChange);
  const target = { targetId, targetName, environment, changes };
  return { id, at, actor: { ...actor }, action, projectId, projectName, ...target, requestId, address };
}
