import { isDeepStrictEqual } from 'node:util';
import type { Project } from '../../domain/project/project.ts';
import { isSlug } from '../../domain/project/project-slug.ts';
import type { Finding, StoreWalk } from '../check/store-walk.ts';
import { idKey } from '../keys/key-parts.ts';
import { allOf, findById, type RecordIndex } from '../record-index.ts';
import { plain, recordOf, storedAs } from '../records/record-codec.ts';
import { memberRecord } from './members.ts';
import { organisationRecord } from './organisations.ts';
import { replacedTable } from './table.ts';

export const projectRecord = recordOf<Project>('projects', {
  id: plain,
  name: plain,
  organisationId: plain,
  ownerMemberId: plain,
  isMultiEnvironment: plain,
  environments: storedAs(
    (environments) =>
      environments.map(({ number, name, isProtected }) => [number, name, isProtected] as const),
    (rows) => rows.map(([number, name, isProtected]) => ({ number, name, isProtected })),
  ),
  nextEnvironmentNumber: plain,
  environmentsRevision: plain,
  evaluationAccess: plain,
  isProtected: plain,
  slugs: plain,
  isSlugPublic: plain,
  createdAt: plain,
  revision: plain,
});

/** Projects are never deleted, so a slug stays taken for good. */
const slugIndex: RecordIndex<Project> = {
  database: 'slugs',
  keysOf: ({ slugs }) => slugs.map((slug) => Buffer.from(slug)),
  hasSameKeys: (before, after) => isDeepStrictEqual(before.slugs, after.slugs),
  valueOf: ({ id }) => idKey(id),
  recordKeyOf: (_, value) => value,
};

export const projectTable = replacedTable({
  kind: 'project',
  codec: projectRecord,
  indexes: [slugIndex],
  answers: {
    project: ({ source }, id) => findById(source, projectRecord, id),
    projectWithSlug: ({ source }, slug) =>
      isSlug(slug) ? source.findEntry(slugIndex.database, Buffer.from(slug))?.toString('latin1') : undefined,
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
