import { readdirSync, readFileSync } from 'node:fs';

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
