import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashAfterPrefix, hashPrefix } from '../../src/domain/evaluation/bucketing.ts';
import { repositoryRoot } from '../../test/support/repository-root.ts';
import { type MicroBench, overEach } from './micro-bench.ts';

const encoder = new TextEncoder();
const flagId = 'k3VvX0aPq7Lw2ZtR9bNd';

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** MurmurHash3_x86_32 as it is published: over a view that holds the whole key. */
function textbookHash(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const mix = (block: number): number => Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
  const whole = bytes.length & ~3;
  let hash = 0;
  for (let at = 0; at < whole; at += 4) {
    hash = (Math.imul(rotate(hash ^ mix(view.getInt32(at, true)), 13), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= whole; at -= 1) tail = (tail << 8) | view.getUint8(at);
  hash ^= mix(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function vectorKeys(): readonly string[] {
  const text = readFileSync(join(repositoryRoot(), 'test/bucketing-vectors.json'), 'utf8');
  const { vectors } = JSON.parse(text) as { readonly vectors: readonly { readonly key: string }[] };
  return vectors.map(({ key }) => key);
}

/** Claim: with the flag's id hashed beforehand and the key kept as bytes, a bucket costs at most half as much. */
export const hashBench: MicroBench = {
  name: 'hash',
  title: 'The bucketing hash of a flag id and each key of the bucketing vectors',
  operation: 'hashes',
  base: 'textbook murmur3',
  contenders: {
    'textbook murmur3': {
      what: 'MurmurHash3 over the output of a TextEncoder, id and key together',
      prepare: () => overEach(vectorKeys(), (key) => textbookHash(encoder.encode(flagId + key))),
    },
    hashAfterPrefix: {
      what: "the product's: the id's state is kept, the key is bytes already",
      prepare: () => {
        const id = encoder.encode(flagId);
        const state = hashPrefix(id);
        const keys = vectorKeys().map((key) => encoder.encode(key));
        return overEach(keys, (key) => hashAfterPrefix(state, id.length, key, 0, key.length));
      },
    },
  },
  claims: [{ what: 'hashes a second', contender: 'hashAfterPrefix', of: 'ratio', atLeast: 2 }],
};
