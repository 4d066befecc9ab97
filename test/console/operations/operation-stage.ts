import type { Test } from 'tap';
import { Value } from 'typebox/value';
import type { Member, Role } from '../../../src/domain/member/member.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { consoleOperations } from '../../../src/operations/console-operations.ts';
import { checkStore } from '../../../src/storage/check.ts';
import { type BootedServer, bootServer } from '../../support/booted-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ConsoleClient } from '../console-client.ts';
import { PreparedStore } from '../prepared-store.ts';

/* Operations of the console over HTTP: one line for each request, its status, and what the audit log has of it. */

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape
type Any = any;

/** Sends a request and checks its status, and the answer against the contract. @returns the parsed answer */
export interface Ask {
  (status: number, request: string, body?: unknown): Promise<Any>;
  /** Sends a request. @returns its status */
  status(request: string, body?: unknown): Promise<number>;
}

const baseUrl = 'http://flags.example.test';

const routes = Object.values(consoleOperations).map(({ route, answer }) => {
  const path = route.replaceAll(/\{\w+\}/g, '[^/]*');
  return { pattern: new RegExp(`^${path}$`), answer };
});

/** A booted console whose store is prepared before. At the end the store must be sound, and no secret in the log. */
export class OperationStage {
  readonly prepared = new PreparedStore();
  readonly #t: Test;
  readonly #asks = new Map<string, Ask>();
  readonly #read = new Map<string, string>();
  #server: BootedServer | null = null;

  constructor(t: Test) {
    this.#t = t;
  }

  get server(): BootedServer {
    if (this.#server === null) throw new Error('the stage has not been started');
    return this.#server;
  }

  async start(): Promise<void> {
    const dataDir = temporaryDirectory(this.#t);
    await this.prepared.write(dataDir);
    const settings = { BURGEE_CONSOLE_RATE_LIMIT: '1000000', BURGEE_BASE_URL: baseUrl };
    this.#server = await bootServer(this.#t, { dataDir, settings });
  }

  /** Prepares a member with a session. */
  member(role: Role, change: Partial<Member> = {}): string {
    const { organisationId } = { organisationId: this.prepared.organisation.id, ...change };
    return this.prepared.addMember(role, organisationId, Date.now(), change);
  }

  add(changes: readonly RecordChange[]): void {
    this.prepared.add(changes);
  }

  /** @returns what a member, or with null somebody without a session, asks */
  as(memberId: string | null): Ask {
    const key = memberId ?? '';
    const known = this.#asks.get(key);
    if (known !== undefined) return known;
    const { port } = this.server;
    const client = memberId === null ? this.newClient() : this.prepared.client(this.#t, port, memberId);
    const ask = this.with(client);
    this.#asks.set(key, ask);
    return ask;
  }

  newClient(): ConsoleClient {
    return new ConsoleClient(this.#t, { port: this.server.port });
  }

  with(client: ConsoleClient): Ask {
    const send = (request: string, body?: unknown) => {
      const [method = '', path = ''] = request.split(' ');
      return client.send(method, path, body, method === 'GET' ? {} : { origin: baseUrl });
    };
    const ask = async (status: number, request: string, body?: unknown): Promise<Any> => {
      const answer = await send(request, body);
      this.#t.equal(answer.status, status, `${request}: ${answer.text.slice(0, 300)}`);
      if (answer.status === 204) return undefined;
      if (!(answer.header('content-type') ?? '').startsWith('application/json')) return answer.text;
      const { json } = answer;
      const route = routes.find(({ pattern }) => pattern.test(request.split('?')[0] ?? ''));
      const isRight = answer.status >= 300 || !route?.answer || Value.Check(route.answer, json);
      if (!isRight) throw new Error(`${request} answers against its contract: ${answer.text}`);
      return json;
    };
    return Object.assign(ask, {
      status: async (request: string, body?: unknown) => (await send(request, body)).status,
    });
  }

  /** @returns the audit entries since the last call, oldest first. @param ask of a member who sees the log */
  async audited(ask: Ask, log = '/audit'): Promise<Any[]> {
    const { entries } = await ask(200, `GET ${log}`);
    const end = entries.findIndex(({ id }: { id: string }) => id === this.#read.get(log));
    if (entries.length > 0) this.#read.set(log, entries[0].id);
    const fresh = end < 0 ? entries : entries.slice(0, end);
    return fresh.toReversed();
  }

  async stop(): Promise<void> {
    await this.server.stop();
    this.#t.strictSame([...checkStore(this.server.dataDir)], [], 'the store is sound');
  }
}

/** @returns the fields of audit entries' changes, as [field, before, after] */
export function fieldsOf({ changes }: Any): readonly Any[] {
  return changes.map(({ field, before, after }: Any) => [field, before, after]);
}
