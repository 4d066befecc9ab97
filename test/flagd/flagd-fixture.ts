import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { FlagdProvider } from '@openfeature/flagd-provider';
import { OpenFeature, type Client as OpenFeatureClient } from '@openfeature/server-sdk';
import type { Test } from 'tap';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import type { Settings } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { idOf, type ProvisionedProject, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A store with a project of two environments and one without, and their tokens. */
export interface FlagdStore {
  readonly dataDir: string;
  readonly shop: ProvisionedProject;
  readonly solo: ProvisionedProject;
  readonly secretOf: (name: 'all' | 'staging-only' | 'solo') => string;
  readonly tokenIdOf: (name: 'all' | 'staging-only' | 'solo') => string;
  readonly flag: (name: string) => string;
}

const production = { enabled: true, trafficPercentage: 100 };

export async function provisionFlags(t: Test): Promise<FlagdStore> {
  const dataDir = temporaryDirectory(t);
  const document = {
    organisations: [
      {
        name: 'Harbour',
        plan: 'enterprise',
        projects: [
          {
            name: 'shop',
            environments: ['production', 'staging'],
            audiences: [
              { name: 'Pro', rules: [{ attribute: 'plan', values: ['pro', 'team', '42', 'true'] }] },
            ],
            flags: [
              { name: 'checkout', environments: { production } },
              {
                name: 'search',
                cohorts: ['acme'],
                environments: { production: { enabled: true, trafficPercentage: 50, audience: 'Pro' } },
              },
              { name: 'half', environments: { production: { enabled: true, trafficPercentage: 50 } } },
              { name: 'off', environments: { production: { enabled: false, trafficPercentage: 100 } } },
            ],
            tokens: [
              { name: 'all', permission: 'write' },
              { name: 'staging-only', permission: 'read', environments: ['staging'] },
            ],
          },
          {
            name: 'solo',
            flags: [{ name: 'banner', enabled: true, trafficPercentage: 100 }],
            tokens: [{ name: 'solo', permission: 'write' }],
          },
        ],
      },
    ],
  };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const [shop, solo] = [projectOf(provisioned, 'shop'), projectOf(provisioned, 'solo')];
  const token = (name: string) => tokenOf(name === 'solo' ? solo : shop, name);
  return {
    ...{ dataDir, shop, solo },
    secretOf: (name) => token(name).secret,
    tokenIdOf: (name) => token(name).id,
    flag: (name) => idOf({ ...solo.flags, ...shop.flags }, name),
  };
}

/** @returns the port of flagd's sync from the server's log */
export async function flagdPortOf(server: BootedServer): Promise<number> {
  const pattern = /"flagdSyncPort":(\d+)/;
  return Number(pattern.exec(await server.line((line) => pattern.test(line)))?.[1]);
}

export interface FlagdServer {
  readonly server: BootedServer;
  readonly flagdPort: number;
}

/** Boots a server with a port for flagd, a free one unless it is given. */
export async function bootFlagd(t: Lifetime, dataDir: string, settings: Settings = {}): Promise<FlagdServer> {
  const given = { BURGEE_FLAGD_SYNC_PORT: '0', ...settings };
  const server = await bootServer(t, { dataDir, settings: given });
  return { server, flagdPort: await flagdPortOf(server) };
}

/** Changes a flag by the Management API. @returns when the change is acknowledged */
export async function changeFlag(
  t: Lifetime,
  { port }: Pick<BootedServer, 'port'>,
  secret: string,
  path: string,
  body: object,
): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const client = createHttpClient(t, { port });
  const request = { method: 'PATCH', path: `/api/v1/flags/${path}`, headers, body: JSON.stringify(body) };
  const { status: answered, text } = await client.send(request);
  if (answered !== 200) throw new Error(`${answered} ${text}`);
}

/** A flag configuration, as far as tests look at it. */
export interface SentConfiguration {
  readonly flags: Readonly<
    Record<
      string,
      { readonly defaultVariant: string; readonly targeting?: object; readonly metadata: object }
    >
  >;
  readonly $evaluators: object;
  readonly metadata: object;
}

