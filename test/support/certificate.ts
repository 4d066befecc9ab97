import { spawnSync } from 'node:child_process';

/** Writes a certificate for this machine that is valid for two days, and its key, as PEM files. */
export function makeCertificate(openssl: string, certificateFile: string, keyFile: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  const name = ['-subj', '/CN=localhost', '-addext', names, '-days', '2'];
  const { status, stderr } = spawnSync(openssl, ['req', '-x509', ...key, ...name, '-out', certificateFile], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
}
