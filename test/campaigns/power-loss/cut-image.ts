import type { Random } from '../../support/random.ts';
import type { DiskEvent } from '../disk/disk-shim.ts';

/** The unit that a disk writes atomically. */
const sectorBytes = 512;

/**
 * A file on a disk whose power can fail. Synced bytes stay. Each sector written since may hold the synced version or
 * any later one. A write to a descriptor that syncs makes only its own sectors durable.
 */
class Disk {
  readonly #durable: Buffer;
  #durableBytes = 0;
  /** The content as programs see it. */
  readonly #current: Buffer;
  #currentBytes = 0;
  /** By sector: the versions written since the last sync, oldest first. */
  readonly #pending = new Map<number, Buffer[]>();

  constructor(capacity: number) {
    this.#durable = Buffer.alloc(capacity);
    this.#current = Buffer.alloc(capacity);
  }

  write(offset: number, bytes: Buffer): void {
    bytes.copy(this.#current, offset);
    this.#currentBytes = Math.max(this.#currentBytes, offset + bytes.length);
    for (const sector of sectorsOf(offset, bytes.length)) {
      const versions = this.#pending.get(sector) ?? [];
      versions.push(Buffer.from(this.#sector(sector)));
      this.#pending.set(sector, versions);
    }
  }

  truncate(length: number): void {
    this.#current.fill(0, Math.min(length, this.#currentBytes));
    this.#currentBytes = length;
  }

  sync(): void {
    for (const sector of this.#pending.keys()) this.#makeDurable(sector);
    this.#pending.clear();
    this.#durableBytes = this.#currentBytes;
  }

  syncRange(offset: number, length: number): void {
    for (const sector of sectorsOf(offset, length)) this.#makeDurable(sector);
    for (const sector of sectorsOf(offset, length)) this.#pending.delete(sector);
  }

  /** @param keepShare the probability that a sector has an unsynced version */
  cut(random: Random, keepShare: number): Buffer {
    const image = Buffer.from(this.#durable);
    let length = this.#durableBytes;
    for (const [sector, versions] of this.#pending) {
      if (!random.chance(keepShare)) continue;
      const version = random.chance(0.7) ? versions.at(-1) : random.pick(versions);
      version?.copy(image, sector * sectorBytes);
      length = Math.max(length, sector * sectorBytes + (version?.length ?? 0));
    }
    return image.subarray(0, length);
  }

  get pendingSectors(): number {
    return this.#pending.size;
  }

  #sector(sector: number): Buffer {
    const end = Math.min((sector + 1) * sectorBytes, this.#currentBytes);
    return this.#current.subarray(sector * sectorBytes, end);
  }

  #makeDurable(sector: number): void {
    const bytes = this.#sector(sector);
    bytes.copy(this.#durable, sector * sectorBytes);
    this.#durableBytes = Math.max(this.#durableBytes, sector * sectorBytes + bytes.length);
  }
}

function sectorsOf(offset: number, length: number): number[] {
  const first = Math.floor(offset / sectorBytes);
  const last = Math.floor((offset + length - 1) / sectorBytes);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

export interface Cut {
  readonly image: Buffer;
  /** The written and unsynced sectors. */
  readonly pendingSectors: number;
}

/** @param end how many events happened before the power failed */
export function cutImage(events: readonly DiskEvent[], end: number, random: Random, keepShare: number): Cut {
  const disk = new Disk(capacityFor(events));
  for (const event of events.slice(0, end)) {
    if (event.kind === 'write') {
      disk.write(event.offset, event.bytes);
      if (event.isSynced) disk.syncRange(event.offset, event.bytes.length);
    } else if (event.kind === 'sync') disk.sync();
    else if (event.kind === 'truncate') disk.truncate(event.length);
  }
  // The call under way when the power fails has done part of its work, and counts as not synced.
  const underWay = events[end];
  if (underWay?.kind === 'write') disk.write(underWay.offset, underWay.bytes);
  return { image: disk.cut(random, keepShare), pendingSectors: disk.pendingSectors };
}

function capacityFor(events: readonly DiskEvent[]): number {
  const ends = events.map((event) => {
    if (event.kind === 'write') return event.offset + event.bytes.length;
    return event.kind === 'truncate' ? event.length : 0;
  });
  return Math.max(0, ...ends) + sectorBytes;
}
