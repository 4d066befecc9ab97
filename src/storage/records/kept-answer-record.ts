import { type KeptAnswer, keptBytes } from '../../domain/idempotency/kept-answer.ts';
import { recordCodec } from './record-codec.ts';

type KeptAnswerRow = readonly [
  projectId: string,
  tokenId: string,
  key: string,
  keptAt: number,
  requestHash: Uint8Array,
  entityTag: string,
  body: string,
];

export const keptAnswerRecord = recordCodec<KeptAnswer, KeptAnswerRow>({
  database: 'kept-answers',
  version: 1,
  toRow: (it) => [it.projectId, it.tokenId, it.key, it.keptAt, it.requestHash, it.entityTag, it.body],
  fromRow: ([projectId, tokenId, key, keptAt, requestHash, entityTag, body]) => ({
    projectId,
    tokenId,
    key,
    keptAt,
    bytes: keptBytes(key, body),
    // A copy: what msgpack returns is a view of the whole record.
    requestHash: new Uint8Array(requestHash),
    entityTag,
    body,
  }),
});
