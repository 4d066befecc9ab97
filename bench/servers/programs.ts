import { fileURLToPath } from 'node:url';

/** Burgee itself, as it is built. */
export const mainProgram = fileURLToPath(new URL('../../server/main.js', import.meta.url));
/** The same before it is bundled. */
export const unbundledProgram = fileURLToPath(new URL('../../src/main.js', import.meta.url));
export const bareProgram = fileURLToPath(new URL('./bare-server.js', import.meta.url));
export const bareThreadsProgram = fileURLToPath(new URL('./bare-threads-server.js', import.meta.url));
export const nodeHttpProgram = fileURLToPath(new URL('./node-http-server.js', import.meta.url));

/** The environment without `BURGEE_*` variables: what is measured depends on the arguments alone. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BURGEE_')));
}
