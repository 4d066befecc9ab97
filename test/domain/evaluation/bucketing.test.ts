import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  hashAfterPrefix,
  hashPrefix,
  murmur3,
  rolloutThreshold,
} from '../../../src/domain/evaluation/bucketing.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

interface Vector {
  readonly flagId: string;
  readonly key: string;
  readonly utf8Hex: string;
  readonly murmur3_x86_32: number;
  readonly bucket100: number;
  readonly onAt: Readonly<Record<string, boolean>>;
}

const encoder = new TextEncoder();
const file = readFileSync(join(repositoryRoot(), 'test/bucketing-vectors.json'), 'utf8');
const { vectors } = JSON.parse(file) as { readonly vectors: readonly Vector[] };

t.ok(vectors.length >= 23, 'the published vectors may only grow');

for (const vector of vectors) {
  const label = `${JSON.stringify(vector.flagId)} + ${JSON.stringify(vector.key)}`;
  const bytes = encoder.encode(vector.flagId + vector.key);
  t.equal(Buffer.from(bytes).toString('hex'), vector.utf8Hex, `${label}: UTF-8`);
  t.equal(murmur3(bytes), vector.murmur3_x86_32, `${label}: hash`);
  for (const [percentage, isOn] of Object.entries(vector.onAt)) {
    t.equal(murmur3(bytes) < rolloutThreshold(Number(percentage)), isOn, `${label}: at ${percentage} %`);
  }
}

t.test('a prefix hashed in advance gives the same hash', async (t) => {
  for (const vector of vectors.filter(({ flagId }) => encoder.encode(flagId).length % 4 === 0)) {
    const prefix = encoder.encode(vector.flagId);
    const key = encoder.encode(`--${vector.key}--`);
    const hash = hashAfterPrefix(hashPrefix(prefix), prefix.length, key, 2, key.length - 2);
    t.equal(hash, vector.murmur3_x86_32, JSON.stringify(vector.key));
  }
});

t.test('a prefix that does not end at a block is refused', async (t) => {
  t.throws(() => hashPrefix(encoder.encode('abc')), RangeError);
});

t.test('the threshold of a percentage is the smallest hash outside of it', async (t) => {
  t.equal(rolloutThreshold(0), 0);
  t.equal(rolloutThreshold(100), 2 ** 32);
  for (let percentage = 1; percentage <= 100; percentage += 1) {
    const exact = (BigInt(percentage) * 2n ** 32n + 99n) / 100n;
    t.equal(BigInt(rolloutThreshold(percentage)), exact, `${percentage} %`);
  }
});

t.test('a million keys fall evenly into a hundred buckets', async (t) => {
  const keys = 1_000_000;
  const prefix = hashPrefix(encoder.encode('0123456789ABCDEFGHIJ'));
  const counts = new Array<number>(100).fill(0);
  for (let key = 0; key < keys; key += 1) {
    const bytes = encoder.encode(`user-${key}`);
    const bucket = Math.floor((hashAfterPrefix(prefix, 20, bytes, 0, bytes.length) * 100) / 2 ** 32);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const expected = keys / 100;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // With 99 degrees of freedom a fair hash exceeds 148.2 once in a thousand. These keys never change.
  t.ok(chiSquare < 148.2, `chi-square ${chiSquare.toFixed(1)} is below 148.2`);
});
