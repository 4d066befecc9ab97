import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { type ClusterTls, ClusterUrlError } from './cluster-url.ts';

/**
 * @returns options for Node's TLS; false for a connection without TLS
 * @throws ClusterUrlError when a file cannot be read
 */
export async function tlsOptions(tls: ClusterTls): Promise<ConnectionOptions | false> {
  if (tls.mode === 'disable') return false;
  const isVerified = tls.mode === 'verify-ca' || tls.mode === 'verify-full';
  return {
    rejectUnauthorized: isVerified,
    ...(tls.mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...(isVerified &&
      tls.rootCertificateFile !== null && { ca: await read('sslrootcert', tls.rootCertificateFile) }),
    ...(tls.certificate !== null && {
      cert: await read('sslcert', tls.certificate.certificateFile),
      key: await read('sslkey', tls.certificate.keyFile),
    }),
  };
}

async function read(parameter: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (fault) {
    throw new ClusterUrlError(
      `${parameter} of BURGEE_CLUSTER_URL cannot be read: ${(fault as Error).message}`,
    );
  }
}
