import { fork } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findChromium } from '../chromium/find.ts';
import { vulkanEnvironment } from '../vulkan.ts';
import { nodeSourceOf } from './cpu.ts';
import type { DawnReply } from './dawn_child.ts';
import type { Answer, RequestKind } from './protocol.ts';
import { resultOf, SessionError, type Session } from './session.ts';

const childFile = fileURLToPath(new URL('./dawn_child.ts', import.meta.url));
const registerUrl = new URL('../../bin/register.mjs', import.meta.url).href;
const exitGraceMs = 3_000;

interface Waiting {
  readonly settle: (answer: Answer<RequestKind>) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Opens a session in a Node process of its own that runs WebGPU through Dawn. A process of its own, because Dawn loads its
 * Vulkan driver by the environment that a process starts with, and because a driver's crash must not take the command along.
 */
export function openDawnSession(): Session {
  const child = fork(childFile, {
    execArgv: ['--import', registerUrl],
    env: { ...process.env, ...vulkanEnvironment(findChromium()) },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, Waiting>();
  let ended: SessionError | undefined;
  let lastId = 0;

  const failAll = (reason: string): void => {
    ended ??= new SessionError(`the Dawn process ended: ${reason}`);
    for (const { fail } of waiting.values()) fail(ended);
    waiting.clear();
  };
  child.on('error', (error) => {
    failAll(error.message);
  });
  child.on('exit', (code, signal) => {
    failAll(signal ?? `exit code ${String(code)}`);
  });
  child.on('message', ({ id, answer }: DawnReply) => {
    waiting.get(id)?.settle(answer);
    waiting.delete(id);
  });

  return {
    request: async (kind, params) => {
      if (ended !== undefined) throw ended;
      const id = ++lastId;
      const answer = await new Promise<Answer<typeof kind>>((resolve, reject) => {
        waiting.set(id, {
          settle: (value) => {
            resolve(value);
          },
          fail: reject,
        });
        child.send({ id, kind, params }, (error) => {
          if (error !== null) failAll(error.message);
        });
      });
      return resultOf(answer);
    },
    sourceOf: nodeSourceOf,
    [Symbol.asyncDispose]: async () => {
      if (ended !== undefined) return;
      const exited = once(child, 'exit');
      const killer = setTimeout(() => child.kill('SIGKILL'), exitGraceMs);
      child.disconnect();
      await exited;
      clearTimeout(killer);
    },
  };
}
