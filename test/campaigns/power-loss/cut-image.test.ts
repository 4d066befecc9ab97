import t from 'tap';
import { createRandom } from '../../support/random.ts';
import type { DiskEvent } from '../disk/disk-shim.ts';
import { cutImage } from './cut-image.ts';

function write(offset: number, text: string, isSynced = false): DiskEvent {
  return { kind: 'write', offset, bytes: Buffer.from(text.repeat(512)), isSynced };
}

/** For each sector, the first letters that it had after many cuts. */
function outcomes(events: readonly DiskEvent[], end: number): string[] {
  const seen = new Set<string>();
  for (let seed = 0; seed < 200; seed += 1) {
    const { image } = cutImage(events, end, createRandom(seed), 0.5);
    const letters = Array.from({ length: Math.ceil(image.length / 512) }, (_, sector) => image[sector * 512]);
    seen.add(letters.map((byte) => (byte === 0 ? '-' : String.fromCharCode(byte ?? 0))).join(''));
  }
  return [...seen].sort();
}

t.test('synced bytes stay; each sector written since may hold any of its versions', async (t) => {
  const events = [write(0, 'ab'), { kind: 'sync' } as const, write(0, 'c'), write(0, 'd')];
  t.same(outcomes(events, 2), ['aa', 'ca'], 'the write under way may have reached the disk');
  t.same(outcomes(events, 3), ['aa', 'ca', 'da']);
  t.same(outcomes([...events, { kind: 'sync' }], 5), ['da']);
});

t.test('a write to a descriptor that syncs makes its own sectors durable and no others', async (t) => {
  const events = [write(512, 'x'), write(0, 'm', true)];
  t.same(outcomes(events, 2), ['m', 'mx']);
});

t.test('a file may have grown without its content', async (t) => {
  const events = [write(0, 'a'), { kind: 'sync' } as const, write(512, 'b'), write(1024, 'c')];
  t.same(outcomes(events, 4), ['a', 'a-c', 'ab', 'abc']);
});
