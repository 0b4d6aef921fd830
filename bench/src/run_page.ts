declare global {
  interface Window {
    /** What a page found so far. */
    result?: unknown;
    /** Whether a page has come to its end, whichever it was: then whoever opened it may read what it printed and close it. */
    done?: boolean;
  }
}

/** Does what a page is for; a failure is printed, and the end is told in either case. */
export function runPage(main: () => Promise<void>): void {
  main()
    .catch((error: unknown) => {
      console.log(`failed: ${error instanceof Error ? error.message : String(error)}`);
    })
    .finally(() => {
      window.done = true;
    })
    .catch(console.error);
}
