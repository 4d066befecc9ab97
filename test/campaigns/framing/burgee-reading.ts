import { setImmediate } from 'node:timers/promises';
import type { BootedServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { openRawConnection, type RawConnection, type RawResponse } from '../../support/raw-request.ts';
import type { CampaignProject } from '../campaign-project.ts';
import { getRequest, patchRequest, WireConnection } from '../wire-connection.ts';

/** How Burgee read the bytes of one connection. */
export interface BurgeeReading {
  readonly answers: readonly RawResponse[];
  /** Whether the connection was closed, or its last answer said so. */
  readonly isEnded: boolean;
  /** Whether the valid request at the end was answered. */
  readonly isSentinelAnswered: boolean;
}

/**
 * Sends bytes and waits, without a clock, until the service has sent all answers to them. It makes a change on another
 * connection of the same worker, which the writer decides after all earlier ones.
 */
export class BurgeeReader {
  readonly #server: BootedServer;
  readonly #project: CampaignProject;
  readonly #other: WireConnection;

  private constructor(server: BootedServer, project: CampaignProject, other: WireConnection) {
    this.#server = server;
    this.#project = project;
    this.#other = other;
  }

  /** @param server a server with one worker */
  static async open(server: BootedServer, project: CampaignProject): Promise<BurgeeReader> {
    return new BurgeeReader(server, project, await WireConnection.open(server.port));
  }

  /**
   * Reads many connections at once, which share the waiting.
   *
   * @param sent the parts of each connection, which are sent one after another
   */
  async read(t: Lifetime, sent: readonly (readonly string[])[]): Promise<readonly BurgeeReading[]> {
    const connections = await Promise.all(sent.map(() => this.#connect(t)));
    const answers: RawResponse[][] = sent.map(() => []);
    const rounds = Math.max(...sent.map((parts) => parts.length));
    for (let round = 0; round < rounds; round += 1) {
      await this.#send(connections, (index) => sent[index]?.[round], answers);
    }
    const isEnded = connections.map((connection, index) => hasEnded(connection, answers[index] ?? []));
    const sentinel = getRequest(`/v1/flags/${this.#project.flags[1]}`);
    const behind: RawResponse[][] = sent.map(() => []);
    await this.#send(connections, () => sentinel, behind);
    for (const connection of connections) connection.destroy();
    return connections.map((_connection, index) => ({
      answers: answers[index] ?? [],
      isEnded: isEnded[index] ?? false,
      isSentinelAnswered: (behind[index] ?? []).some(({ body }) =>
        body.includes(this.#project.flags[1] ?? ''),
      ),
    }));
  }

  /** Opens a connection, and waits for an answer on it, so that a worker has it. */
  async #connect(t: Lifetime): Promise<RawConnection> {
    const connection = await openRawConnection(t, this.#server.port);
    connection.write(getRequest('/health'));
    expect((await connection.response())?.status === 200, 'a new connection is answered');
    return connection;
  }

  async #send(
    connections: readonly RawConnection[],
    partOf: (index: number) => string | undefined,
    answers: readonly RawResponse[][],
  ): Promise<void> {
    for (const [index, connection] of connections.entries()) {
      const part = partOf(index);
      if (part !== undefined) connection.write(Buffer.from(part, 'latin1'));
    }
    const [flag = ''] = this.#project.flags;
    const change = patchRequest(`/api/v1/flags/${flag}`, this.#project.secret, { enabled: true });
    const { status, body } = await this.#other.ask(change);
    expect(status === 200, `a change on another connection: ${status} ${body}`);
    // All that was written before that answer has reached this process: one turn of its event loop reads it.
    await setImmediate();
    await setImmediate();
    for (const [index, connection] of connections.entries()) {
      for (
        let answer = await connection.response(0);
        answer !== null;
        answer = await connection.response(0)
      ) {
        if (isBurgees(answer)) answers[index]?.push(answer);
      }
    }
  }

  destroy(): void {
    this.#other.destroy();
  }
}

/** uWebSockets.js answers unreadable bytes without a `Date`: such an answer belongs to no request. */
function isBurgees({ head }: RawResponse): boolean {
  return /\r\ndate:/i.test(head);
}

function hasEnded(connection: RawConnection, answers: readonly RawResponse[]): boolean {
  return connection.isClosed() || /\r\nconnection: *close/i.test(answers.at(-1)?.head ?? '');
}