/** The end of a call. */
export interface CallEnd {
  readonly code: string;
  readonly details: string;
}

/** A stream as it is on the wire. */
export interface OpenedStream {
  /** Resolves with the configuration of that number, counting from 0. */
  configuration(index: number): Promise<SentConfiguration>;
  readonly received: readonly SentConfiguration[];
  readonly ended: Promise<CallEnd>;
  cancel(): void;
}

/** Each client has a connection of its own: those of one process would share one, which has 16 calls at most. */
const clientOptions = { 'grpc.max_receive_message_length': -1, 'grpc.use_local_subchannel_pool': 1 };

export function grpcClient(t: Lifetime, port: number): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), clientOptions);
  t.teardown(() => client.close());
  return client;
}

export interface CallOptions {
  readonly method?: 'SyncFlags' | 'FetchAllFlags';
  /** In the request. */
  readonly selector?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The bytes of the request, in place of one with the selector. */
  readonly request?: Buffer;
}

export function callSync(client: Client, options: CallOptions): OpenedStream {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value);
  const request = options.request ?? encodeSelector(options.selector ?? '');
  const path = `/flagd.sync.v1.FlagSyncService/${options.method ?? 'SyncFlags'}`;
  const asIs = (bytes: Buffer): Buffer => bytes;
  const call = client.makeServerStreamRequest(path, asIs, asIs, request, metadata);
  const received: SentConfiguration[] = [];
  const waiting = new Set<() => void>();
  call.on('data', (bytes: Buffer) => {
    received.push(decodeConfiguration(bytes));
    for (const look of [...waiting]) look();
  });
  const ended = new Promise<CallEnd>((resolve) => {
    call.on('error', ({ code, details }: ServiceError) => resolve({ code: status[code] ?? '', details }));
    call.on('status', ({ code, details }) => resolve({ code: status[code] ?? '', details }));
  });
  return {
    received,
    ended,
    cancel: () => call.cancel(),
    configuration: (index) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = received[index];
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        ended.then((end) => reject(new Error(`the stream ended: ${JSON.stringify(end)}`)), reject);
      }),
  };
}

export function encodeSelector(selector: string): Buffer {
  const text = Buffer.from(selector);
  return Buffer.concat([Buffer.from([(2 << 3) | 2, ...varint(text.length)]), text]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
}

/** Of the first field; the second is an empty context. */
function decodeConfiguration(bytes: Buffer): SentConfiguration {
  let [length, at] = [0, 1];
  for (let shift = 1; ; shift *= 0x80, at += 1) {
    const byte = bytes[at] ?? 0;
    length += (byte & 0x7f) * shift;
    if (byte < 0x80) break;
  }
  return JSON.parse(bytes.subarray(at + 1, at + 1 + length).toString()) as SentConfiguration;
}

export const bearer = (secret: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${secret}`,
});

let domains = 0;

/** flagd's own provider, connected. */
export interface ConnectedProvider {
  readonly client: OpenFeatureClient;
  /** To be called while the server serves: the provider goes on connecting for ever after it was closed meanwhile. */
  close(): Promise<void>;
}

/** flagd's own provider for Node, in process. It sends no metadata, so its token is in the selector. */
export async function connectProvider(options: {
  readonly port: number;
  readonly selector: string;
  readonly certPath?: string;
}): Promise<ConnectedProvider> {
  domains += 1;
  const domain = `flagd-${domains}`;
  const { certPath, ...rest } = options;
  const tls = certPath === undefined ? {} : { tls: true, certPath };
  const provider = new FlagdProvider({
    ...{ host: 'localhost', resolverType: 'in-process', retryBackoffMaxMs: 1000, deadlineMs: 5000 },
    ...{ ...rest, ...tls },
  });
  await OpenFeature.setProviderAndWait(domain, provider);
  return { client: OpenFeature.getClient(domain), close: () => provider.onClose() };
}
