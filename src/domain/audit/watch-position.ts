import type { Project } from '../project/project.ts';
import type { RecordQueries } from '../record-queries.ts';

/** What somebody follows: the organisation that they belong to, if any, and the project that is open, if any. */
export interface Watched {
  readonly organisationId: string | null;
  readonly project: Project | null;
}

/** How much of the ledgers somebody knows: the sequence of the newest entry of each, 0 where there is none. */
export interface WatchPosition {
  /** Of the organisation's ledger, in which its projects' entries are, too. */
  readonly organisation: number;
  /** Of a personal project's own ledger. */
  readonly personal: number;
}

const pattern = /^(0|[1-9]\d{0,14})[.](0|[1-9]\d{0,14})$/;

/** @returns null for what `formatPosition` has not written. */
export function readPosition(text: string): WatchPosition | null {
  const [, organisation, personal] = pattern.exec(text) ?? [];
  if (organisation === undefined || personal === undefined) return null;
  return { organisation: Number(organisation), personal: Number(personal) };
}

/** A page keeps a position as this text, and gives it back. */
export function formatPosition({ organisation, personal }: WatchPosition): string {
  return `${organisation}.${personal}`;
}

/** A reading from now on knows everything up to here. */
export function newestPosition(queries: RecordQueries, { organisationId, project }: Watched): WatchPosition {
  return {
    organisation: organisationId === null ? 0 : queries.newestAuditSequence(organisationId),
    personal: project?.organisationId === null ? queries.newestAuditSequence(project.id) : 0,
  };
}

/** What somebody at a position knows who opens another project: nothing of its own ledger. @param text from `formatPosition` */
export function positionBesideProject(text: string): string {
  return formatPosition({ organisation: readPosition(text)?.organisation ?? 0, personal: 0 });
}
