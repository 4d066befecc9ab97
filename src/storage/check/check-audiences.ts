import { audienceIndex } from '../record-indexes.ts';
import { audienceRecord } from '../records/audience-record.ts';
import { projectRecord } from '../records/project-record.ts';
import type { Finding } from './finding.ts';
import { misplaced, reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

export function* checkAudiences(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(audienceRecord, function* ({ key, record }) {
    yield* misplaced(audienceRecord, key, record);
    yield* walk.indexed(audienceIndex, record);
    yield* reference(walk, `audiences/${record.id}`, projectRecord, record.projectId);
  });
  yield* walk.index(audienceIndex, audienceRecord);
}
