import { messageOf } from '../support/message-of.ts';
import type { ClientEvents, ClientStatus } from './burgee-client.ts';
import { warn } from './warn.ts';

type Lists = { readonly [Name in keyof ClientEvents]: Set<ClientEvents[Name]> };

/** Listeners of a client. One that throws causes a warning; the others and the client continue. */
export class Listeners {
  readonly #lists: Lists = { change: new Set(), status: new Set() };

  /** @returns what removes it again */
  add<Name extends keyof ClientEvents>(name: Name, listener: ClientEvents[Name]): () => void {
    const list = Object.hasOwn(this.#lists, name) ? this.#lists[name] : undefined;
    if (list === undefined || typeof listener !== 'function') {
      throw new TypeError("burgee-client: on takes 'change' or 'status', and a function.");
    }
    list.add(listener);
    return () => list.delete(listener);
  }

  tellChange(names: readonly string[]): void {
    for (const listener of [...this.#lists.change]) attempt(() => listener(names));
  }

  tellStatus(status: ClientStatus, why: string): void {
    for (const listener of [...this.#lists.status]) attempt(() => listener(status, why));
  }
}

function attempt(call: () => void): void {
  try {
    call();
  } catch (fault) {
    warn(`a listener threw: ${messageOf(fault)}`);
  }
}
