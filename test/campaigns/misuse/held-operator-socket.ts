import { connect, type Socket } from 'node:net';
import { findSocketPlace } from '../../../src/operator/socket-place.ts';
import { twoOrganisations } from '../../console/console-fixture.ts';
import { bootServer } from '../../support/booted-server.ts';
import { runBurgee } from '../../support/burgee-command.ts';
import { expect } from '../../support/expectations.ts';
import { provision } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Misuse } from './misuse.ts';

const commands = 3;
/** Most of it is the command's own start. After 15 s it gives up. */
const commandMsMax = 10_000;
/** Holders that do not stop at all would measure this test alone. */
const reopenMs = 5;
const starts = ['', 'P', 'POST /apply HTTP/1.1\r\n', 'POST /apply HTTP/1.1\r\nX: ', 'nonsense\r\n\r\n'];

/** Connections that say nothing, or not all, keep no command of the operator from the service. */
export const heldOperatorSocket: Misuse = async (t, random) => {
  const dataDir = temporaryDirectory(t);
  await provision(dataDir, temporaryDirectory(t), twoOrganisations);
  const server = await bootServer(t, { dataDir });
  const path = findSocketPlace(dataDir);
  let isOver = false;
  let opened = 0;
  const sockets = new Set<Socket>();
  const hold = (): void => {
    if (isOver) return;
    const socket = connect(path).on('error', () => undefined);
    opened += 1;
    sockets.add(socket);
    socket.write(random.pick(starts));
    socket.resume().once('close', () => {
      sockets.delete(socket);
      setTimeout(hold, reopenMs);
    });
  };
  t.teardown(() => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
  for (let index = random.integer(8, 64); index > 0; index -= 1) hold();
  for (let turn = 0; turn < commands; turn += 1) {
    const since = performance.now();
    const { code, stderr } = await runBurgee([
      'member',
      'sign-in-link',
      'owner@acme.example',
      '--data-dir',
      dataDir,
    ]);
    const tookMs = performance.now() - since;
    expect(code === 0, `a command beside ${sockets.size} held connections ended with ${code}: ${stderr}`);
    expect(tookMs < commandMsMax, `a command beside ${sockets.size} held connections took ${tookMs} ms`);
  }
  isOver = true;
  for (const socket of sockets) socket.destroy();
  await server.stop();
  return opened;
};
