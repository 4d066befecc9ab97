import { turnOf, type WriterCommand } from '../client/writer-protocol.ts';

/**
 * Commands that take long, of which the accounts that ask for them take turns. Those of one account come in the order of
 * arrival.
 */
export class AccountTurns {
  readonly #commands: WriterCommand[] = [];
  /** The next one first. One without commands leaves when its turn comes. */
  readonly #accounts: string[] = [];

  get length(): number {
    return this.#commands.length;
  }

  push(command: WriterCommand): void {
    this.#commands.push(command);
    const account = turnOf(command) ?? '';
    if (!this.#accounts.includes(account)) this.#accounts.push(account);
  }

  /** @returns what waits, the next one first: whoever decides it removes it */
  nextFirst(): WriterCommand[] {
    for (let account = this.#accounts.shift(); account !== undefined; account = this.#accounts.shift()) {
      const at = this.#commands.findIndex((command) => turnOf(command) === account);
      if (at < 0) continue;
      this.#commands.unshift(...this.#commands.splice(at, 1));
      this.#accounts.push(account);
      break;
    }
    return this.#commands;
  }
}
