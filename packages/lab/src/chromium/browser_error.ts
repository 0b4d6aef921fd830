/** There is no browser, it did not start, or it or its page went away before the answer. */
export class BrowserError extends Error {
  override name = 'BrowserError';
}
