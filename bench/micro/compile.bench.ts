import { compileFlag } from '../../src/domain/evaluation/compiled-flag.ts';
import { idKey } from '../../src/storage/keys/key-parts.ts';
import { flagRecord } from '../../src/storage/records/flag-record.ts';
import { type MicroBench, overEach } from './micro-bench.ts';
import { sampleAudienceById, sampleFlags, sampleProject } from './micro-samples.ts';

/** Claim: making a flag ready takes at most 10 µs, so that a cache miss, or a change of a flag, stays cheap. */
export const compileBench: MicroBench = {
  name: 'compile',
  title: 'What a cache miss does with a flag once its bytes are found',
  operation: 'flags',
  base: 'decode the record',
  contenders: {
    'decode the record': {
      what: 'checksum and msgpack, which a miss pays in any case',
      prepare: () => {
        const records = sampleFlags.map((flag) => {
          const key = idKey(flag.id);
          return { key, bytes: flagRecord.encode(key, flag) };
        });
        return overEach(records, ({ key, bytes }) => flagRecord.decode(key, bytes).revision);
      },
    },
    compileFlag: {
      what: 'cohort and audience sets, threshold, hash of the id, and both answers as bytes',
      prepare: () =>
        overEach(sampleFlags, (flag) => compileFlag(flag, sampleProject, sampleAudienceById).sizeBytes),
    },
  },
  claims: [{ what: 'flags compiled a second', contender: 'compileFlag', of: 'value', atLeast: 100_000 }],
};
