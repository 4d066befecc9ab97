import { readdirSync, readFileSync } from 'node:fs';
import { readStatistics } from '../../src/storage/store-statistics.ts';
import type { Scrape } from '../admin/admin-fixture.ts';

/** Resources that requests take, and give back when they end. */
const taken = [
  'burgee_management_requests_in_flight',
  'burgee_console_requests_in_flight',
  'burgee_writer_queue_depth',
  'burgee_writer_queue_bytes',
  'burgee_long_answers_in_flight',
  'burgee_unsent_answer_bytes',
  'burgee_pinned_snapshots',
  'burgee_body_bytes',
];

/** @returns the resources that are still held, and how much of each; empty if none is */
export function stillTaken(scrape: Scrape): string {
  const held = taken.map((name) => [name, scrape.value(name)] as const).filter(([, value]) => value !== 0);
  return held.map(([name, value]) => `${name} is ${value}`).join(', ');
}

const pageBytes = 4096;

/** @returns the process's own memory in bytes, without mapped pages of its data file */
export function ownBytesOf(pid: number): number {
  const [, resident, shared] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
  return ((resident ?? 0) - (shared ?? 0)) * pageBytes;
}

export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function inMegabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

/** @returns bytes of pages that hold something. Freed ones are used again before the file grows. */
export function storedBytes(dataDir: string): number {
  const { usedPages, pageBytes } = readStatistics(dataDir);
  return usedPages * pageBytes;
}
