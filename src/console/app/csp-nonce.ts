/** The nonce of the answer that brought this page: what styles made by scripts must carry to be applied. */
export function cspNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}

/** The modal's scroll lock makes a style element, and takes its nonce from where a bundler of old would put it. */
export function announceNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: cspNonce() });
}
