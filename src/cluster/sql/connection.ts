import type { Client, Notification } from 'pg';
import { assert } from '../../support/assert.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';

/** How long a connection may take to end in order. */
const endTimeoutMs = 1000;
/** Statements that were sent and not answered yet. More of them is a fault of the code: it must wait for answers. */
const inFlightMax = 256;

/** A statement that is prepared once on each connection. */
export interface Statement {
  /** Unique among statements. */
  readonly name: string;
  /** @param schema as a quoted identifier */
  readonly text: (schema: string) => string;
}

export interface Answer<Row> {
  readonly rows: Row[];
  /** Rows that were returned, or changed where none is. */
  readonly count: number;
  /** For example `COMMIT`. */
  readonly command: string;
}

/** Which run of which server answers. Another one may lack what this one confirmed, unless it is a synchronous standby. */
export interface Incarnation {
  /** Unix seconds of the postmaster's start, as text. It stays when the server recovers from the death of a backend. */
  readonly startedAt: string;
  /** Rises with each promotion. One that is lower than was seen before is of a server that was left behind: refuse it. */
  readonly timeline: number;
  /** For how long the server had run when this was asked, by its own clock. */
  readonly uptimeMs: number;
}

/** The connection is over. What was under way has an unknown outcome. */
export class ConnectionOverError extends Error {
  override readonly name = 'ConnectionOverError';
}

/** @returns the message of a fault, with what an operator can do about it where the server's words do not say */
export function faultText(fault: unknown): string {
  const { message, code } = fault as { readonly message?: string; readonly code?: string };
  // Of a name with several addresses Node gives a list of faults without a message.
  const text = message === undefined || message === '' ? String(code ?? fault) : message;
  const isRefused = code === '28P01' || code === '28000';
  return isRefused
    ? `${text}: look at the user and the password of BURGEE_CLUSTER_URL, BURGEE_CLUSTER_PASSWORD_FILE and pg_hba.conf`
    : text;
}

/**
 * One connection. It ends whole: an answer that comes late destroys it, what was under way on it then has an unknown
 * outcome, and nothing is sent again by itself.
 */
export class SqlConnection {
  /** The server, as a URL has it. */
  readonly host: string;
  /** Quoted. */
  readonly schema: string;
  /** Resolves when the connection is over, with the reason. */
  readonly ended: Promise<ConnectionOverError>;
  incarnation: Incarnation = { startedAt: '', timeline: 0, uptimeMs: 0 };
  /** When the server answered last, on the monotonic clock. */
  answeredAt = monotonicMs();
  readonly #client: Client;
  readonly #texts = new Map<Statement, string>();
  #resolveEnded: (reason: ConnectionOverError) => void = () => undefined;
  #reason: ConnectionOverError | null = null;
  #inFlight = 0;
  /** Bytes of answers that have come, from when on they were first looked at. */
  #answerBytes = 0;
  #isCounting = false;
  #isLocalOnly = false;

