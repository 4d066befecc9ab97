import type { Project } from '../../domain/project/project.ts';
import { memberRecord } from '../records/member-record.ts';
import { organisationRecord } from '../records/organisation-record.ts';
import { projectRecord } from '../records/project-record.ts';
import { checkMembers } from './check-members.ts';
import type { Finding } from './finding.ts';
import { misplaced, reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

/** Organisations, members and projects. */
export function* checkDirectory(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(organisationRecord, ({ key, record }) => misplaced(organisationRecord, key, record));
  yield* checkMembers(walk);
  yield* walk.records(projectRecord, function* ({ key, record }) {
    yield* misplaced(projectRecord, key, record);
    yield* checkProject(walk, record);
  });
}

function* checkProject(walk: StoreWalk, project: Project): Generator<Finding> {
  const where = `projects/${project.id}`;
  const { organisationId, ownerMemberId, environments, nextEnvironmentNumber } = project;
  if ((organisationId === null) === (ownerMemberId === null)) {
    yield { where, what: 'has not exactly one of an organisation and an owner' };
  }
  if (organisationId !== null) yield* reference(walk, where, organisationRecord, organisationId);
  if (ownerMemberId !== null) yield* reference(walk, where, memberRecord, ownerMemberId);
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
