import type { AdminClient } from '../admin/admin-fixture.ts';
import { eventually, expect } from '../support/expectations.ts';

/** Longer than the service keeps a snapshot for a slow client, and longer than a backup of the soak's store takes. */
const keptMsMax = 60_000;
/** The service's own commits in that time: it commits its counts every few seconds. */
const otherCommits = 2000;
const releasedWithinMs = 10_000;

interface Look {
  readonly atMs: number;
  readonly changes: number;
}

/** Watches the metrics of open snapshots: a snapshot that stays open makes the file grow with every change. */
export class ReadersWatch {
  readonly #admin: AdminClient;
  readonly #workers: number;
  readonly #readersMax: number;
  readonly #looks: Look[] = [];
  mostReaders = 0;
  mostLag = 0;

  private constructor(admin: AdminClient, workers: number, readersBeside: number) {
    this.#admin = admin;
    this.#workers = workers;
    this.#readersMax = workers + readersBeside;
  }

  /** @param readersBeside readers in addition to the workers' own: those of long answers and of other processes */
  static async begin(admin: AdminClient, readersBeside: number): Promise<ReadersWatch> {
    const workers = (await admin.scrape()).value('burgee_workers_configured');
    return new ReadersWatch(admin, workers, readersBeside);
  }

  /**
   * @param changes the changes made so far.
   * @throws Error when more snapshots are open than there are readers, or one is too old
   */
  async look(changes: number): Promise<void> {
    const { readers, lag } = await this.#read();
    const atMs = performance.now();
    this.#looks.push({ atMs, changes });
    while (atMs - (this.#looks[0]?.atMs ?? atMs) > keptMsMax) this.#looks.shift();
    this.mostReaders = Math.max(this.mostReaders, readers);
    this.mostLag = Math.max(this.mostLag, lag);
    expect(readers <= this.#readersMax, `${readers} snapshots are open, not ${this.#readersMax} at most`);
    const lagMax = changes - (this.#looks[0]?.changes ?? 0) + otherCommits;
    expect(lag <= lagMax, `the oldest snapshot is ${lag} commits behind, not ${lagMax} at most`);
  }

  /** For the time after the last read. @throws Error unless soon only the workers' own snapshots are open */
  async end(): Promise<void> {
    const isReleased = async (): Promise<boolean> => (await this.#read()).readers <= this.#workers;
    await eventually(isReleased, releasedWithinMs, 'snapshots are not released');
  }

  async #read(): Promise<{ readonly readers: number; readonly lag: number }> {
    const scrape = await this.#admin.scrape();
    return {
      readers: scrape.value('burgee_store_readers'),
      lag: scrape.value('burgee_store_oldest_reader_lag_commits'),
    };
  }
}
