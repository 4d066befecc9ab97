import type { Root } from './environment.ts';

/** Who reads the store. A snapshot that somebody keeps makes the file grow with every change. */
export interface ReaderUse {
  /** Snapshots that are open, those of this process excepted. */
  readonly open: number;
  /** How many commits the oldest of them is behind; 0 when there is none. */
  readonly oldestLagCommits: number;
  /** Whose it is; null when there is none. */
  readonly oldestPid: number | null;
}

/** lmdb tells its readers as text: `pid thread commit`, with `-` for a reader that has no snapshot now. */
const readerLine = /^\s*(\d+)\s+\S+\s+(\d+)\s*$/gm;

/** @param commit the newest. */
export function readerUseOf(root: Root, commit: number): ReaderUse {
  const others = Array.from(root.readerList().matchAll(readerLine), ([, pid, seen]) => ({
    pid: Number(pid),
    lag: Math.max(0, commit - Number(seen)),
  })).filter(({ pid }) => pid !== process.pid);
  const oldest = others.reduce<(typeof others)[number] | null>(
    (found, reader) => (found === null || reader.lag > found.lag ? reader : found),
    null,
  );
  return { open: others.length, oldestLagCommits: oldest?.lag ?? 0, oldestPid: oldest?.pid ?? null };
}
