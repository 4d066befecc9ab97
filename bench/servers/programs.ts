import { fileURLToPath } from 'node:url';

/** Burgee's bundle, which production runs. */
export const mainProgram = fileURLToPath(new URL('../../server/main.js', import.meta.url));
/** The compiled modules before bundling. */
export const unbundledProgram = fileURLToPath(new URL('../../src/main.js', import.meta.url));
export const bareProgram = fileURLToPath(new URL('./bare-server.js', import.meta.url));
export const bareThreadsProgram = fileURLToPath(new URL('./bare-threads-server.js', import.meta.url));
export const nodeHttpProgram = fileURLToPath(new URL('./node-http-server.js', import.meta.url));

/**
 * The environment without `BURGEE_*` variables, so that only the arguments matter, and without the certificates that Node
 * would read at its start.
 */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const isKept = ([name]: readonly [string, unknown]): boolean =>
    !name.startsWith('BURGEE_') && name !== 'NODE_EXTRA_CA_CERTS';
  return Object.fromEntries(Object.entries(process.env).filter(isKept));
}
