import type { Test } from 'tap';
import type { Member } from '../../src/domain/member/member.ts';
import type { RecordChange } from '../../src/domain/record-change.ts';
import { recordDenial } from '../../src/domain/token/record-denial.ts';
import type { Token } from '../../src/domain/token/token.ts';
import { Notifier } from '../../src/notifier/notifier.ts';
import { notifierMetrics, type OutboxAnswer } from '../../src/notifier/notifier-protocol.ts';
import { readSmtpUrl, sendMail } from '../../src/notifier/send-mail.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import type { Store } from '../../src/storage/store.ts';
import type { OutboxCommand } from '../../src/writer/client/outbox-protocol.ts';
import { serveOutbox } from '../../src/writer/thread/commands/serve-outbox.ts';
import {
  creationOf,
  denialOf,
  memberOf,
  organisationOf,
  projectOf,
  tokenOf,
} from '../storage/support/records.ts';
import { newStore } from '../storage/support/sample-store.ts';

export const startedAt = 1_750_000_000_000;

/**
 * A store with an organisation, its Owner, an Editor, and a token of the Editor's; the outbox runs on the test's clock.
 */
export class NotifierFixture {
  readonly store: Store;
  readonly organisation = organisationOf();
  readonly owner: Member;
  readonly editor: Member;
  readonly token: Token;
  readonly faults: string[] = [];
  readonly cells = new Float64Array(createMetricMemory(notifierMetrics));
  now = startedAt;
  readonly #t: Test;
  readonly #asked: OutboxCommand['kind'][] = [];
  readonly #watchers = new Set<() => void>();
  #notifier: Notifier | null = null;
  #run: Promise<void> = Promise.resolve();

  constructor(t: Test, names: { token?: string; project?: string; owner?: string } = {}) {
    this.#t = t;
    this.store = newStore(t).store;
    const organisationId = this.organisation.id;
    this.owner = memberOf({ organisationId, name: names.owner ?? 'Olive', email: 'olive@example.test' });
    this.editor = memberOf({ organisationId, role: 'editor', name: 'Ed', email: 'ed@example.test' });
    const project = projectOf(organisationId, { name: names.project ?? 'shop' });
    this.token = tokenOf(project.id, { name: names.token ?? 'ci', createdBy: this.editor.id });
    this.apply([
      creationOf('organisation', this.organisation),
      creationOf('member', this.owner),
      creationOf('member', this.editor),
      creationOf('project', project),
      creationOf('token', this.token),
    ]);
  }

  apply(changes: readonly RecordChange[]): void {
    this.store.write(({ apply }) => apply(changes));
  }

  /** Records a denial of the token now. @returns whether an email is due */
  deny(): boolean {
    return this.store.write(({ queries, apply }) => {
      const token = queries.token(this.token.id) ?? this.token;
      const changes = recordDenial(token, denialOf(token.id, { at: this.now }));
      apply(changes);
      return changes.some(({ kind }) => kind === 'outbox');
    });
  }

  /** Records a denial of another token of the same project. */
  denyAnother(): void {
    const another = tokenOf(this.token.projectId, { name: 'another', createdBy: this.editor.id });
    this.apply([
      creationOf('token', another),
      ...recordDenial(another, denialOf(another.id, { at: this.now })),
    ]);
  }

  waiting(): number {
    return this.store.write(({ queries }) => [...queries.outboxAfter(0)].length);
  }

  delivery(sequence = 1) {
    return this.store.write(({ queries }) => queries.outboxDelivery(sequence));
  }

  /** Starts a notifier as a new process does. It ends with the test. */
  start(smtpUrl: string): void {
    const smtp = readSmtpUrl(smtpUrl);
    const notifier = new Notifier({
      mailFrom: 'Burgee <burgee@flags.example.test>',
      baseUrl: 'https://flags.example.test',
      cells: this.cells,
      retriesFailed: true,
      ask: (command) => Promise.resolve(this.#serve(command)),
      send: (mail) => sendMail(smtp, mail),
      onFault: (fault) => this.faults.push(fault),
    });
    this.#notifier = notifier;
    this.#run = notifier.run();
    this.#t.teardown(() => this.stop());
  }

  look(): void {
    this.#notifier?.look();
  }

  async stop(): Promise<void> {
    this.#notifier?.stop();
    await this.#run;
  }

  /** @returns once the notifier has made this request so often */
  asked(kind: OutboxCommand['kind'], count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#asked.filter((asked) => asked === kind).length < count) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  #serve(command: OutboxCommand): OutboxAnswer {
    const page = this.store.write(({ queries, apply }) => {
      const decision = serveOutbox(queries, command, this.now);
      apply(decision.changes);
      return decision.page;
    });
    this.#asked.push(command.kind);
    for (const watcher of [...this.#watchers]) watcher();
    return page === null ? { kind: 'recorded' } : { kind: 'letters', page };
  }
}
