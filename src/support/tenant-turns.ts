import { accountNameOf, type Tenant } from './fair-share.ts';

/**
 * What waits to be done, one after another: organisations take turns, within one its projects do, and within a project the
 * order of arrival counts.
 */
export class TenantTurns<T extends object> {
  /** By account and project; the first of each is the next. */
  readonly #accounts = new Map<string, Map<string, Set<T>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** What waits already keeps its place. */
  add(tenant: Tenant, item: T): void {
    const account = accountNameOf(tenant);
    const projects = this.#accounts.get(account) ?? new Map<string, Set<T>>();
    const items = projects.get(tenant.projectId) ?? new Set<T>();
    if (items.has(item)) return;
    this.#accounts.set(account, projects.set(tenant.projectId, items.add(item)));
    this.#size += 1;
  }

  delete(tenant: Tenant, item: T): void {
    const projects = this.#accounts.get(accountNameOf(tenant));
    const items = projects?.get(tenant.projectId);
    if (projects === undefined || items?.delete(item) !== true) return;
    this.#size -= 1;
    if (items.size === 0) projects.delete(tenant.projectId);
    if (projects.size === 0) this.#accounts.delete(accountNameOf(tenant));
  }

  /** @returns the next one, which does not wait any more */
  take(): T | undefined {
    for (const [account, projects] of this.#accounts) {
      for (const [projectId, items] of projects) {
        for (const item of items) {
          items.delete(item);
          this.#size -= 1;
          putLast(projects, projectId, items);
          putLast(this.#accounts, account, projects);
          return item;
        }
      }
    }
    return undefined;
  }
}

/** Moves an entry to the end of the line; without content it leaves. */
function putLast<V extends { readonly size: number }>(line: Map<string, V>, key: string, value: V): void {
  line.delete(key);
  if (value.size > 0) line.set(key, value);
}
