import type { Setting } from './setting.ts';
import { issuerSetting, optionalTextSetting, textSetting } from './setting-kinds.ts';

/** Sign-ins to the console by a provider of OpenID Connect: none of them has an effect without the first. */
export const openIdSettings = {
  openIdIssuer: issuerSetting({
    fallback: { value: null },
    description:
      'Issuer of the OpenID provider with which people sign in to the console, exactly as the provider writes it. Needs `open-id-client-id` and `base-url`.',
  }),
  openIdClientId: optionalTextSetting(
    {
      pattern: '^[\\x21-\\x7e]{1,256}$',
      expected: '1 to 256 visible ASCII characters',
      placeholder: 'id',
    },
    {
      isSecret: false,
      fallback: { value: null },
      description: 'Client id that the OpenID provider gave this service.',
    },
  ),
  openIdClientSecret: optionalTextSetting(
    {
      pattern: '^[\\x21-\\x7e]{1,1024}$',
      expected: '1 to 1024 visible ASCII characters',
      placeholder: 'secret',
    },
    {
      isSecret: true,
      fallback: { value: null },
      description:
        'Client secret that the OpenID provider gave this service; a public client has none. Give it as a variable or in the file: every user of the machine can see flags.',
    },
  ),
  openIdName: textSetting(
    {
      pattern: '^[^\\u0000-\\u001f\\u007f]{1,60}$',
      expected: '1 to 60 characters',
      placeholder: 'text',
    },
    {
      fallback: { value: 'single sign-on' },
      description: 'Name of the OpenID provider for people: the button says "Sign in with …".',
    },
  ),
} satisfies Record<string, Setting>;
