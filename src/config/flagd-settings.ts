import type { Setting } from './setting.ts';
import { optionalPathSetting, optionalPortSetting, textSetting } from './setting-kinds.ts';

/** What lets flagd's providers evaluate in their own process: none of them has an effect without the first. */
export const flagdSettings = {
  flagdSyncPort: optionalPortSetting({
    fallback: { value: null },
    description:
      "Port on which flagd's in-process providers get flags by gRPC (`flagd.sync.v1`), each with a token of its project. 0 takes any free port.",
  }),
  flagdSyncHost: textSetting(
    { pattern: '^[0-9A-Za-z.:_-]+$', expected: 'a host name or IP address', placeholder: 'host' },
    {
      fallback: { value: '127.0.0.1' },
      description:
        'Address that `flagd-sync-port` is on. Tokens and flags cross it, so give it a certificate where others can listen in.',
    },
  ),
  flagdSyncCertFile: optionalPathSetting({
    fallback: { value: null },
    description:
      'PEM file with the certificate of `flagd-sync-port`, and its chain. With it and its key, connections are encrypted.',
  }),
  flagdSyncKeyFile: optionalPathSetting({
    fallback: { value: null },
    description: 'PEM file with the private key of `flagd-sync-cert-file`, without a passphrase.',
  }),
} satisfies Record<string, Setting>;
