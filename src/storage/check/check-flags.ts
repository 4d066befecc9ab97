import type { Flag, FlagState } from '../../domain/flag/flag.ts';
import { environmentNumbers, type Project } from '../../domain/project/project.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { idKey } from '../keys/key-parts.ts';
import { flagIndex } from '../record-indexes.ts';
import { audienceRecord } from '../records/audience-record.ts';
import { flagRecord } from '../records/flag-record.ts';
import { projectRecord } from '../records/project-record.ts';
import type { Finding } from './finding.ts';
import { misplaced, reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

export function* checkFlags(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(flagRecord, function* ({ key, record }) {
    yield* misplaced(flagRecord, key, record);
    yield* walk.indexed(flagIndex, record);
    yield* checkFlag(walk, record);
  });
  yield* walk.index(flagIndex, flagRecord);
}

function* checkFlag(walk: StoreWalk, flag: Flag): Generator<Finding> {
  const where = `flags/${flag.id}`;
  yield* reference(walk, where, projectRecord, flag.projectId);
  const project = isIdShaped(flag.projectId) ? walk.find(projectRecord, idKey(flag.projectId)) : null;
  for (const [environmentNumber, state] of flag.states) {
    if (project !== null && isOfDeleted(project, environmentNumber)) continue;
    if (project !== null && !environmentNumbers(project).includes(environmentNumber)) {
      yield {
        where,
        what: `has a state for environment ${environmentNumber}, which its project never had`,
      };
    }
    yield* checkState(walk, flag, state, where);
  }
}

/** States of a deleted environment stay until their flag is edited, and count for nothing: their audience may be gone. */
function isOfDeleted(project: Project, environmentNumber: number): boolean {
  const wasGiven = project.isMultiEnvironment && environmentNumber < project.nextEnvironmentNumber;
  return wasGiven && !environmentNumbers(project).includes(environmentNumber);
}

function* checkState(walk: StoreWalk, flag: Flag, state: FlagState, where: string): Generator<Finding> {
  const { audienceId, cohortOverride, trafficPercentage } = state;
  if (!Number.isInteger(trafficPercentage) || trafficPercentage < 0 || trafficPercentage > 100) {
    yield { where, what: `has a state with traffic percentage ${trafficPercentage}` };
  }
  if (cohortOverride?.length === 0) yield { where, what: 'has a state with an empty cohort override' };
  if (audienceId === null) return;
  yield* reference(walk, where, audienceRecord, audienceId);
  const audience = isIdShaped(audienceId) ? walk.find(audienceRecord, idKey(audienceId)) : null;
  if (audience !== null && audience.projectId !== flag.projectId) {
    yield { where, what: `refers to audiences/${audienceId}, which is of another project` };
  }
}
