import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { messageOf } from '../support/message-of.ts';
import type { TlsFiles } from './flagd-protocol.ts';

interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** @throws Error with a message for the operator when the files cannot be used */
export function readKeyPair({ certFile, keyFile }: TlsFiles): KeyPair {
  try {
    const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    createSecureContext(pair);
    return pair;
  } catch (fault) {
    const reason = messageOf(fault);
    throw new Error(
      `--flagd-sync-cert-file (BURGEE_FLAGD_SYNC_CERT_FILE) ${certFile} and --flagd-sync-key-file (BURGEE_FLAGD_SYNC_KEY_FILE) ${keyFile} cannot be used: ${reason}. They must be a PEM certificate, with its chain, and its private key without a passphrase.`,
      { cause: fault },
    );
  }
}

/** @param tls null: connections are not encrypted */
export function credentialsOf(tls: KeyPair | null): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }]);
}
