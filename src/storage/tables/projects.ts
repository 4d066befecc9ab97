import type { Project } from '../../domain/project/project.ts';
import type { Finding, StoreWalk } from '../check/store-walk.ts';
import { allOf, findById } from '../record-index.ts';
import { recordCodec } from '../records/record-codec.ts';
import { memberRecord } from './members.ts';
import { organisationRecord } from './organisations.ts';
import { replacedTable } from './table.ts';

/** Rows from before environments could be protected end after the name. */
type EnvironmentRow = readonly [number: number, name: string, isProtected?: boolean];

export const projectRecord = recordCodec({
  database: 'projects',
  version: 1,
  toRow: (it: Project) => [
    it.id,
    it.name,
    it.organisationId,
    it.ownerMemberId,
    it.isMultiEnvironment,
    it.environments.map(({ number, name, isProtected }): EnvironmentRow => [number, name, isProtected]),
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

export const projectTable = replacedTable({
  kind: 'project',
  codec: projectRecord,
  answers: {
    project: ({ source }, id) => findById(source, projectRecord, id),
    projects: ({ source }) => allOf(source, projectRecord),
  },
  logged: ({ id }) => ({ kind: 'project', projectId: id, id, environment: null }),
  examine: checkProject,
});

function* checkProject(walk: StoreWalk, project: Project): Generator<Finding> {
  const where = `projects/${project.id}`;
  const { organisationId, ownerMemberId, environments, nextEnvironmentNumber } = project;
  if ((organisationId === null) === (ownerMemberId === null)) {
    yield { where, what: 'has not exactly one of an organisation and an owner' };
  }
  if (organisationId !== null) yield* walk.reference(where, organisationRecord, organisationId);
  if (ownerMemberId !== null) yield* walk.reference(where, memberRecord, ownerMemberId);
  if (!project.isMultiEnvironment && environments.length > 0) {
    yield { where, what: 'is of a single environment, but lists environments' };
  }
  const numbers = new Set(environments.map(({ number }) => number));
  const names = new Set(environments.map(({ name }) => name));
  if (numbers.size < environments.length || names.size < environments.length) {
    yield { where, what: 'lists an environment twice' };
  }
  if (environments.some(({ number }) => number >= nextEnvironmentNumber)) {
    yield { where, what: 'has an environment whose number is yet to be given' };
  }
}
