import type { Member } from '../../domain/member/member.ts';
import type { Project } from '../../domain/project/project.ts';
import { memberRecord } from '../records/member-record.ts';
import { organisationRecord } from '../records/organisation-record.ts';
import { projectRecord } from '../records/project-record.ts';
import type { Finding } from './finding.ts';
import { misplaced, reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

/** Organisations, members and projects. */
export function* checkDirectory(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(organisationRecord, ({ key, record }) => misplaced(organisationRecord, key, record));
  yield* walk.records(memberRecord, function* ({ key, record }) {
    yield* misplaced(memberRecord, key, record);
    yield* checkMember(walk, record);
  });
  yield* walk.records(projectRecord, function* ({ key, record }) {
    yield* misplaced(projectRecord, key, record);
    yield* checkProject(walk, record);
  });
}

function* checkMember(walk: StoreWalk, member: Member): Generator<Finding> {
  if (member.organisationId !== null) {
    yield* reference(walk, `members/${member.id}`, organisationRecord, member.organisationId);
  }
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
