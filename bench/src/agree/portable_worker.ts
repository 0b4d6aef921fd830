/** A thread that answers messages by the portable backend: `{ source, messages }` in, an `Extraction[]` out for each, in order. */
import { loadExtractor } from 'tromino';
import { answersTo, type Message } from './messages.ts';

/** What a worker is asked. */
export interface PortableWork {
  readonly source: string;
  readonly messages: readonly Message[];
}

async function answer({ source, messages }: PortableWork): Promise<void> {
  using model = await loadExtractor(source, { backend: 'cpu' });
  for (const message of messages) postMessage(await answersTo(message, model));
}

addEventListener('message', ({ data }: MessageEvent<PortableWork>) => {
  answer(data).catch((error: unknown) => {
    // An error in the handler of an event is one of the worker, which its page hears.
    setTimeout(() => {
      throw error;
    });
  });
});
