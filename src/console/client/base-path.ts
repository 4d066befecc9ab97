interface Page {
  querySelector(selector: string): { readonly content: string } | null;
}

/** Absent in tests, which need no browser. */
const page = Reflect.get(globalThis, 'document') as Page | undefined;

/** The path below which a proxy serves Burgee, without a slash at its end; empty on a host of its own. */
export const basePath = page?.querySelector('meta[name="base-path"]')?.content ?? '';

/** Address of the console's first page. */
export const consolePath = `${basePath}/console/`;
