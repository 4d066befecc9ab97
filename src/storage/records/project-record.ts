import type { Project } from '../../domain/project/project.ts';
import { recordCodec } from './record-codec.ts';

/** Rows that were written before environments could be protected end after the name. */
type EnvironmentRow = readonly [number: number, name: string, isProtected?: boolean];

type ProjectRow = readonly [
  id: string,
  name: string,
  organisationId: string | null,
  ownerMemberId: string | null,
  isMultiEnvironment: boolean,
  environments: readonly EnvironmentRow[],
  nextEnvironmentNumber: number,
  environmentsRevision: number,
  evaluationAccess: boolean,
  createdAt: number,
  revision: number,
];

export const projectRecord = recordCodec<Project, ProjectRow>({
  database: 'projects',
  version: 1,
  toRow: (it) => [
    it.id,
    it.name,
    it.organisationId,
    it.ownerMemberId,
    it.isMultiEnvironment,
    it.environments.map(({ number, name, isProtected }) => [number, name, isProtected] as const),
    it.nextEnvironmentNumber,
    it.environmentsRevision,
    it.evaluationAccess,
    it.createdAt,
    it.revision,
  ],
  fromRow: (row) => ({
    id: row[0],
    name: row[1],
    organisationId: row[2],
    ownerMemberId: row[3],
    isMultiEnvironment: row[4],
    environments: row[5].map(([number, name, isProtected = false]) => ({ number, name, isProtected })),
    nextEnvironmentNumber: row[6],
    environmentsRevision: row[7],
    evaluationAccess: row[8],
    createdAt: row[9],
    revision: row[10],
  }),
});
