import { idKey } from '../../src/storage/keys/key-parts.ts';
import { flagRecord } from '../../src/storage/tables/flags.ts';
import { type MicroBench, overEach } from './micro-bench.ts';
import { sampleFlags } from './micro-samples.ts';

/** Claim: encoding a flag's record, with its checks and its checksum, costs at most twice what JSON text does. */
export const encodeRecordBench: MicroBench = {
  name: 'encode-record',
  title: 'Flags made into bytes for the disk',
  operation: 'records encoded',
  base: 'JSON.stringify',
  contenders: {
    'JSON.stringify': {
      what: 'UTF-8 bytes of JSON text, without a checksum',
      prepare: () =>
        overEach(
          sampleFlags,
          (flag) => Buffer.from(JSON.stringify({ ...flag, states: [...flag.states] })).length,
        ),
    },
    flagRecord: {
      what: "the product's: msgpack, a check of every string, and a CRC-32",
      prepare: () => {
        const records = sampleFlags.map((flag) => ({ key: idKey(flag.id), flag }));
        return overEach(records, ({ key, flag }) => flagRecord.encode(key, flag).length);
      },
    },
  },
  claims: [{ what: 'records encoded a second', contender: 'flagRecord', of: 'ratio', atLeast: 0.5 }],
};
