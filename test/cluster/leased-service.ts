import { loadConfig } from '../../src/config/load-config.ts';
import { claimDirectory } from '../../src/storage/lmdb/claim.ts';
import { startService } from '../../src/supervisor/service.ts';
import { LeaseCell } from '../../src/support/lease-cell.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import type { Settings } from '../support/burgee-command.ts';
import { freePort } from '../support/free-port.ts';
import type { Lifetime } from '../support/lifetime.ts';

export interface LeasedService {
  readonly port: number;
  readonly adminPort: number;
}

/**
 * The service as `burgee serve` starts it, in this process, with a lease that the test renews. It is gone when the test
 * ends.
 */
export async function startLeased(
  t: Lifetime,
  dataDir: string,
  leaseMemory: SharedArrayBuffer | null,
  settings: Settings = {},
): Promise<LeasedService> {
  const adminPort = await freePort();
  const environment = {
    BURGEE_DATA_DIR: dataDir,
    BURGEE_PORT: '0',
    BURGEE_ADMIN_PORT: String(adminPort),
    BURGEE_WORKERS: '1',
    BURGEE_LOG_LEVEL: 'silent',
    ...settings,
  };
  const loaded = loadConfig({ flags: new Map(), configFile: undefined, environment });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const claim = claimDirectory(dataDir);
  t.teardown(() => claim.release());
  const service = await startService(loaded.config, leaseMemory);
  t.teardown(() => service.stop());
  return { port: service.port, adminPort };
}

const longMs = 50_000;

/** A lease as whoever renews it writes it. */
export class TestLease {
  readonly #cell: LeaseCell;

  constructor(memory: SharedArrayBuffer) {
    this.#cell = new LeaseCell(memory);
  }

  renew(): void {
    this.#cell.renew(monotonicMs() + longMs, Date.now() + longMs);
  }

  /** Its time is over. */
  expire(): void {
    this.#cell.renew(monotonicMs(), Date.now());
  }

  /** As if the wall clock had been set, so far ahead, since the renewal. */
  setWallClock(aheadMs: number): void {
    this.#cell.renew(monotonicMs() + longMs, Date.now() + longMs - aheadMs);
  }
}
