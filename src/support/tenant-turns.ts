import { assert } from './assert.ts';
import { accountNameOf, type Tenant } from './fair-share.ts';

/** What waits for one project. */
interface Line<T> {
  readonly tenant: Tenant;
  readonly items: Set<T>;
}

/**
 * What waits to be done, one after another: organisations take turns, within one its projects do, and within a project the
 * order of arrival counts.
 */
export class TenantTurns<T extends object> {
  /** By account and project; the first of each is the next. */
  readonly #accounts = new Map<string, Map<string, Line<T>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** What waits already keeps its place. */
  add(tenant: Tenant, item: T): void {
    const account = accountNameOf(tenant);
    const lines = this.#accounts.get(account) ?? new Map<string, Line<T>>();
    const line = lines.get(tenant.projectId) ?? { tenant, items: new Set<T>() };
    if (line.items.has(item)) return;
    line.items.add(item);
    this.#accounts.set(account, lines.set(tenant.projectId, line));
    this.#size += 1;
  }

  /** @returns whether it waited; it does not any more */
  delete(tenant: Tenant, item: T): boolean {
    const lines = this.#accounts.get(accountNameOf(tenant));
    const line = lines?.get(tenant.projectId);
    if (lines === undefined || line?.items.delete(item) !== true) return false;
    this.#size -= 1;
    if (line.items.size === 0) lines.delete(tenant.projectId);
    if (lines.size === 0) this.#accounts.delete(accountNameOf(tenant));
    return true;
  }

  /** @returns the next one, which does not wait any more */
  take(): T | undefined {
    for (const [account, lines] of this.#accounts) {
      for (const [projectId, line] of lines) {
        const [item] = line.items;
        assert(item !== undefined, 'a project without anything that waits has no line');
        line.items.delete(item);
        this.#size -= 1;
        putLast(lines, projectId, line, line.items.size);
        putLast(this.#accounts, account, lines, lines.size);
        return item;
      }
    }
    return undefined;
  }
}

/** Moves an entry to the end of the line; one in which nothing waits leaves. */
function putLast<V>(line: Map<string, V>, key: string, value: V, waiting: number): void {
  line.delete(key);
  if (waiting > 0) line.set(key, value);
}
