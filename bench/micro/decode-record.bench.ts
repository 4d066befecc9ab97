import type { Flag, FlagState } from '../../src/domain/flag/flag.ts';
import { idKey } from '../../src/storage/keys/key-parts.ts';
import { flagRecord } from '../../src/storage/tables/flags.ts';
import { type MicroBench, overEach } from './micro-bench.ts';
import { sampleFlags } from './micro-samples.ts';

type PlainFlag = Omit<Flag, 'states'> & { readonly states: readonly (readonly [number, FlagState])[] };

function decodeStandard(bytes: Buffer): Flag {
  const plain = JSON.parse(bytes.toString('utf8')) as PlainFlag;
  return { ...plain, states: new Map(plain.states) };
}

/** Claim: decoding a flag's record, with its checksum, is at least as fast as JSON text. */
export const decodeRecordBench: MicroBench = {
  name: 'decode-record',
  title: 'Flags made from bytes of the disk',
  operation: 'records decoded',
  base: 'JSON.parse',
  contenders: {
    'JSON.parse': {
      what: 'from UTF-8 bytes of JSON text, without a checksum',
      prepare: () => {
        const texts = sampleFlags.map((flag) =>
          Buffer.from(JSON.stringify({ ...flag, states: [...flag.states] })),
        );
        return overEach(texts, (bytes) => decodeStandard(bytes).revision);
      },
    },
    flagRecord: {
      what: "the product's: a CRC-32 is checked, then msgpack",
      prepare: () => {
        const records = sampleFlags.map((flag) => {
          const key = idKey(flag.id);
          return { key, bytes: flagRecord.encode(key, flag) };
        });
        return overEach(records, ({ key, bytes }) => flagRecord.decode(key, bytes).revision);
      },
    },
  },
  claims: [{ what: 'records decoded a second', contender: 'flagRecord', of: 'ratio', atLeast: 1 }],
};
