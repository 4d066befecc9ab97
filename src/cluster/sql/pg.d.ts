/** The used part of the driver. Its public types lack the pipeline and the socket. */
declare module 'pg' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';
  import type { ConnectionOptions } from 'node:tls';

  export interface ClientConfig {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
    /** Called when the server asks for a password. Connecting rejects with what it throws. */
    readonly password?: string | (() => string);
    readonly ssl?: false | ConnectionOptions;
    readonly sslnegotiation?: 'postgres' | 'direct';
    readonly client_encoding?: string;
    readonly application_name?: string;
    readonly connectionTimeoutMillis?: number;
    readonly keepAlive?: boolean;
    readonly keepAliveInitialDelayMillis?: number;
    /** Sends queries without waiting for earlier answers. */
    readonly pipeline?: boolean;
    readonly types?: { getTypeParser(oid: number, format: string): (text: string) => unknown };
  }

  export interface QueryConfig {
    readonly name?: string;
    readonly text: string;
    readonly values?: unknown[];
  }

  export interface QueryResult<Row> {
    readonly rows: Row[];
    readonly rowCount: number | null;
    readonly command: string;
  }

  export interface Notification {
    readonly channel: string;
    readonly payload: string;
  }

  /** A warning of the server. */
  export interface NoticeMessage {
    readonly message: string;
    /** The function of PostgreSQL that raised it, independent of the server's language. */
    readonly routine?: string;
  }

  export class Client extends EventEmitter {
    constructor(config: ClientConfig | string);
    /** Process id of the server's backend. */
    readonly processID: number | null;
    /** The driver replaces the socket when it starts TLS. */
    readonly connection: { readonly stream: Socket };
    connect(): Promise<unknown>;
    query<Row>(query: string | QueryConfig): Promise<QueryResult<Row>>;
    end(): Promise<void>;
    on(event: 'error', listener: (fault: Error) => void): this;
    on(event: 'end', listener: () => void): this;
    on(event: 'notice', listener: (notice: NoticeMessage) => void): this;
    on(event: 'notification', listener: (notification: Notification) => void): this;
  }
}