  /** @see connectToPrimary */
  constructor(client: Client, host: string, schema: string) {
    this.#client = client;
    this.host = host;
    this.schema = schema;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    client.on('error', (fault) => this.destroy(faultText(fault)));
    client.on('end', () => this.destroy('the server closed it'));
    client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.#isLocalOnly = true;
    });
  }

  get isOver(): boolean {
    return this.#reason !== null;
  }

  /** The number of the server's process, as it was told when connecting. */
  get serverProcess(): number | null {
    return this.#client.processID;
  }

  /**
   * Sends a statement at once, behind those that were sent before, and without waiting for their answers. Each is a
   * transaction of its own unless one was begun.
   * @returns rejects with ConnectionOverError, or with PostgreSQL's error, whose `code` is the SQLSTATE
   */
  async run<Row>(statement: Statement | string, values: unknown[]): Promise<Answer<Row>> {
    if (this.#reason !== null) throw this.#reason;
    assert(this.#inFlight < inFlightMax, 'answers of PostgreSQL are waited for');
    this.#inFlight += 1;
    try {
      const query =
        typeof statement === 'string'
          ? { text: statement, values }
          : { name: statement.name, text: this.#textOf(statement), values };
      const { rows, rowCount, command } = await this.#client.query<Row>(query);
      this.answeredAt = monotonicMs();
      return { rows, count: rowCount ?? 0, command };
    } catch (fault) {
      // The server ends the connection behind such an error: shutdown, or a session that it gave up. One that takes writes no
      // more (25006) is looked for elsewhere.
      if (/^(57P|25P03|25006)/.test((fault as { code?: string }).code ?? '')) this.destroy(faultText(fault));
      throw this.#reason ?? fault;
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Sends statements in one packet, as far as they fit. @returns what `send` returns */
  together<T>(send: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  /**
   * Waits for answers. If they do not come in time the connection is destroyed: a late answer must not be taken for another's.
   * @throws ConnectionOverError when they are late
   */
  async within<T>(timeoutMs: number, answers: Promise<T>): Promise<T> {
    return await this.#unlessLate(timeoutMs, answers, () => false);
  }

  /**
   * Waits for answers in which, or behind others in which, there may be many bytes: they are late once no part of an answer has
   * come for so long. Notifications are none: PostgreSQL sends them also where what it was asked never reached it.
   * @throws ConnectionOverError when they are late
   */
  async whileArriving<T>(timeoutMs: number, answers: Promise<T>): Promise<T> {
    this.#countAnswers();
    let seen = this.#answerBytes;
    return await this.#unlessLate(timeoutMs, answers, () => {
      const hasMore = this.#answerBytes > seen;
      seen = this.#answerBytes;
      return hasMore;
    });
  }

  /** @param mayGoOn asked each time that the time is over */
  async #unlessLate<T>(timeoutMs: number, answers: Promise<T>, mayGoOn: () => boolean): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setInterval(() => {
        if (!mayGoOn()) reject(this.destroy(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
    });
    try {
      return await Promise.race([answers, late]);
    } finally {
      clearInterval(timer);
    }
  }

  #countAnswers(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    this.#client.connection.stream.on('data', (chunk: Buffer) => {
      this.#answerBytes += chunk.length;
    });
    this.#client.on('notification', (notification) => {
      this.#answerBytes -= notificationBytes(notification);
    });
  }

  /** @returns whether a commit was answered without the synchronous standby's word since this was last asked */
  takeLocalOnly(): boolean {
    const isLocalOnly = this.#isLocalOnly;
    this.#isLocalOnly = false;
    return isLocalOnly;
  }

  onNotification(listener: (notification: Notification) => void): void {
    this.#client.on('notification', listener);
  }

  /** Ends the connection now. @returns why it is over, which is the first reason that was given */
  destroy(reason: string): ConnectionOverError {
    this.#reason ??= new ConnectionOverError(
      `the connection to PostgreSQL at ${this.host} is over: ${reason}`,
    );
    this.#client.connection.stream.destroy();
    this.#resolveEnded(this.#reason);
    return this.#reason;
  }

  /** Ends the connection in order: what was sent is answered first, for a second at most. Never rejects. */
  async end(): Promise<void> {
    if (this.isOver) return;
    await this.within(endTimeoutMs, this.#client.end()).catch(() => undefined);
    this.destroy('it was ended');
  }

  #textOf(statement: Statement): string {
    let text = this.#texts.get(statement);
    if (text === undefined) {
      text = statement.text(this.schema);
      this.#texts.set(statement, text);
    }
    return text;
  }
}

/** In PostgreSQL's protocol: type, length, process and two texts, each with a zero behind it. */
function notificationBytes({ channel, payload = '' }: Notification): number {
  return 1 + 4 + 4 + Buffer.byteLength(channel) + 1 + Buffer.byteLength(payload) + 1;
}
