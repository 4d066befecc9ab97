import type { ProxyKind } from './running-proxy.ts';

/** deploy/haproxy.cfg. Its user is left out, because the test starts it as an ordinary user. */
export function haproxyKind(program: string): ProxyKind {
  return {
    example: 'deploy/haproxy.cfg',
    substitutions: (places) => [
      [/^ {4}(user|group|chroot) .*\n/, ''],
      [/bind :80$/, `bind 127.0.0.1:${places.plainPort}`],
      [/bind :443 /, `bind 127.0.0.1:${places.port} `],
      [/\/etc\/haproxy\/flags\.example\.com\.pem/, places.combinedFile],
      [/127\.0\.0\.1:8080/, `127.0.0.1:${places.backendPort}`],
    ],
    command: (configFile) => [program, '-db', '-f', configFile],
  };
}

/** Only root can make Debian's folders for temporary files. */
export function temporaryFolders(directory: string): string {
  const names = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return names.map((name) => `    ${name}_temp_path ${directory}/${name};`).join('\n');
}

/** deploy/nginx.conf. Without privileges nginx ignores its `user`. */
export function nginxKind(program: string): ProxyKind {
  return {
    example: 'deploy/nginx.conf',
    substitutions: (places) => [
      [/listen 80 /, `listen 127.0.0.1:${places.plainPort} `],
      [/listen 443 /, `listen 127.0.0.1:${places.port} `],
      [/\/etc\/nginx\/flags\.example\.com\.pem/, places.certificateFile],
      [/\/etc\/nginx\/flags\.example\.com\.key/, places.keyFile],
      [/127\.0\.0\.1:8080/, `127.0.0.1:${places.backendPort}`],
      [/^http \{$/, `http {\n${temporaryFolders(places.directory)}`],
      [/\/run\/nginx\.pid/, `${places.directory}/nginx.pid`],
      [/\/var\/log\/nginx\/access\.log/, `${places.directory}/access.log`],
    ],
    command: (configFile, { directory }) => [
      ...[program, '-e', 'stderr', '-p', directory, '-c', configFile],
      ...['-g', 'daemon off;'],
    ],
  };
}
