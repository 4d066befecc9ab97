import type { Token } from '../../domain/token/token.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { idKey, secretHashBytes } from '../keys/key-parts.ts';
import { tokenIndex, tokenSecretIndex } from '../record-indexes.ts';
import { projectRecord } from '../records/project-record.ts';
import { tokenRecord } from '../records/token-record.ts';
import type { Finding } from './finding.ts';
import { misplaced, reference } from './record-rules.ts';
import type { StoreWalk } from './store-walk.ts';

export function* checkTokens(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(tokenRecord, function* ({ key, record }) {
    yield* misplaced(tokenRecord, key, record);
    yield* walk.indexed(tokenIndex, record);
    yield* walk.indexed(tokenSecretIndex, record);
    yield* checkToken(walk, record);
  });
  yield* walk.index(tokenIndex, tokenRecord);
  yield* walk.index(tokenSecretIndex, tokenRecord);
}

function* checkToken(walk: StoreWalk, token: Token): Generator<Finding> {
  const where = `tokens/${token.id}`;
  yield* reference(walk, where, projectRecord, token.projectId);
  const project = isIdShaped(token.projectId) ? walk.find(projectRecord, idKey(token.projectId)) : null;
  if (project !== null && project.organisationId === null) {
    yield { where, what: 'is of a personal project, which cannot have tokens' };
  }
  if (token.secretHash.length !== secretHashBytes) {
    yield { where, what: `has a secret hash of ${token.secretHash.length} bytes` };
  }
}
