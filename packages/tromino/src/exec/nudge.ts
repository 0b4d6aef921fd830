/** Submissions of this many milliseconds or less are most calls of small models; beyond it, tasks without a pause would only take a core. */
const spinMs = 4;

/** Measured: 0.1 is no better, 0.5 slightly worse. */
const spinningNudgeMs = 0.2;

const shortestPauseMs = 1;

/** A pause is this share of what has been waited, so that a fence is at most that much late, and a long one costs few nudges. */
const pauseShare = 1 / 8;

const longestPauseMs = 16;

/**
 * Sends the queue empty submissions until the returned function is called. A browser's GPU process that hears nothing looks for finished work
 * only now and then (Chromium about every 2 ms, Firefox every 100), and whenever a command arrives. For a few milliseconds tasks follow each
 * other without a pause, since timers are too coarse; then timers take over. The thread is never blocked.
 */
export function keepNudging(queue: Pick<GPUQueue, 'submit'>): () => void {
  const begin = performance.now();
  // One for each wait: a task that another wait had sent would bring forth a second sequence.
  const { port1: tasks, port2: next } = new MessageChannel();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let nudgedAt = begin;
  const stop = (): void => {
    clearTimeout(timer);
    tasks.onmessage = null;
    tasks.close();
  };
  const nudge = (now: number): boolean => {
    nudgedAt = now;
    try {
      queue.submit([]);
      return true;
    } catch {
      // What is wrong with the device the fence says itself.
      stop();
      return false;
    }
  };
  const sendNext = (): void => {
    next.postMessage(undefined);
  };
  tasks.onmessage = () => {
    const now = performance.now();
    const waitedMs = now - begin;
    if (waitedMs < spinMs) {
      if (now - nudgedAt < spinningNudgeMs || nudge(now)) sendNext();
      return;
    }
    const pauseMs = Math.min(Math.max(waitedMs * pauseShare, shortestPauseMs), longestPauseMs);
    timer = setTimeout(() => {
      // The pause after this one is set from a task: a timer that sets the next is held back to 4 ms.
      if (nudge(performance.now())) sendNext();
    }, pauseMs);
  };
  sendNext();
  return stop;
}
