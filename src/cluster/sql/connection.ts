import type { Client, Notification } from 'pg';
import { assert } from '../../support/assert.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';

/** Timeout for ending a connection in order. */
const endTimeoutMs = 1000;
/** Maximum of statements in flight. Exceeding it is a fault of the code, which must wait for answers. */
const inFlightMax = 256;

/** A statement that each connection prepares once. */
export interface Statement {
  /** Unique among statements. */
  readonly name: string;
  /** @param schema as a quoted identifier */
  readonly text: (schema: string) => string;
}

export interface Answer<Row> {
  readonly rows: Row[];
  /** Number of rows returned, or changed if none was returned. */
  readonly count: number;
  /** For example `COMMIT`. */
  readonly command: string;
}

/**
 * Identifies one run of one server. Another server may lack what this one confirmed, unless it was its synchronous
 * standby.
 */
export interface Incarnation {
  /**
   * Unix seconds of the postmaster's start, as text. It does not change when the server recovers from the death of a
   * backend.
   */
  readonly startedAt: string;
  /** Rises with each promotion. A lower one than before means a demoted primary, which must be refused. */
  readonly timeline: number;
  /** Uptime of the server at the query, by its own clock. */
  readonly uptimeMs: number;
}

/** The connection is over. Statements in flight have an unknown outcome. */
export class ConnectionOverError extends Error {
  override readonly name = 'ConnectionOverError';
}

/** @returns the message of a fault, with advice for the operator if the server's message has none */
export function faultText(fault: unknown): string {
  const { message, code } = fault as { readonly message?: string; readonly code?: string };
  // For a name with several addresses Node gives a list of faults without a message.
  const text = message === undefined || message === '' ? String(code ?? fault) : message;
  const isRefused = code === '28P01' || code === '28000';
  return isRefused
    ? `${text}: look at the user and the password of BURGEE_CLUSTER_URL, BURGEE_CLUSTER_PASSWORD_FILE and pg_hba.conf`
    : text;
}

/**
 * One connection to PostgreSQL. A late answer destroys it; statements in flight then have an unknown outcome, and
 * nothing is retried here.
 */
export class SqlConnection {
  /** Host and port, as in a URL. */
  readonly host: string;
  /** Quoted. */
  readonly schema: string;
  /** Resolves when the connection is over, with the reason. */
  readonly ended: Promise<ConnectionOverError>;
  incarnation: Incarnation = { startedAt: '', timeline: 0, uptimeMs: 0 };
  /** Time of the server's last answer, on the monotonic clock. */
  answeredAt = monotonicMs();
  readonly #client: Client;
  readonly #texts = new Map<Statement, string>();
  #resolveEnded: (reason: ConnectionOverError) => void = () => undefined;
  #reason: ConnectionOverError | null = null;
  #inFlight = 0;
  /** Bytes of answers received since they were first counted. */
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

  /** Process id of the server's backend. */
  get serverProcess(): number | null {
    return this.#client.processID;
  }

  /**
   * Sends a statement at once, without waiting for the answers to earlier ones. Each is a transaction of its own
   * unless one was begun.
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
      // After such an error the server ends the connection (shutdown, or a session that it gave up), or accepts no
      // more writes (25006), and another primary must be found.
      if (/^(57P|25P03|25006)/.test((fault as { code?: string }).code ?? '')) this.destroy(faultText(fault));
      throw this.#reason ?? fault;
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Sends statements in one packet if they fit. @returns the result of `send` */
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
   * Waits for answers. A timeout destroys the connection, so that a late answer is never taken for the next one.
   * @throws ConnectionOverError on timeout
   */
  async within<T>(timeoutMs: number, answers: Promise<T>): Promise<T> {
    return await this.#unlessLate(timeoutMs, answers, () => false);
  }

  /**
   * Waits for answers of many bytes, or queued after such answers. The timeout restarts with each received part.
   * Notifications do not restart it: PostgreSQL also sends them if the request never reached it.
   * @throws ConnectionOverError on timeout
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

  /** @param mayGoOn called at each timeout */
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

  /** @returns whether a commit since the last call was answered without the synchronous standby's confirmation */
  takeLocalOnly(): boolean {
    const isLocalOnly = this.#isLocalOnly;
    this.#isLocalOnly = false;
    return isLocalOnly;
  }

  onNotification(listener: (notification: Notification) => void): void {
    this.#client.on('notification', listener);
  }

  /** Ends the connection now. @returns the first reason that was given for its end */
  destroy(reason: string): ConnectionOverError {
    this.#reason ??= new ConnectionOverError(
      `the connection to PostgreSQL at ${this.host} is over: ${reason}`,
    );
    this.#client.connection.stream.destroy();
    this.#resolveEnded(this.#reason);
    return this.#reason;
  }

  /** Ends the connection in order, after the answers to sent statements, or after a second at most. Never rejects. */
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

/** Size in PostgreSQL's protocol: type, length, process id and two zero-terminated texts. */
function notificationBytes({ channel, payload = '' }: Notification): number {
  return 1 + 4 + 4 + Buffer.byteLength(channel) + 1 + Buffer.byteLength(payload) + 1;
}
