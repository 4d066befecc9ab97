import { compileAudience } from '../../src/domain/evaluation/compiled-audience.ts';
import { compileEvaluable } from '../../src/domain/evaluation/compiled-flag.ts';
import type { Flag } from '../../src/domain/flag/flag.ts';
import { idKey } from '../../src/storage/keys/key-parts.ts';
import { flagRecord, skimFlag } from '../../src/storage/tables/flags.ts';
import { type MicroBench, overEach } from './micro-bench.ts';
import { sampleEvaluableAudience, sampleFlags, sampleLongFlags, sampleProject } from './micro-samples.ts';

/** The record that a cache miss reads, copied out of the memory map. */
function recordsOf(flags: readonly Flag[]): readonly { readonly key: Buffer; readonly bytes: Buffer }[] {
  return flags.map((flag) => ({ key: idKey(flag.id), bytes: flagRecord.encode(idKey(flag.id), flag) }));
}

const member = new TextEncoder().encode('customer-999');
/** All the work of a cache miss except finding the bytes, and one look-up in the flag's cohorts. */
function missEach(flags: readonly Flag[]): ReturnType<typeof overEach> {
  const audience = sampleEvaluableAudience();
  const compiledAudience = compileAudience(audience);
  const audienceById = (id: string) => (id === audience.id ? compiledAudience : undefined);
  return overEach(recordsOf(flags), ({ key, bytes }) => {
    const compiled = compileEvaluable(skimFlag(key, bytes), sampleProject, audienceById);
    const cohorts = compiled.sole?.cohorts ?? null;
    cohorts?.has(member, 0, member.length);
    return compiled.sizeBytes;
  });
}

/** Claim: making a flag ready takes at most 10 µs, so that a cache miss, or a change of a flag, stays cheap. */
export const compileBench: MicroBench = {
  name: 'compile',
  title: 'What a cache miss does with a flag once its bytes are found',
  operation: 'flags',
  base: 'decode the record',
  contenders: {
    'decode the record': {
      what: 'checksum, and a string for each entry of a list: what a change of a flag needs, and a miss does without',
      prepare: () =>
        overEach(recordsOf(sampleFlags), ({ key, bytes }) => flagRecord.decode(key, bytes).revision),
    },
    'read in the record': {
      what: 'checksum, and where the lists lie: what a miss does instead',
      prepare: () => overEach(recordsOf(sampleFlags), ({ key, bytes }) => skimFlag(key, bytes).cohorts.end),
    },
    'a miss': {
      what: 'read in the record, then lists, audience, threshold, hash of the id, and both answers',
      prepare: () => missEach(sampleFlags),
    },
    'a miss with a long list': {
      what: 'the same of a flag with 1,000 cohorts, with their index',
      prepare: () => missEach(sampleLongFlags),
    },
  },
  claims: [{ what: 'flags made ready a second', contender: 'a miss', of: 'value', atLeast: 100_000 }],
};
