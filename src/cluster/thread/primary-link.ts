import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterUrl } from '../../config/cluster-url.ts';
import { connectToPrimary } from '../sql/connect.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { requireSchema } from '../sql/schema.ts';
import type { Incarnations } from './incarnations.ts';

export interface LinkOptions {
  readonly url: ClusterUrl;
  readonly schema: string;
  /** This node's present name, under which PostgreSQL lists its connections and so its duties. */
  self(): string;
  readonly incarnations: Incarnations;
  /** Called with a new connection, which is used once this resolves. If it rejects, the connection is given up. */
  onConnected?(connection: SqlConnection): Promise<void>;
}

/** Connects to the primary, unless it is a demoted one or its tables have another version. */
export async function connectAs(options: LinkOptions): Promise<SqlConnection> {
  const { url, schema, incarnations } = options;
  const connection = await connectToPrimary({
    ...{ url, schema, node: options.self() },
    require: (found) => incarnations.require(found),
  });
  try {
    await requireSchema(connection);
    return connection;
  } catch (fault) {
    connection.destroy('the tables of the cluster cannot be used');
    throw fault;
  }
}

/** Pause after a failed connection. */
const backOffMs = 100;

/** One connection to the primary, made when it is needed and there is none. */
export class PrimaryLink {
  readonly #options: LinkOptions;
  #connection: SqlConnection | null = null;
  #connecting: Promise<SqlConnection> | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** @returns the present connection, or a new one. Rejects when none can be made now. */
  get(): Promise<SqlConnection> {
    const connection = this.#connection;
    if (connection !== null && !connection.isOver) return Promise.resolve(connection);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #connect(): Promise<SqlConnection> {
    try {
      const connection = await connectAs(this.#options);
      await this.#prove(connection);
      this.#connection = connection;
      return connection;
    } catch (fault) {
      await pause(backOffMs);
      throw fault;
    }
  }

  async #prove(connection: SqlConnection): Promise<void> {
    try {
      await this.#options.onConnected?.(connection);
    } catch (fault) {
      connection.destroy('it was not fit for use');
      throw fault;
    }
  }

  async end(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null && !connection.isOver) await connection.end();
  }
}
