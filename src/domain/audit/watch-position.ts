import type { Project } from '../project/project.ts';
import type { RecordQueries } from '../record-queries.ts';

/** What a person watches: their organisation, if any, and the open project, if any. */
export interface Watched {
  readonly organisationId: string | null;
  readonly project: Project | null;
}

/** How far a page has read the ledgers: the sequence of the newest known entry of each, 0 for none. */
export interface WatchPosition {
  /** The history of the store: sequences of another one have no meaning here. Empty before the store has one. */
  readonly history: string;
  /** In the organisation's ledger, which has its projects' entries too. */
  readonly organisation: number;
  /** In a personal project's own ledger. */
  readonly personal: number;
}

const pattern = /^(?:(\w{1,64})-)?(0|[1-9]\d{0,14})[.](0|[1-9]\d{0,14})$/;

/** @returns null for a text that `formatPosition` has not written. */
export function readPosition(text: string): WatchPosition | null {
  const [, history = '', organisation, personal] = pattern.exec(text) ?? [];
  if (organisation === undefined || personal === undefined) return null;
  return { history, organisation: Number(organisation), personal: Number(personal) };
}

/** A page keeps a position as this text, and sends it back. */
export function formatPosition({ history, organisation, personal }: WatchPosition): string {
  return `${history === '' ? '' : `${history}-`}${organisation}.${personal}`;
}

/** The present position: reads from now on contain every change up to it. */
export function newestPosition(queries: RecordQueries, { organisationId, project }: Watched): WatchPosition {
  return {
    history: queries.auditHistory(),
    organisation: organisationId === null ? 0 : queries.newestAuditSequence(organisationId),
    personal: project?.organisationId === null ? queries.newestAuditSequence(project.id) : 0,
  };
}

/**
 * The position of a person who opens another project: nothing of its own ledger is known. @param text from
 * `formatPosition`
 */
export function positionBesideProject(text: string): string {
  const { history, organisation } = readPosition(text) ?? { history: '', organisation: 0 };
  return formatPosition({ history, organisation, personal: 0 });
}
