/**
 * A proxy between clients and a server of 127.0.0.1 that simulates a network: it delays every byte by some milliseconds, in
 * both directions. Arguments: the port of the server, and the milliseconds.
 */
import { connect, createServer } from 'node:net';
import { announce, endWithParent } from './end-with-parent.mjs';

const [port = '0', delayMs = '1'] = process.argv.slice(2);
/** Bytes under way in one direction of a connection, after which no more are read. */
const underWayMax = 4 * 1024 * 1024;

/** Timers of the same duration fire in order, so no byte overtakes another. */
function forward(from, to) {
  let underWay = 0;
  from.on('data', (bytes) => {
    underWay += bytes.length;
    if (underWay > underWayMax) from.pause();
    setTimeout(() => {
      underWay -= bytes.length;
      if (!to.destroyed) to.write(bytes);
      if (underWay <= underWayMax) from.resume();
    }, Number(delayMs));
  });
  from.on('end', () => setTimeout(() => to.end(), Number(delayMs)));
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.destroy(), Number(delayMs)));
}

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  const peer = connect({ port: Number(port), host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  forward(client, peer);
  forward(peer, client);
});
server.listen(0, '127.0.0.1', () => announce({ port: server.address().port }));
endWithParent(() => {
  server.close();
});
