import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import type { SyncSnapshot } from '../../domain/sync/configuration.ts';
import { messageOf } from '../../support/message-of.ts';
import { warn } from '../warn.ts';
import { parseJson, parseVersion, readSnapshot } from './sync-shapes.ts';

/** A file with more bytes is neither read nor written. */
const fileBytesMax = 64 * 1024 * 1024;

/**
 * Reads a configuration from a file. A file that is missing, damaged, too large or of another project causes a warning: a
 * start must not fail because of it.
 * @param isExpected whether a missing file deserves a warning
 */
export async function readConfigurationFile(
  path: string | URL,
  isExpected: boolean,
): Promise<SyncSnapshot | null> {
  try {
    const { size } = await stat(path);
    if (size > fileBytesMax) throw new Error(`it has more than ${fileBytesMax} bytes`);
    return readSnapshot(parseJson(await readFile(path, 'utf8')));
  } catch (fault) {
    const isMissing = (fault as NodeJS.ErrnoException).code === 'ENOENT';
    if (isExpected || !isMissing) warn(`the configuration in ${path} is not used: ${messageOf(fault)}`);
    return null;
  }
}

/** @returns the newer of two configurations of one history; otherwise the chosen one */
export function newerOf(chosen: SyncSnapshot | null, kept: SyncSnapshot | null): SyncSnapshot | null {
  if (chosen === null || kept === null) return chosen ?? kept;
  const [one, other] = [parseVersion(chosen.version), parseVersion(kept.version)];
  return one.history === other.history && other.number > one.number ? kept : chosen;
}

let files = 0;

/**
 * Writes the newest configuration to a file, at most once per interval. It writes a temporary file and renames it, so that
 * a reader always finds a whole one. Only its owner may read it, because it names cohorts. It holds no token.
 */
export class CacheFile {
  readonly #path: string;
  readonly #content: () => SyncSnapshot | null;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | null = null;
  #isDue = false;
  #writing: Promise<void> | null = null;

  /** @param content called when the file is written */
  constructor(path: string, content: () => SyncSnapshot | null, intervalMs: number) {
    this.#path = path;
    this.#content = content;
    this.#intervalMs = intervalMs;
  }

  /** Call it after each change. The first change is written at once, later ones together. */
  note(): void {
    this.#isDue = true;
    if (this.#timer === null) this.#writeAndRest();
  }

  #writeAndRest(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#isDue) this.#writeAndRest();
    }, this.#intervalMs).unref();
    void this.flush();
  }

  /** Writes pending changes. Never rejects: a file that cannot be written causes a warning. */
  async flush(): Promise<void> {
    // Another caller may have begun a write when this one ended.
    do await this.#writing;
    while (this.#writing !== null);
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#writing = this.#write();
    await this.#writing;
    this.#writing = null;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    files += 1;
    const temporary = `${this.#path}.${process.pid}-${files}-${Math.random().toString(36).slice(2, 8)}.tmp`;
    try {
      const text = JSON.stringify(this.#content());
      if (text.length > fileBytesMax) throw new Error(`it would have more than ${fileBytesMax} bytes`);
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.#path);
    } catch (fault) {
      await rm(temporary, { force: true }).catch(() => undefined);
      warn(`the cache file ${this.#path} cannot be written: ${messageOf(fault)}`);
    }
  }
}
