import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, type Provider, ProviderEvents } from '@openfeature/web-sdk';

/** What a test calls in the page. */
export interface OfrepPage {
  /** @returns the provider's status once it is ready, or has failed */
  start(baseUrl: string, context: Record<string, string | number | string[]>): Promise<string>;
  setContext(context: Record<string, string | number | string[]>): Promise<void>;
  /** @returns value, reason, variant and metadata */
  details(key: string): unknown;
  /** @returns the keys of the flags of the next change that the provider hears of; those of an earlier one that was not asked for */
  changed(): Promise<readonly string[]>;
}

const changes: string[][] = [];
const asking: ((flags: readonly string[]) => void)[] = [];

const page: OfrepPage = {
  start: async (baseUrl, context) => {
    await OpenFeature.setContext(context);
    OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
      const flags = (details?.flagsChanged ?? []) as string[];
      const ask = asking.shift();
      if (ask === undefined) changes.push(flags);
      else ask(flags);
    });
    // Without polling: what the page learns, it learns by an event.
    const provider = new OFREPWebProvider({ baseUrl, pollInterval: 0 });
    // The two packages disagree on optional properties.
    await OpenFeature.setProviderAndWait(provider as Provider).catch(() => undefined);
    return OpenFeature.getClient().providerStatus;
  },
  setContext: (context) => OpenFeature.setContext(context),
  details: (key) => OpenFeature.getClient().getBooleanDetails(key, false),
  changed: () => {
    const [flags] = changes.splice(0, 1);
    return flags === undefined ? new Promise((resolve) => asking.push(resolve)) : Promise.resolve(flags);
  },
};

(globalThis as unknown as { ofrep: OfrepPage }).ofrep = page;
